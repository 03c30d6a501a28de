#include <QtTest>
#include <algorithm>
#include <cmath>
#include <filesystem>

#include "core/measure/gpu/opencl_api.h"
#include "core/measure/gpu/opencl_compiler.h"
#include "core/measure/worker/message_text.h"
#include "tests/measure/gpu_test_support.h"
#include "tests/test_program.h"

namespace kernelscape::measure_opencl_test {
using namespace kernelscape::testing;

namespace {

constexpr const char* pocl_name = "Portable Computing Language";
constexpr const char* child_variable = "KERNELSCAPE_TEST_CHILD";
constexpr const char* counting_text =
    "__kernel void count(__global float* a) { a[get_global_id(0)] += 1; }\n";

/** Each group turns its elements round: without a barrier, or with one group's memory for all, it would not.
 */
std::string reversing_text(std::int64_t threads) {
  return fmt::format(
      "__kernel __attribute__((reqd_work_group_size({0}, 1, 1)))\n"
      "void reverse(__global const float* restrict input, __global float* restrict output) {{\n"
      "  __local float shared[{0}];\n"
      "  const int thread = get_local_id(0);\n"
      "  shared[thread] = input[get_group_id(0) * {0} + thread];\n"
      "  barrier(CLK_LOCAL_MEM_FENCE);\n"
      "  output[get_group_id(0) * {0} + thread] = shared[{0} - 1 - thread];\n"
      "}}\n",
      threads);
}

QString text_of(const Error& error) { return QString::fromStdString(describe(error)); }

/** This program once more, in an environment of its own: platforms are looked for once per process. */
int run_child(const char* function, const QMap<QString, QString>& variables, QString& output) {
  QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
  environment.insert(child_variable, "1");
  for (const auto& [name, value] : variables.asKeyValueRange()) environment.insert(name, value);
  QProcess process;
  process.setProcessEnvironment(environment);
  process.setProcessChannelMode(QProcess::MergedChannels);
  process.start(QCoreApplication::applicationFilePath(), {"measure_opencl_test", function});
  process.waitForFinished(-1);
  output = QString::fromUtf8(process.readAll());
  return process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1;
}

QStringList machine_code_files() {
  QStringList files;
  QDirIterator entry(qEnvironmentVariable("POCL_CACHE_DIR"), {"*.so"}, QDir::Files,
                     QDirIterator::Subdirectories);
  while (entry.hasNext()) files << entry.next();
  files.sort();
  return files;
}

bool is_child() { return qEnvironmentVariableIsSet(child_variable); }

}  // namespace

class MeasureOpenClTest : public QObject {
  Q_OBJECT

 private slots:
  void init() {
    const bool needs_device = !QString(QTest::currentTestFunction()).startsWith("whatIs");
    if (const std::string missing = needs_device ? missing_opencl() : ""; !missing.empty())
      QSKIP(qPrintable(QString::fromStdString(missing)));
  }

  void devicesAreDescribed() {
    const auto devices = measure::list_opencl_devices();
    QVERIFY(devices.has_value());
    for (const measure::ProbedDevice& probed : *devices) {
      const schedule::TargetDescription& target = probed.target;
      QVERIFY(target.name.starts_with("opencl:"));
      QCOMPARE(target.kind, schedule::TargetKind::OpenCl);
      QVERIFY2(target.isa.starts_with("OpenCL C "), target.isa.c_str());
      QVERIFY(!target.device.empty() && !target.compiler.empty() && !target.compiler_version.empty());
      QVERIFY(target.driver_version.starts_with(target.compiler + " "));
      QVERIFY(target.cores >= 1 && target.vector_registers >= 1 && target.vector_bits >= 32);
      // What the standard promises of every full profile.
      QVERIFY(target.shared_bytes >= 32 << 10);
      QVERIFY(target.threads_per_block >= 1);
      // The host's memory is no device's own, and how much of it is left changes: sessions could not be
      // resumed.
      QCOMPARE(target.memory_bytes > 0, !target.host_device);
      QVERIFY(target.block_x >= 1 && target.block_y >= 1 && target.block_z >= 1);
      QCOMPARE(target.grid_x + target.grid_y + target.grid_z, std::int64_t{0});
      const auto again = schedule::target_from_json(schedule::target_to_json(target));
      QVERIFY2(again, again ? "" : qPrintable(text_of(again.error())));
      QVERIFY(*again == target);
    }
  }

