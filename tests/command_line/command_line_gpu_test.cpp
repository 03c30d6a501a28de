#include <QDir>
#include <QTest>

#include "core/measure/device_lease.h"
#include "tests/command_line/command_line_support.h"
#include "tests/test_program.h"

namespace kernelscape::command_line_gpu_test {
using namespace kernelscape::command_line_tests;
using nlohmann::json;

namespace {

const QString tiny_task = "matmul 8x8 8x8 f32";

/** Quick, not exact: enough to see that everything happens. */
QStringList quick(const QStringList& arguments) {
  return QStringList(arguments) << "--tuner" << "random" << "--seed" << "1" << "--repeats" << "1"
                                << "--min-repeat-ms" << "0.1" << "--build-timeout" << "60" << "--json";
}

std::size_t count_category(const std::vector<json>& trials, const std::string& category) {
  return static_cast<std::size_t>(
      std::ranges::count_if(trials, [&](const json& trial) { return trial.at("category") == category; }));
}

}  // namespace

/** GPU targets as users reach them: what this machine has is used, the rest is told with the way out. */
class CommandLineGpuTest : public QObject {
  Q_OBJECT

 private:
  Shell shell_;

  /** The line of `devices --json` with this name; null where there is none. */
  json device(const std::string& name);

 private slots:
  void devicesAndMissingPlatforms();
  void missingDrivers_data();
  void missingDrivers();
  void openClTunesResumesAndExports();
  void sessionsOnOneDeviceQueue();
  void architecturesAreBuiltFor();
  void aMissingCompilerCostsNoTrial();
};

json CommandLineGpuTest::device(const std::string& name) {
  const std::vector<json> lines = json_lines(shell_.run({"devices", "--json"}).output);
  const auto found = std::ranges::find_if(lines, [&](const json& line) { return line.at("name") == name; });
  return found != lines.end() ? *found : json();
}

void CommandLineGpuTest::devicesAndMissingPlatforms() {
  Shell shell;
  shell.set("KERNELSCAPE_LIBCUDA", "/nonexistent");
  shell.set("OCL_ICD_VENDORS", "/nonexistent");
  const CommandResult result = shell.run({"devices", "--json"});
  QVERIFY2(result.code == 0, result.all().c_str());
  const std::vector<json> lines = json_lines(result.output);
  QCOMPARE(lines.size(), std::size_t{3});
  QCOMPARE(lines[0].at("name").get<std::string>(), std::string("cpu"));
  QVERIFY(lines[0].contains("in_use_by"));
  QCOMPARE(lines[1].at("name").get<std::string>(), std::string("cuda"));
  QCOMPARE(lines[2].at("name").get<std::string>(), std::string("opencl"));
  for (const json& missing : {lines[1], lines[2]}) {
    QVERIFY(!missing.at("problem").get<std::string>().empty());
    QVERIFY(!missing.at("hint").get<std::string>().empty());
  }
  const CommandResult text = shell.run({"devices"});
  QCOMPARE(text.code, 0);
  QVERIFY2(text.output.find("KERNELSCAPE_LIBCUDA") != std::string::npos, text.output.c_str());
  QVERIFY2(text.output.find("sm_80") != std::string::npos, text.output.c_str());
}

void CommandLineGpuTest::missingDrivers_data() {
  QTest::addColumn<QString>("target");
  QTest::addColumn<QString>("variable");
  QTest::addRow("CUDA") << "cuda:0" << "KERNELSCAPE_LIBCUDA";
  QTest::addRow("OpenCL") << "opencl:0" << "OCL_ICD_VENDORS";
}

void CommandLineGpuTest::missingDrivers() {
  QFETCH(QString, target);
  QFETCH(QString, variable);
  Shell shell;
  shell.set(variable, "/nonexistent");
  const CommandResult result = shell.run({"tune", tiny_task, "--target", target});
  QVERIFY2(result.code == 1 || result.code == 2, result.all().c_str());
  QVERIFY2(result.error.find(target.toStdString()) != std::string::npos, result.error.c_str());
  QVERIFY2(std::ranges::count(result.error, '\n') >= 2, "there is no way out");
  QVERIFY(shell.run({"sessions", "--json"}).output.empty());
  // A space can be looked at on any machine.
  QCOMPARE(shell.run({"space", tiny_task, "--target", "cuda"}).code, 0);
  QCOMPARE(shell.run({"space", tiny_task, "--target", "cuda", "--arch", "sm_90a"}).code, 0);
}

void CommandLineGpuTest::openClTunesResumesAndExports() {
  const json found = device("opencl:0");
  if (found.is_null()) QSKIP(device("opencl").dump().c_str());
  QVERIFY(found.at("threads_per_block").get<int>() > 0 && found.at("shared_bytes").get<int>() > 0);
  const CommandResult tuned =
      shell_.run(quick({"tune", tiny_task, "--target", "opencl", "--trials", "8", "--name", "mine"}));
  QVERIFY2(tuned.code == 0, tuned.all().c_str());
  const std::vector<json> lines = json_lines(tuned.output);
  const json session = events(lines, "session").at(0);
  QCOMPARE(session.at("target").get<std::string>(), std::string("opencl:0"));
  QVERIFY(session.at("device") == found.at("device"));
  const std::vector<json> trials = events(lines, "trial");
  QCOMPARE(trials.size(), std::size_t{8});
  for (const json& trial : trials) {
    if (trial.at("category") != "NO_ERROR") continue;
    QVERIFY(trial.at("median_seconds").get<double>() > 0);
    QVERIFY2(trial.at("resources").is_object(), trial.dump().c_str());
  }
  QVERIFY(count_category(trials, "NO_ERROR") > 0);
  QCOMPARE(count_category(trials, "WRONG_ANSWER"), std::size_t{0});
  const json summary = events(lines, "summary").at(0);
  QVERIFY2(is_confirmed(summary.at("best")), summary.dump().c_str());
  QVERIFY(summary.at("vendor").at("reason").is_string());

  const CommandResult resumed = shell_.run({"resume", "mine", "--trials", "10", "--json"});
  QVERIFY2(resumed.code == 0, resumed.all().c_str());
  QCOMPARE(events(json_lines(resumed.output), "trial").size(), std::size_t{2});
  QCOMPARE(shell_.run({"show", "mine"}).code, 0);
  QCOMPARE(json_lines(shell_.run({"best", tiny_task, "--json"}).output).size(), std::size_t{1});

  const QString folder = shell_.path("kernel");
  const CommandResult exported = shell_.run({"export", "mine", "--format", "kernel", "--out", folder});
  QVERIFY2(exported.code == 0, exported.all().c_str());
  QCOMPARE(QDir(folder).entryList({"*.cl"}).size(), 1);

  // On a machine whose device is gone it can be looked at.
  Shell elsewhere;
  elsewhere.set("OCL_ICD_VENDORS", "/nonexistent");
  const CommandResult refused =
      elsewhere.run({"resume", "mine", "--trials", "12", "--db", shell_.default_database()});
  QCOMPARE(refused.code, 1);
  QVERIFY2(refused.error.find("can be viewed, not resumed") != std::string::npos, refused.error.c_str());
  QVERIFY2(refused.error.find("opencl:0") != std::string::npos, refused.error.c_str());
}

void CommandLineGpuTest::sessionsOnOneDeviceQueue() {
  const json found = device("opencl:0");
  if (found.is_null()) QSKIP(device("opencl").dump().c_str());
  // Kernels on the host's processor disturb those for cpu: they share one lease.
  const std::string leased = found.at("host_device").get<bool>() ? "cpu" : "opencl:0";
  measure::DeviceLease::Request request;
  request.device = leased;
  request.holder = "a test of queues";
  auto lease = std::make_unique<Result<measure::DeviceLease>>(measure::DeviceLease::acquire(request));
  QVERIFY(*lease);
  QCOMPARE(device("opencl:0").at("in_use_by").get<std::string>(), request.holder);

  QProcess process;
  shell_.start(process, quick({"tune", tiny_task, "--target", "opencl:0", "--trials", "2"}));
  std::string output;
  while (output.find(request.holder) == std::string::npos && process.waitForReadyRead(120'000))
    output += process.readAllStandardOutput().toStdString();
  QVERIFY2(output.find(request.holder) != std::string::npos, output.c_str());
  QVERIFY2(events(json_lines(output), "trial").empty(), output.c_str());
  lease.reset();
  QVERIFY(process.waitForFinished(240'000));
  output += process.readAllStandardOutput().toStdString();
  QVERIFY2(process.exitCode() == 0, output.c_str());
  QCOMPARE(events(json_lines(output), "trial").size(), std::size_t{2});
}

void CommandLineGpuTest::architecturesAreBuiltFor() {
  Shell shell;
  // Without register tiles and unrolled loops a compile is quick.
  const QString task = "conv2d 1x16x8x8 256x16x3x3 stride=1 pad=1 f32";
  QStringList command{"tune",   task,        "--template",  "conv2d-direct", "--target",
                      "cuda",   "--arch",    "sm_80",       "--trials",      "24",
                      "--name", "landscape", "--build-only"};
  command << "--restrict" << "auto_unroll_max_step=0";
  for (const char* knob : {"tile_f", "tile_y", "tile_x"}) {
    for (const int position : {1, 3}) command << "--restrict" << QString("%1[%2]=1").arg(knob).arg(position);
  }
  const CommandResult built = shell.run(quick(command));
  if (built.code == 1 && built.all().find("NVRTC") != std::string::npos) QSKIP(built.all().c_str());
  QVERIFY2(built.code == 0, built.all().c_str());
  const std::vector<json> lines = json_lines(built.output);
  const std::vector<json> trials = events(lines, "trial");
  QCOMPARE(trials.size(), std::size_t{24});
  QVERIFY(count_category(trials, "INSTANTIATION_ERROR") > 0);
  QVERIFY(count_category(trials, "NO_ERROR") > 0);
  QCOMPARE(count_category(trials, "COMPILE_DEVICE"), std::size_t{0});
  for (const json& trial : trials) {
    QVERIFY(trial.at("samples_seconds").empty() && trial.at("best_trial").is_null());
    if (trial.at("category") != "NO_ERROR") continue;
    const json& resources = trial.at("resources");
    QVERIFY2(resources.at("registers").get<int>() > 0, trial.dump().c_str());
    QVERIFY2(resources.at("occupancy").get<double>() > 0, trial.dump().c_str());
    QVERIFY2(trial.at("build_log").get<std::string>().find("registers") != std::string::npos,
             trial.dump().c_str());
  }
  const json summary = events(lines, "summary").at(0);
  QVERIFY(summary.at("best").is_null());
  QCOMPARE(summary.at("state").get<std::string>(), std::string("done"));
  QCOMPARE(summary.at("errors").at("NO_ERROR").at("trials").get<std::size_t>(),
           count_category(trials, "NO_ERROR"));

  const CommandResult resumed = shell.run({"resume", "landscape", "--trials", "28", "--json"});
  QVERIFY2(resumed.code == 0, resumed.all().c_str());
  QCOMPARE(events(json_lines(resumed.output), "trial").size(), std::size_t{4});
  QCOMPARE(shell.run({"best", task}).code, 2);
  QCOMPARE(shell.run({"show", "landscape"}).code, 0);
}

/** The machine's fault: told once, and nothing counts as a failed trial. */
void CommandLineGpuTest::aMissingCompilerCostsNoTrial() {
  Shell shell;
  shell.set("KERNELSCAPE_NVRTC", "/nonexistent");
  const CommandResult result = shell.run(
      quick({"tune", tiny_task, "--target", "cuda", "--arch", "sm_80", "--build-only", "--trials", "4"}));
  QVERIFY2(result.code == 1, result.all().c_str());
  QVERIFY2(result.error.find("KERNELSCAPE_NVRTC") != std::string::npos, result.all().c_str());
  QVERIFY(count_category(events(json_lines(result.output), "trial"), "COMPILE_DEVICE") == 0);
}

KERNELSCAPE_TEST(CommandLineGpuTest, QCoreApplication)

}  // namespace kernelscape::command_line_gpu_test
#include "command_line_gpu_test.moc"
