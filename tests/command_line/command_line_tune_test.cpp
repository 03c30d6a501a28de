#include <signal.h>

#include <QTest>

#include "tests/command_line/command_line_support.h"
#include "tests/test_program.h"

namespace kernelscape::command_line_tune_test {
using namespace kernelscape::command_line_tests;
using nlohmann::json;

namespace {

const QString small_task = "matmul 32x48 48x64 f32";

/** Quick, not exact: enough to see that everything happens. */
QStringList quick(const QStringList& arguments) {
  return QStringList(arguments) << "--repeats" << "1" << "--min-repeat-ms" << "0.1" << "--threads" << "1"
                                << "--json";
}

}  // namespace

/** The main job, with real kernels on this machine. */
class CommandLineTuneTest : public QObject {
  Q_OBJECT

 private:
  /** Starts a session without end and waits for its `count`-th trial. @return what was printed till then */
  std::string start_endless(const Shell& shell, QProcess& process, std::size_t count);

 private slots:
  void helpAndVersion();
  void listsAreJsonLines();
  void spaceOfAnotherTarget();
  void tuneShowSessionsBestResumeDelete();
  void sweepVisitsEveryMember();
  void adaptiveEvaluatorSavesSamples();
  void warmStart();
  void interrupts_data();
  void interrupts();
  void killedAndResumed();
  void closedPipesEndNothing();
};

void CommandLineTuneTest::helpAndVersion() {
  Shell shell;
  for (const QStringList& arguments : {QStringList{"--help"}, {"tune", "--help"}, {"--version"}}) {
    const CommandResult result = shell.run(arguments);
    QCOMPARE(result.code, 0);
    QVERIFY(!result.output.empty());
    QVERIFY(result.error.empty());
  }
  QVERIFY(shell.run({"--help"}).output.find("tune") != std::string::npos);
}

void CommandLineTuneTest::listsAreJsonLines() {
  Shell shell;
  for (const QStringList& command : {QStringList{"devices"}, {"tasks"}, {"tuners"}, {"templates"}}) {
    QCOMPARE(shell.run(command).code, 0);
    const CommandResult result = shell.run(QStringList(command) << "--json");
    QCOMPARE(result.code, 0);
    const std::vector<json> lines = json_lines(result.output);
    QVERIFY(!lines.empty());
    for (const json& line : lines) QVERIFY(line.is_object() && line.contains("name"));
  }
  QVERIFY(!json_lines(shell.run({"tasks", "--network", "resnet18", "--json"}).output).empty() ||
          shell.run({"tasks", "--network", "resnet18"}).code == 2);
  QCOMPARE(shell.run({"sessions"}).code, 0);
}

void CommandLineTuneTest::spaceOfAnotherTarget() {
  Shell shell;
  const CommandResult result =
      shell.run({"space", "resnet18-nose/C12", "--target", "cuda", "--template", "conv2d-direct", "--json"});
  QVERIFY2(result.code == 0, result.all().c_str());
  const json space = json_lines(result.output).at(0);
  QCOMPARE(space.at("size").get<std::string>(), std::string("844800"));
  QCOMPARE(space.at("members").get<std::string>(), std::string("844800"));
  const std::string limited = space.at("members_within_limits").get<std::string>();
  QVERIFY2(std::stoll(limited) > 0 && std::stoll(limited) < 844'800, limited.c_str());
  QVERIFY(!space.at("limits").empty());
  // What the studies do not cover is said: none has as many configurations.
  const json& advice = space.at("tuner_advice");
  QCOMPARE(advice.at("tuner").get<std::string>(), std::string("gp"));
  QCOMPARE(advice.at("study").get<std::string>(), std::string("all-tuners-public"));
  QVERIFY(advice.at("reason").get<std::string>().find("no study compares tuners") != std::string::npos);
  QVERIFY(advice.at("page").get<std::string>().starts_with("data/studies/README.md#"));
  for (const json& knob : space.at("knobs")) {
    QVERIFY(knob.at("name").is_string() && knob.at("kind").is_string() &&
            knob.at("count").is_number_unsigned());
  }
}

void CommandLineTuneTest::tuneShowSessionsBestResumeDelete() {
  Shell shell;
  const CommandResult tuned = shell.run(
      quick({"tune", small_task, "--tuner", "random", "--trials", "6", "--seed", "3", "--name", "mine"}));
  QVERIFY2(tuned.code == 0, tuned.all().c_str());
  const std::vector<json> lines = json_lines(tuned.output);
  for (const json& line : lines) QVERIFY(line.is_object() && line.contains("event"));
  QCOMPARE(events(lines, "session").size(), std::size_t(1));
  QCOMPARE(events(lines, "trial").size(), std::size_t(6));
  const json summary = events(lines, "summary").at(0);
  QCOMPARE(summary.at("state").get<std::string>(), std::string("done"));
  QCOMPARE(summary.at("trials").get<int>(), 6);
  QVERIFY2(is_confirmed(summary.at("best")), summary.dump().c_str());
  QVERIFY(summary.at("best").at("gflops").get<double>() > 0);
  QVERIFY(summary.at("speedup_over_first_valid").is_number());
  const json& vendor = summary.at("vendor");
  QVERIFY(vendor.at("median_seconds").is_number() != vendor.at("reason").is_string());
  QVERIFY(vendor.at("candidates").is_array());
  const json& time = summary.at("time");
  const double phases = time.at("search_seconds").get<double>() + time.at("build_seconds").get<double>() +
                        time.at("run_seconds").get<double>() + time.at("idle_seconds").get<double>();
  QVERIFY(std::abs(phases - time.at("session_seconds").get<double>()) < 1e-6);

  const CommandResult shown = shell.run({"show", "mine", "--json"});
  QCOMPARE(shown.code, 0);
  json again = events(json_lines(shown.output), "summary").at(0);
  QVERIFY(again == summary);
  QCOMPARE(shell.run({"show", "mine"}).code, 0);
  QCOMPARE(json_lines(shell.run({"sessions", "--json"}).output).size(), std::size_t(1));
  const CommandResult best = shell.run({"best", small_task, "--json"});
  QVERIFY(events(json_lines(best.output), "summary").at(0).at("best") == summary.at("best"));
  const CommandResult why = shell.run({"why", "mine", "--json"});
  QVERIFY2(why.code == 0, why.all().c_str());
  const json stages = events(json_lines(why.output), "why").at(0).at("stages");
  QVERIFY(stages.size() > 3 && stages.at(0).at("kind") == "stage" && stages.at(0).at("parent").is_null());
  for (std::size_t node = 1; node < stages.size(); ++node)
    QVERIFY(stages.at(node).at("parent").get<std::size_t>() < node);
  // Nothing was sampled: the shares of the lines are those of instructions, and say so.
  const json explained = events(json_lines(why.output), "why").at(0);
  QCOMPARE(explained.at("line_shares").at("kind").get<std::string>(), std::string("instructions"));
  QVERIFY(!explained.at("line_shares").at("lines").empty());
  QVERIFY(explained.at("advice").empty() != explained.at("no_advice").get<std::string>().empty());
  QVERIFY(shell.run({"why", "mine"}).output.contains("estimated from instructions"));
  QVERIFY(shell.run({"why", "mine"}).output.contains(stages.at(0).at("text").get<std::string>()));

  const CommandResult resumed = shell.run({"resume", "mine", "--trials", "9", "--json"});
  QVERIFY2(resumed.code == 0, resumed.all().c_str());
  QCOMPARE(events(json_lines(resumed.output), "trial").size(), std::size_t(3));
  QCOMPARE(events(json_lines(resumed.output), "summary").at(0).at("trials").get<int>(), 9);

  QCOMPARE(shell.run({"delete", "mine"}).code, 0);
  QVERIFY(shell.run({"sessions", "--json"}).output.empty());
  QCOMPARE(shell.run({"show", "mine"}).code, 2);
}

void CommandLineTuneTest::sweepVisitsEveryMember() {
  Shell shell;
  const QString tiny = "conv2d 1x2x3x3 2x2x1x1 f32";
  const json space =
      json_lines(shell.run({"space", tiny, "--template", "conv2d-nchwc", "--json"}).output).at(0);
  const std::string printed = shell.run({"space", tiny, "--template", "conv2d-nchwc"}).output;
  QVERIFY2(printed.find("the budget covers the whole space") != std::string::npos, printed.c_str());
  const std::string limited =
      shell.run({"space", tiny, "--template", "conv2d-nchwc", "--trials", "1"}).output;
  QVERIFY2(limited.find("fewer than five trials") != std::string::npos, limited.c_str());
  const std::string help = shell.run({"tune", "--help"}).output;
  QVERIFY2(help.find("Take gp: on twelve recorded spaces") != std::string::npos, help.c_str());
  const CommandResult swept = shell.run(quick({"sweep", tiny, "--template", "conv2d-nchwc"}));
  QVERIFY2(swept.code == 0, swept.all().c_str());
  const json summary = events(json_lines(swept.output), "summary").at(0);
  QCOMPARE(std::to_string(summary.at("trials").get<int>()), space.at("members").get<std::string>());
  const CommandResult sampled =
      shell.run(quick({"sweep", tiny, "--template", "conv2d-nchwc", "--sample", "3"}));
  QCOMPARE(events(json_lines(sampled.output), "trial").size(), std::size_t(3));
}

void CommandLineTuneTest::adaptiveEvaluatorSavesSamples() {
  Shell shell;
  // A threshold that every kernel is below: what is taken is known.
  const CommandResult tuned =
      shell.run({"tune", small_task, "--tuner", "random", "--trials", "4", "--seed", "3", "--threads", "1",
                 "--adaptive", "--adaptive-threshold", "100", "--adaptive-batch", "20", "--json"});
  QVERIFY2(tuned.code == 0, tuned.all().c_str());
  const std::vector<json> lines = json_lines(tuned.output);
  const json options = events(lines, "session").at(0).at("options");
  QCOMPARE(options.at("repeats").get<int>(), 500);
  QCOMPARE(options.at("min_repeat_seconds").get<double>(), 0.0);
  QCOMPARE(options.at("adaptive_batch").get<int>(), 20);
  int saved = 0;
  for (const json& trial : events(lines, "trial")) {
    if (trial.at("category") != "NO_ERROR" || trial.at("cut_short")) continue;
    QCOMPARE(trial.at("samples_seconds").size(), std::size_t{60});
    QCOMPARE(trial.at("samples_saved").get<int>(), 440);
    saved += 440;
  }
  const json summary = events(lines, "summary").at(0);
  QVERIFY(saved > 0);
  QCOMPARE(summary.at("samples_saved").get<int>(), saved);
  QVERIFY(summary.at("saved_seconds").get<double>() > 0);

  const std::string shown = shell.run({"show", "1"}).output;
  QVERIFY2(shown.find("samples not needed, about") != std::string::npos, shown.c_str());
  const CommandResult exported = shell.run({"export", "1", "--format", "csv", "--out", "-", "--columns",
                                            "samples,samples_saved", "--where", "samples_saved > 0"});
  QVERIFY2(exported.output.find("60,440") != std::string::npos, exported.all().c_str());
  // Without one nothing is said of it.
  QCOMPARE(shell.run(quick({"tune", small_task, "--tuner", "random", "--trials", "2"})).code, 0);
  QVERIFY(shell.run({"show", "2"}).output.find("evaluator") == std::string::npos);
}

void CommandLineTuneTest::warmStart() {
  Shell shell;
  QCOMPARE(shell.run(quick({"tune", small_task, "--tuner", "random", "--trials", "3"})).code, 0);
  const CommandResult warm =
      shell.run(quick({"tune", small_task, "--tuner", "ga", "--trials", "3", "--warm-start", "1"}));
  QVERIFY2(warm.code == 0, warm.all().c_str());
  const json expected = json::array({{{"session", 1}, {"trials", 3}}});
  QVERIFY(events(json_lines(warm.output), "session").at(0).at("warm_start") == expected);
}

std::string CommandLineTuneTest::start_endless(const Shell& shell, QProcess& process, std::size_t count) {
  shell.start(process, quick({"tune", small_task, "--tuner", "random", "--trials", "0", "--seed", "5"}));
  std::string output;
  while (events(json_lines(output), "trial").size() < count && process.waitForReadyRead(120'000)) {
    output += process.readAllStandardOutput().toStdString();
  }
  return output;
}

void CommandLineTuneTest::interrupts_data() {
  QTest::addColumn<int>("times");
  QTest::addRow("once") << 1;
  QTest::addRow("twice") << 2;
}

void CommandLineTuneTest::interrupts() {
  QFETCH(int, times);
  Shell shell;
  QProcess process;
  std::string output = start_endless(shell, process, 3);
  for (int i = 0; i < times; ++i) kill(static_cast<pid_t>(process.processId()), SIGINT);
  QVERIFY(process.waitForFinished(120'000));
  output += process.readAllStandardOutput().toStdString();
  QCOMPARE(process.exitStatus(), QProcess::NormalExit);
  QCOMPARE(process.exitCode(), 130);
  const std::vector<json> lines = json_lines(output);
  const json summary = events(lines, "summary").at(0);
  QVERIFY(summary.at("interrupted").get<bool>());
  QCOMPARE(summary.at("state").get<std::string>(), std::string("interrupted"));
  QCOMPARE(summary.at("trials").get<std::size_t>(), events(lines, "trial").size());
}

/** What was measured stays as it was, and the tuner goes on where it would have. */
void CommandLineTuneTest::killedAndResumed() {
  Shell shell;
  QProcess process;
  std::string output = start_endless(shell, process, 3);
  process.kill();
  QVERIFY(process.waitForFinished(120'000));
  output += process.readAllStandardOutput().toStdString();
  const std::vector<json> before = events(json_lines(output), "trial");
  const std::string stored = shell.run({"sessions", "--json"}).output;
  const json session = json_lines(stored).at(0);
  QCOMPARE(session.at("state").get<std::string>(), std::string("interrupted"));
  QVERIFY(session.at("trials").get<std::size_t>() >= before.size());

  const QString trials = QString::number(session.at("trials").get<int>() + 3);
  const CommandResult resumed = shell.run({"resume", "1", "--trials", trials, "--json"});
  QVERIFY2(resumed.code == 0, resumed.all().c_str());
  const std::vector<json> after = events(json_lines(resumed.output), "trial");
  QCOMPARE(after.size(), std::size_t(3));
  for (const json& trial : after) {
    for (const json& old : before) {
      QVERIFY(old.at("trial") != trial.at("trial"));
      QVERIFY(old.at("configuration") != trial.at("configuration"));
    }
  }
}

void CommandLineTuneTest::closedPipesEndNothing() {
  Shell shell;
  QProcess process;
  shell.start(process, quick({"tune", small_task, "--tuner", "random", "--trials", "4"}));
  QVERIFY(process.waitForStarted());
  process.closeReadChannel(QProcess::StandardOutput);
  QVERIFY(process.waitForFinished(120'000));
  QCOMPARE(process.exitStatus(), QProcess::NormalExit);
  QCOMPARE(process.exitCode(), 0);
  QCOMPARE(json_lines(shell.run({"sessions", "--json"}).output).at(0).at("trials").get<int>(), 4);
}

KERNELSCAPE_TEST(CommandLineTuneTest, QCoreApplication)

}  // namespace kernelscape::command_line_tune_test
#include "command_line_tune_test.moc"