  void everyDeviceBuildsAndRunsTheSelfTest() {
    const auto compiler = measure::make_opencl_compiler();
    QVERIFY(compiler.has_value());
    const auto devices = measure::list_opencl_devices();
    QVERIFY(devices.has_value());
    for (const measure::ProbedDevice& probed : *devices) {
      const std::string& name = probed.target.name;
      const measure::BuildRequest request = measure::opencl_self_test_request(name);
      const measure::BuildReply reply = (*compiler)->compile(request);
      QVERIFY2(reply.status == measure::BuildStatus::Built, reply.message.c_str());
      QVERIFY(reply.seconds > 0);
      const auto device = measure::open_gpu_device(name);
      QVERIFY2(device, device ? "" : qPrintable(text_of(device.error())));
      QVERIFY((*device)->load(reply.artefact, request.entry).has_value());
      DeviceBuffer input(**device, 4 * sizeof(float));
      DeviceBuffer output(**device, 4 * sizeof(float));
      input.write<float>({1, 2, 3, -4});
      const std::vector arguments{input.memory(), output.memory()};
      QVERIFY((*device)->run({.grid = {4, 1, 1}, .block = {1, 1, 1}}, arguments, 1).has_value());
      QVERIFY((output.read<float>(4) == std::vector<float>{2, 4, 6, -8}));
    }
  }

  void groupsShareTheirMemory() {
    base::Random random(QRandomGenerator::global()->generate());
    qInfo("seed %llu", static_cast<unsigned long long>(random.seed()));
    prepare();
    for (int i = 0; i < 4; ++i) {
      const auto most = static_cast<std::uint64_t>(std::min<std::int64_t>(target_.threads_per_block, 256));
      const std::int64_t threads = 1 + static_cast<std::int64_t>(random.below(most));
      const std::int64_t groups = 1 + static_cast<std::int64_t>(random.below(20));
      const auto count = static_cast<std::size_t>(threads * groups);
      const measure::BuildReply reply = load(reversing_text(threads), "reverse");
      // PoCL 6, of Debian 13, counts no local memory of kernels.
      QVERIFY(reply.resources.shared_bytes == 4 * threads || reply.resources.shared_bytes == 0);
      const std::vector<float> values = random_floats(random, count);
      DeviceBuffer input(*device_, count * sizeof(float));
      DeviceBuffer output(*device_, count * sizeof(float));
      input.write(values);
      const std::vector arguments{input.memory(), output.memory()};
      const auto seconds = device_->run({.grid = {groups, 1, 1}, .block = {threads, 1, 1}}, arguments, 3);
      QVERIFY2(seconds, seconds ? "" : seconds.error().message.c_str());
      QVERIFY(*seconds >= 0 && std::isfinite(*seconds));
      std::vector<float> expected = values;
      for (std::int64_t group = 0; group < groups; ++group)
        std::reverse(expected.begin() + group * threads, expected.begin() + (group + 1) * threads);
      QVERIFY(output.read<float>(count) == expected);
    }
  }

  /** PoCL's machine code is part of the artefact: no launch makes any, which would be building while running.
   */
  void launchesCompileNothing() {
    prepare();
    if (target_.compiler != pocl_name) QSKIP("only PoCL's folder is known");
    load(reversing_text(48), "reverse");
    const auto before = machine_code_files();
    QVERIFY(!before.isEmpty());
    DeviceBuffer buffer(*device_, 48 * sizeof(float));
    const std::vector arguments{buffer.memory(), buffer.memory()};
    QVERIFY(device_->run({.grid = {1, 1, 1}, .block = {48, 1, 1}}, arguments, 2).has_value());
    QCOMPARE(machine_code_files(), before);
  }

  /** Every index of the launch is the one that its dimension says. */
  void launchesHaveThreeDimensions() {
    prepare();
    load(
        "__kernel void place(__global float* a) {\n"
        "  const int x = get_group_id(0) * 2 + get_local_id(0);\n"
        "  const int y = get_group_id(1) * 3 + get_local_id(1);\n"
        "  const int z = get_group_id(2) * 5 + get_local_id(2);\n"
        "  a[(z * 9 + y) * 14 + x] = 10000 * z + 100 * y + x;\n"
        "}\n",
        "place");
    constexpr std::size_t count = 14 * 9 * 10;
    DeviceBuffer buffer(*device_, count * sizeof(float));
    buffer.write(std::vector<float>(count, -1));
    const std::vector arguments{buffer.memory()};
    QVERIFY(device_->run({.grid = {7, 3, 2}, .block = {2, 3, 5}}, arguments, 1).has_value());
    const std::vector<float> values = buffer.read<float>(count);
    for (std::size_t i = 0; i < count; ++i) {
      const auto expected = 10'000 * (i / 126) + 100 * (i / 14 % 9) + i % 14;
      QCOMPARE(values[i], static_cast<float>(expected));
    }
  }

  void callsFollowEachOther() {
    prepare();
    load(counting_text, "count");
    DeviceBuffer buffer(*device_, 8 * sizeof(float));
    buffer.write(std::vector<float>(8, 0));
    const std::vector arguments{buffer.memory()};
    const codegen::Launch launch{.grid = {4, 1, 1}, .block = {2, 1, 1}};
    float expected = 0;
    for (const int calls : {1, 2, 7}) {
      QVERIFY(device_->run(launch, arguments, calls).has_value());
      QVERIFY(device_->flush_cache().has_value());
      expected += static_cast<float>(calls);
      QVERIFY(buffer.read<float>(8) == std::vector<float>(8, expected));
    }
  }

  void badSourcesSayWhy_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("says");
    QTest::newRow("unknown name") << "__kernel void kernel_(__global float* a) {\n  *a = missing;\n}\n"
                                  << "missing";
    QTest::newRow("no text") << "" << "kernel_";
    QTest::newRow("another name") << "__kernel void other(__global float* a) {}\n" << "kernel_";
    QTest::newRow("a function only") << "void kernel_(__global float* a) {}\n" << "kernel_";
    QTest::newRow("not C") << "this is \x01 not C" << "";
    QTest::newRow("a long log") << QString("int a = b;\n").repeated(3000) << "";
  }

  void badSourcesSayWhy() {
    QFETCH(QString, text);
    QFETCH(QString, says);
    prepare();
    const measure::BuildReply reply = compile(text.toStdString(), "kernel_");
    QVERIFY(reply.status == measure::BuildStatus::Failed);
    QVERIFY(reply.artefact.empty() && !reply.message.empty());
    QVERIFY(reply.message.size() <= measure::max_message_bytes);
    const QString message = QString::fromStdString(reply.message);
    QVERIFY2(message.contains(says), qPrintable(message));
    // The same error is the same text wherever it was built.
    QVERIFY2(!message.contains(QDir::tempPath()), qPrintable(message));
    QCOMPARE(reply.message, compile(text.toStdString(), "kernel_").message);
    QVERIFY(compile(counting_text, "count").status == measure::BuildStatus::Built);
  }

  void warningsAreKept() {
    prepare();
    const measure::BuildReply reply =
        load(std::string("#warning \"made of paper\"\n") + counting_text, "count");
    if (target_.compiler != pocl_name) QSKIP("the compiler's logs are not known");
    QVERIFY2(reply.log.find("made of paper") != std::string::npos, reply.log.c_str());
    QVERIFY(reply.message.empty());
  }

  void unknownDevicesAreTheMachinesFault() {
    prepare();
    for (const char* name : {"opencl:99", "opencl:", "opencl:-1", "opencl:0x", "cuda:0", ""}) {
      measure::BuildRequest request = measure::opencl_self_test_request(name);
      const measure::BuildReply reply = compiler_->compile(request);
      QVERIFY(reply.status == measure::BuildStatus::MachineFault);
      QVERIFY(!reply.message.empty() && !reply.hint.empty());
    }
    const auto device = measure::open_opencl_device(99);
    QVERIFY(!device);
    QCOMPARE(device.error().code, ErrorCode::NotFound);
    QVERIFY2(device.error().hint.find("opencl:0") != std::string::npos, device.error().hint.c_str());
  }

  void wrongLaunchesLeaveTheDeviceUsable() {
    prepare();
    const measure::BuildReply reply = load(reversing_text(16), "reverse");
    DeviceBuffer input(*device_, 64 * sizeof(float));
    DeviceBuffer output(*device_, 64 * sizeof(float));
    const std::vector arguments{input.memory(), output.memory()};
    const auto wrong_size = device_->run({.grid = {1, 1, 1}, .block = {8, 1, 1}}, arguments, 2);
    QVERIFY(!wrong_size);
    QVERIFY2(wrong_size.error().message.find("CL_INVALID_WORK_GROUP_SIZE") != std::string::npos,
             wrong_size.error().message.c_str());
    const auto too_few = device_->run({.grid = {1, 1, 1}, .block = {16, 1, 1}}, {}, 1);
    QVERIFY(!too_few);
    QVERIFY2(too_few.error().message.find("2 arguments, not 0") != std::string::npos,
             too_few.error().message.c_str());
    const auto no_memory = device_->allocate(std::size_t{1} << 50);
    QVERIFY(!no_memory && no_memory.error().out_of_memory);
    for (const std::string& artefact :
         {std::string(), std::string("no program"), std::string(100'000, 'x')}) {
      const auto loaded = device_->load(artefact, "reverse");
      QVERIFY(!loaded && !loaded.error().message.empty());
      QVERIFY(!loaded.error().context_lost);
    }
    const auto absent = device_->load(reply.artefact, "absent");
    QVERIFY(!absent && absent.error().message.find("absent") != std::string::npos);
    for (const measure::DeviceError& error :
         {wrong_size.error(), too_few.error(), no_memory.error(), absent.error()})
      QVERIFY2(!error.context_lost && !error.device_gone, error.message.c_str());
    QVERIFY(device_->load(reply.artefact, "reverse").has_value());
    QVERIFY(device_->run({.grid = {4, 1, 1}, .block = {16, 1, 1}}, arguments, 1).has_value());
  }

  /** Builds and runs leave nothing behind: neither in the user's cache nor in the folder for builds. */
  void nothingIsLeftBehind() {
    if (is_child()) return;
    const QTemporaryDir home;
    const QTemporaryDir builds;
    QString output;
    const int code = run_child(
        "everyDeviceBuildsAndRunsTheSelfTest",
        {{"HOME", home.path()}, {"XDG_CACHE_HOME", home.filePath("cache")}, {"TMPDIR", builds.path()}},
        output);
    QVERIFY2(code == 0, qPrintable(output));
    for (const QTemporaryDir* folder : {&home, &builds}) {
      const QStringList left =
          QDir(folder->path()).entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot);
      QVERIFY2(left.isEmpty(), qPrintable(left.join(", ")));
    }
  }

  void whatIsMissingIsSaid_data() {
    QTest::addColumn<QString>("variable");
    QTest::addColumn<QString>("value");
    QTest::addColumn<QString>("says");
    QTest::newRow("no platform") << "OCL_ICD_VENDORS" << "/nonexistent" << "no OpenCL platform";
    QTest::newRow("no device") << "POCL_DEVICES" << " " << "without a device";
  }

  void whatIsMissingIsSaid() {
    QFETCH(QString, variable);
    QFETCH(QString, value);
    QFETCH(QString, says);
    if (!is_child()) {
      const auto devices = measure::list_opencl_devices();
      if (!devices || devices->size() != 1 || devices->front().target.compiler != pocl_name)
        QSKIP("PoCL is not the only platform here");
      QString output;
      const QByteArray row = QString("whatIsMissingIsSaid:%1").arg(QTest::currentDataTag()).toUtf8();
      QVERIFY2(run_child(row.constData(), {{variable, value}}, output) == 0, qPrintable(output));
      return;
    }
    const auto devices = measure::list_opencl_devices();
    QVERIFY(!devices);
    QVERIFY2(text_of(devices.error()).contains(says), qPrintable(text_of(devices.error())));
    QVERIFY(text_of(devices.error()).contains("pocl-opencl-icd"));
    QVERIFY(!measure::make_opencl_compiler());
    QVERIFY(!measure::open_opencl_device(0));
  }

  void errorsHaveNames() {
    QCOMPARE(measure::opencl_error_name(CL_OUT_OF_RESOURCES), std::string("CL_OUT_OF_RESOURCES"));
    QCOMPARE(measure::opencl_error_name(CL_BUILD_PROGRAM_FAILURE), std::string("CL_BUILD_PROGRAM_FAILURE"));
    QCOMPARE(measure::opencl_error_name(-1001), std::string("CL_PLATFORM_NOT_FOUND_KHR"));
    QCOMPARE(measure::opencl_error_name(-12345), std::string("OpenCL error -12345"));
  }

 private:
  void prepare() {
    target_ = first_opencl_target();
    compiler_ = measure::make_opencl_compiler().value();
    device_ = measure::open_gpu_device(target_.name).value();
  }

  measure::BuildReply compile(const std::string& text, const std::string& entry) {
    codegen::KernelSource source;
    source.dialect = codegen::Dialect::OpenCl;
    source.text = text;
    source.entry = entry;
    source.flags = codegen::sort_flags(codegen::Dialect::OpenCl, target_.flags).known;
    return compiler_->compile(build_request(source, target_));
  }

  measure::BuildReply load(const std::string& text, const std::string& entry) {
    measure::BuildReply reply = compile(text, entry);
    if (reply.status != measure::BuildStatus::Built) throw std::runtime_error(reply.message);
    if (auto loaded = device_->load(reply.artefact, entry); !loaded)
      throw std::runtime_error(loaded.error().message);
    return reply;
  }

  schedule::TargetDescription target_;
  std::unique_ptr<measure::DeviceCompiler> compiler_;
  std::unique_ptr<measure::GpuDevice> device_;
};

KERNELSCAPE_TEST(MeasureOpenClTest, QCoreApplication)

}  // namespace kernelscape::measure_opencl_test
#include "measure_opencl_test.moc"
