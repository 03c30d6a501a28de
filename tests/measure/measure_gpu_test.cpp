// Kernels by hand in OpenCL C and CUDA C++ through the real pool, workers and measurer.
#include <QtTest>
#include <memory>

#include "core/measure/confirmation.h"
#include "core/measure/cpu/compiler.h"
#include "core/measure/cpu/cpu_target.h"
#include "core/measure/gpu/device_compiler.h"
#include "core/measure/gpu/gpu_target.h"
#include "core/measure/kernel_measurer.h"
#include "core/measure/runner.h"
#include "tests/measure/category_rows.h"
#include "tests/measure/gpu_test_support.h"
#include "tests/measure/kernel_sources.h"
#include "tests/measure/stub_cuda.h"
#include "tests/test_program.h"

namespace kernelscape::measure_gpu_test {

namespace {

constexpr const char* entry = "kernel_";  // "kernel" is a word of OpenCL C
constexpr codegen::Launch small_launch{.grid = {3, 5, 1}, .block = {8, 8, 1}};

/** The kernels of a SourceFamily, read as another dialect. */
class GpuFamily final : public kernel::Family {
 public:
  GpuFamily(codegen::Dialect dialect, std::vector<NamedSource> sources)
      : dialect_(dialect), family_(small_matmul, std::move(sources)) {}

  const task::Task& task() const override { return family_.task(); }
  const space::SearchSpace& space() const override { return family_.space(); }
  space::Configuration named(const std::string& name) const { return family_.named(name); }

  Result<codegen::KernelSource> source(const space::Configuration& configuration) const override {
    auto source = family_.source(configuration);
    if (!source) return source;
    source->dialect = dialect_;
    source->entry = entry;
    source->launch = small_launch;
    return source;
  }

 private:
  codegen::Dialect dialect_;
  SourceFamily family_;
};

/** A kernel of `small_matmul` in OpenCL C, an element a thread: `inside` stands at its start, and `result` is
 * what is done with `sum`. */
std::string opencl_text(const std::string& inside = "", const std::string& result = "c[y * 40 + x] = sum;") {
  return "__attribute__((reqd_work_group_size(8, 8, 1)))\n"
         "__kernel void kernel_(__global const float* a, __global const float* b, __global float* c) {\n"
         "  const int y = get_global_id(0), x = get_global_id(1);\n" +
         inside +
         "\n  float sum = 0;\n"
         "  for (int k = 0; k < 16; ++k) sum += a[y * 16 + k] * b[k * 40 + x];\n  " +
         result + "\n}\n";
}

std::string cuda_text(const std::string& inside = "", const std::string& result = "c[y * 40 + x] = sum;") {
  return "extern \"C\" __global__ void kernel_(const float* a, const float* b, float* c) {\n"
         "  const int y = blockIdx.x * 8 + threadIdx.x, x = blockIdx.y * 8 + threadIdx.y;\n" +
         inside +
         "\n  float sum = 0;\n"
         "  for (int k = 0; k < 16; ++k) sum += a[y * 16 + k] * b[k * 40 + x];\n  " +
         result + "\n}\n";
}

/** Where a loop has no end that a compiler could see. */
constexpr const char* endless = "for (volatile int i = 0; i >= 0; i = 1) {}";

std::vector<NamedSource> opencl_kernels() {
  return {
      {"good", opencl_text()},
      {"refused", ""},
      {"wrong answer", opencl_text("", "c[y * 40 + x] = y == 7 && x == 9 ? sum + 2 : sum;")},
      {"not a number", opencl_text("", "c[y * 40 + x] = y == 3 ? NAN : sum;")},
      {"unwritten", opencl_text("", "if (x != 5) c[y * 40 + x] = sum;")},
      {"beyond its output", opencl_text("if (y == 0 && x == 0) c[24 * 40] = 1;")},
      {"writes its input",
       opencl_text("", "c[y * 40 + x] = sum; if (y == 23) ((__global uint*)b)[15 * 40 + x] |= 1;")},
      {"syntax error", "__kernel void kernel_( {\n"},
      {"no kernel", "__kernel void other(__global float* c) { c[0] = 1; }\n"},
      {"too few arguments",
       "__kernel void kernel_(__global const float* a, __global float* c) { c[get_global_id(0)] = a[0]; }\n"},
      {"crash", opencl_text("if (y == 0) c[(long)1 << 45] = 1;")},
      {"endless loop", opencl_text(endless)},
      {"another work-group",
       "__attribute__((reqd_work_group_size(16, 16, 1)))\n__kernel void kernel_(__global "
       "const float* a, __global const float* b, __global float* c) { c[0] = a[0]; }\n"},
      {"huge local memory",
       opencl_text("__local float room[1 << 26]; room[(x * 1000 + y) & ((1 << 26) - 1)] = a[0];"
                   " barrier(CLK_LOCAL_MEM_FENCE);",
                   "c[y * 40 + x] = sum + (room[(y * 1000 + x) & ((1 << 26) - 1)] > 1e30f);")},
  };
}

/** Doubles itself forty times: expanding it takes longer than anybody waits. */
std::string endless_macro() {
  std::string text = "#define M0 +1\n";
  for (int i = 1; i <= 40; ++i) {
    const std::string before = "M" + std::to_string(i - 1);
    text += "#define M" + std::to_string(i) + " " + before + " " + before + "\n";
  }
  return text + "__device__ int never_known = M40;\n";
}

trial::MeasureOptions patient_options() {
  trial::MeasureOptions options = quick_options();
  options.builders = 2;
  options.build_timeout_seconds = 60;
  options.run_timeout_seconds = 60;
  return options;
}

trial::MeasureOptions impatient_options() {
  trial::MeasureOptions options = patient_options();
  options.run_timeout_seconds = 1;
  return options;
}

QString text_of(const Error& error) { return QString::fromStdString(describe(error)); }

std::string missing_nvrtc() {
  const auto compiler = measure::make_cuda_compiler();
  return compiler ? std::string() : describe(compiler.error());
}

/** The stub driver for the time of a test, in this process' workers. */
class StubDriver {
 public:
  explicit StubDriver(const char* behaviour) {
    qputenv("KERNELSCAPE_LIBCUDA", KERNELSCAPE_STUB_CUDA_DRIVER);
    qputenv(measure_tests::stub_behaviour_variable, behaviour);
    qputenv(measure_tests::stub_launches_variable, folder_.filePath("launches").toUtf8());
  }
  StubDriver(const StubDriver&) = delete;
  StubDriver& operator=(const StubDriver&) = delete;
  ~StubDriver() {
    for (const char* variable : {"KERNELSCAPE_LIBCUDA", measure_tests::stub_behaviour_variable,
                                 measure_tests::stub_launches_variable}) {
      qunsetenv(variable);
    }
  }

 private:
  QTemporaryDir folder_;
};

/** A kernel of the host that the stub runs as its own. */
std::string stub_artefact(const std::string& inside = "") {
  const auto folder = base::TemporaryFolder::make();
  const auto target = measure::describe_cpu_target();
  if (!folder || !target) return {};
  measure::BuildRequest request =
      measure::self_test_request(target->compiler, codegen::own_flags(codegen::Dialect::C));
  request.text = matmul_text("", inside) + measure_tests::stub_kernel_wrapper("kernel", "kernel_", 3);
  return measure::compile_shared_object(request, *folder).artefact;
}

}  // namespace

class MeasureGpuTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    missing_opencl_ = testing::missing_opencl();
    opencl_ = std::make_shared<GpuFamily>(codegen::Dialect::OpenCl, opencl_kernels());
    if (!missing_opencl_.empty()) return;
    target_ = testing::first_opencl_target();
  }

  void openClKernelsCostOneTrialOfTheirCategory_data() {
    const auto row = testing::category_rows("name");
    using enum trial::ErrorCategory;
    row("refused", InstantiationError, "the tile does not fit");
    row("wrong answer", WrongAnswer, "[7, 9]");
    row("not a number", WrongAnswer, "nan");
    row("unwritten", WrongAnswer, "24 elements were not written");
    row("beyond its output", WrongAnswer, "beyond its output");
    row("writes its input", WrongAnswer, "input");
    row("syntax error", CompileDevice, "error");
    row("no kernel", CompileDevice, "kernel_");
    row("too few arguments", RuntimeDevice, "arguments");
    row("another work-group", RuntimeDevice, "");
    row("crash", RuntimeDevice, "");
    row("endless loop", RunTimeout, "1 s");
  }

  void openClKernelsCostOneTrialOfTheirCategory() {
    QFETCH(QString, name);
    QFETCH(int, category);
    QFETCH(QString, says);
    if (!missing_opencl_.empty()) QSKIP(missing_opencl_.c_str());
    if (!shared_measurer_) shared_measurer_ = make(impatient_options());
    const auto measured =
        measure_all(*shared_measurer_, {opencl_->named(name.toStdString()), opencl_->named("good")});
    QVERIFY2(measured, measured ? "" : qPrintable(text_of(measured.error())));
    const trial::Measurement& bad = measured->at(0);
    const QString message = QString::fromStdString(bad.message);
    QVERIFY2(static_cast<int>(bad.category) == category,
             qPrintable(QString("category %1: %2").arg(static_cast<int>(bad.category)).arg(message)));
    QVERIFY2(message.contains(says) && !message.isEmpty(), qPrintable(message));
    QVERIFY(bad.samples_seconds.empty());
    using enum trial::ErrorCategory;
    const bool built = bad.category != InstantiationError && bad.category != CompileDevice;
    QCOMPARE(bad.resources.has_value(), built);
    const trial::Measurement& good = measured->at(1);
    QVERIFY2(good.valid(), good.message.c_str());
    QCOMPARE(good.samples_seconds.size(), std::size_t{3});
    QVERIFY(good.median_seconds() > 0 && good.build_seconds > 0 && good.run_seconds > 0);
    QVERIFY(good.resources && good.resources->threads == 64);
  }

  /** Whatever the device makes of 256 MiB, the kernel is right or the trial failed at its launch or build. */
  void hugeLocalMemoryCostsAtMostOneTrial() {
    if (!missing_opencl_.empty()) QSKIP(missing_opencl_.c_str());
    const auto measurer = make(patient_options());
    const auto measured =
        measure_all(*measurer, {opencl_->named("huge local memory"), opencl_->named("good")});
    QVERIFY2(measured, measured ? "" : qPrintable(text_of(measured.error())));
    using enum trial::ErrorCategory;
    const trial::ErrorCategory category = measured->at(0).category;
    QVERIFY2(category == NoError || category == RuntimeDevice || category == CompileDevice,
             measured->at(0).message.c_str());
    QVERIFY2(measured->at(1).valid(), measured->at(1).message.c_str());
  }

  void aBatchOfBothKindsIsMeasuredWhole() {
    if (!missing_opencl_.empty()) QSKIP(missing_opencl_.c_str());
    // Pipelined too, as if the device were none of the host: the results are the same.
    for (const bool host_device : {true, false}) {
      target_.host_device = host_device;
      const auto measurer = make(patient_options());
      std::vector<space::Configuration> batch;
      for (int i = 0; i < 6; ++i) {
        batch.push_back(opencl_->named(i % 3 == 2 ? "wrong answer" : "good"));
        if (i % 3 == 1) batch.push_back(opencl_->named("syntax error"));
      }
      const auto measured = measure_all(*measurer, batch);
      QVERIFY2(measured, measured ? "" : qPrintable(text_of(measured.error())));
      for (std::size_t i = 0; i < batch.size(); ++i) {
        using enum trial::ErrorCategory;
        const std::array expected{NoError, NoError, CompileDevice, WrongAnswer};
        QVERIFY2(measured->at(i).category == expected[i % 4], measured->at(i).message.c_str());
      }
      const measure::BatchProgress progress = measurer->progress();
      QCOMPARE(progress.finished, batch.size());
      QCOMPARE(progress.built, batch.size());
      QCOMPARE(progress.building + progress.running, std::size_t{0});
      const measure::BusyTimes busy = measurer->take_busy_times();
      QVERIFY(busy.build_seconds > 0 && busy.run_seconds > 0);
    }
    target_ = testing::first_opencl_target();
  }

  void anAbortedRunIsDroppedAndTheNextBatchIsMeasured() {
    if (!missing_opencl_.empty()) QSKIP(missing_opencl_.c_str());
    for (const bool host_device : {true, false}) {
      target_.host_device = host_device;
      const auto measurer = make(patient_options());
      QVERIFY(measurer->submit(std::vector{opencl_->named("endless loop"), opencl_->named("good")}));
      QTRY_VERIFY_WITH_TIMEOUT(measurer->progress().running > 0, 60'000);
      measurer->abort();
      const auto left = measurer->collect(std::chrono::milliseconds(0));
      QVERIFY2(left, left ? "" : qPrintable(text_of(left.error())));
      // Whichever was built first runs first: the good one may have ended before the abort.
      for (const measure::Completed& completed : *left) {
        QCOMPARE(completed.position, std::size_t{1});
        QVERIFY2(completed.measurement.valid(), completed.measurement.message.c_str());
      }
      const auto measured = measure_all(*measurer, {opencl_->named("good")});
      QVERIFY2(measured, measured ? "" : qPrintable(text_of(measured.error())));
      QVERIFY2(measured->at(0).valid(), measured->at(0).message.c_str());
    }
    target_ = testing::first_opencl_target();
  }

  void slowKernelsAreCutShortAndCachesAreFlushed() {
    if (!missing_opencl_.empty()) QSKIP(missing_opencl_.c_str());
    trial::MeasureOptions options = patient_options();
    options.give_up_factor = 5;
    options.flush_caches = true;
    const auto measurer = make(options);
    measurer->set_best_seconds(1e-12);
    const auto measured = measure_all(*measurer, {opencl_->named("good")});
    QVERIFY2(measured, measured ? "" : qPrintable(text_of(measured.error())));
    QVERIFY2(measured->at(0).valid() && measured->at(0).cut_short, measured->at(0).message.c_str());
    QCOMPARE(measured->at(0).samples_seconds.size(), std::size_t{1});
  }

  void whatIsOnlyBuiltIsNeverRun() {
    if (!missing_opencl_.empty()) QSKIP(missing_opencl_.c_str());
    trial::MeasureOptions options = impatient_options();
    options.build_only = true;
    const auto measurer = make(options);
    const auto measured = measure_all(
        *measurer, {opencl_->named("endless loop"), opencl_->named("refused"), opencl_->named("syntax error"),
                    opencl_->named("wrong answer"), opencl_->named("crash")});
    QVERIFY2(measured, measured ? "" : qPrintable(text_of(measured.error())));
    using enum trial::ErrorCategory;
    const std::array expected{NoError, InstantiationError, CompileDevice, NoError, NoError};
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const trial::Measurement& one = measured->at(i);
      QVERIFY2(one.category == expected[i], one.message.c_str());
      QVERIFY(one.samples_seconds.empty());
      QCOMPARE(one.run_seconds, 0.0);
      QCOMPARE(one.resources.has_value(), one.valid());
    }
    QCOMPARE(measurer->take_busy_times().run_seconds, 0.0);
    const std::vector<space::Configuration> best{opencl_->named("good")};
    const auto confirmed = measure::measure_interleaved(*opencl_, target_, options, best, 5);
    QVERIFY(confirmed && confirmed->configurations.size() == 1);
    QVERIFY(confirmed->configurations[0].samples_seconds.empty() && !confirmed->vendor.reason.empty());
  }

  void confirmationsRunOnTheDevice() {
    if (!missing_opencl_.empty()) QSKIP(missing_opencl_.c_str());
    const std::vector<space::Configuration> best{opencl_->named("good"), opencl_->named("wrong answer")};
    const auto confirmed = measure::measure_interleaved(*opencl_, target_, patient_options(), best, 3);
    QVERIFY2(confirmed, confirmed ? "" : qPrintable(text_of(confirmed.error())));
    QCOMPARE(confirmed->configurations[0].samples_seconds.size(), std::size_t{3});
    QVERIFY(confirmed->configurations[1].category == trial::ErrorCategory::WrongAnswer);
    QVERIFY(!confirmed->interrupted);
  }

  void devicesAreProbedInAWorker() {
    const auto platforms = measure::probe_gpu_platforms();
    QVERIFY2(platforms, platforms ? "" : qPrintable(text_of(platforms.error())));
    QCOMPARE(platforms->size(), std::size_t{2});
    for (const measure::ProbedPlatform& platform : *platforms) {
      QCOMPARE(platform.devices.empty(), !platform.problem.empty());
      for (const measure::ProbedDevice& device : platform.devices) {
        const auto again = measure::describe_gpu_target(device.target.name);
        QVERIFY2(again, again ? "" : qPrintable(text_of(again.error())));
        QVERIFY(*again == device.target);
        QVERIFY(device.target.threads_per_block > 0);
      }
    }
    const auto none = measure::describe_gpu_target("opencl:99");
    QVERIFY(!none && none.error().code == ErrorCode::NotFound);
    QVERIFY2(text_of(none.error()).contains("opencl:99"), qPrintable(text_of(none.error())));
    for (const char* bad :
         {"", "gpu", "cuda", "cuda:", "cuda:-1", "cuda:0x", "opencl:99999999999", "cpu:0"}) {
      const auto refused = measure::describe_gpu_target(bad);
      QVERIFY2(!refused && refused.error().code == ErrorCode::InvalidArgument, bad);
    }
  }

  void aDriverThatBreaksTheProbeIsTold() {
    qputenv("KERNELSCAPE_WORKER", "/bin/false");
    const auto platforms = measure::probe_gpu_platforms();
    qunsetenv("KERNELSCAPE_WORKER");
    QVERIFY(!platforms.has_value());  // no worker at all is the machine's fault
    const StubDriver driver("devices=2 init=0");
    const auto two = measure::probe_gpu_platforms();
    QVERIFY(two && two->at(0).devices.size() == 2);
    QCOMPARE(two->at(0).devices[1].target.name, std::string("cuda:1"));
  }

  void probedDevicesComeBackFromJson() {
    measure::ProbedDevice device{.target = schedule::default_cuda_target(), .free_memory_bytes = 12345};
    device.target.name = "cuda:3";
    device.target.memory_bytes = 1LL << 40;
    device.target.driver_version = "13.0";
    const auto again = measure::probed_device_from_json(measure::probed_device_to_json(device));
    QVERIFY(again && *again == device);
    for (const char* bad : {"", "[]", "{}", "{\"target\": {}, \"free_memory_bytes\": 0}",
                            "{\"target\": 7, \"free_memory_bytes\": 0}"}) {
      QVERIFY2(!measure::probed_device_from_json(bad), bad);
    }
    std::string negative = measure::probed_device_to_json(device);
    negative.replace(negative.find("12345"), 5, "-2345");
    QVERIFY(!measure::probed_device_from_json(negative));
  }

  void anArchitectureWithoutDeviceIsBuiltOnly() {
    auto target = measure::describe_cuda_architecture("sm_90a");
    QVERIFY2(target, target ? "" : qPrintable(text_of(target.error())));
    const auto family = std::make_shared<GpuFamily>(
        codegen::Dialect::Cuda,
        std::vector<NamedSource>{
            {"good", cuda_text()},
            {"bad", "extern \"C\" __global__ void kernel_( {\n"},
            {"huge shared memory",
             cuda_text(
                 "__shared__ float room[70000]; room[threadIdx.x * 2000] = a[threadIdx.x]; __syncthreads();",
                 "c[y * 40 + x] = sum + room[threadIdx.y * 2000];")}});
    const auto refused = measure::make_kernel_measurer(family, *target, patient_options());
    QVERIFY(!refused && text_of(refused.error()).contains("--build-only"));
    if (const std::string missing = missing_nvrtc(); !missing.empty()) QSKIP(missing.c_str());
    trial::MeasureOptions options = patient_options();
    options.build_only = true;
    const auto measurer = measure::make_kernel_measurer(family, *target, options);
    QVERIFY2(measurer, measurer ? "" : qPrintable(text_of(measurer.error())));
    const auto measured = measure_all(
        **measurer, {family->named("good"), family->named("bad"), family->named("huge shared memory")});
    QVERIFY2(measured, measured ? "" : qPrintable(text_of(measured.error())));
    const trial::Measurement& good = measured->at(0);
    QVERIFY2(good.valid(), good.message.c_str());
    QVERIFY(good.resources && good.resources->registers > 0 && good.resources->threads == 64);
    QVERIFY(good.resources->occupancy > 0 && good.resources->occupancy <= 1);
    for (const std::size_t i : {1U, 2U}) {
      QVERIFY2(measured->at(i).category == trial::ErrorCategory::CompileDevice,
               measured->at(i).message.c_str());
      QVERIFY(!measured->at(i).message.empty() && !measured->at(i).resources);
    }
  }

  /** Nothing within a compiler can be interrupted: its worker is killed, the others and the next go on. */
  void aCompileBeyondItsTimeIsKilled() {
    const auto target = measure::describe_cuda_architecture("sm_80");
    if (const std::string missing = missing_nvrtc(); !missing.empty()) QSKIP(missing.c_str());
    const auto family = std::make_shared<GpuFamily>(
        codegen::Dialect::Cuda,
        std::vector<NamedSource>{{"good", cuda_text()}, {"endless", endless_macro() + cuda_text()}});
    trial::MeasureOptions options = patient_options();
    options.build_only = true;
    options.build_timeout_seconds = 1.5;
    const auto measurer = measure::make_kernel_measurer(family, *target, options);
    QVERIFY2(measurer, measurer ? "" : qPrintable(text_of(measurer.error())));
    const auto measured =
        measure_all(**measurer, {family->named("endless"), family->named("good"), family->named("good")});
    QVERIFY2(measured, measured ? "" : qPrintable(text_of(measured.error())));
    QVERIFY2(measured->at(0).category == trial::ErrorCategory::BuildTimeout, measured->at(0).message.c_str());
    QVERIFY(measured->at(0).build_seconds >= 1.5);
    QVERIFY2(measured->at(1).valid() && measured->at(2).valid(), measured->at(1).message.c_str());
  }

  void aStickyFaultCostsOneTrial_data() {
    const auto row = testing::category_rows("behaviour");
    using enum trial::ErrorCategory;
    row("launch=700@1", RuntimeDevice, "CUDA_ERROR_ILLEGAL_ADDRESS");
    row("launch=700@3", RuntimeDevice, "CUDA_ERROR_ILLEGAL_ADDRESS");
    row("launch=715@2", RuntimeDevice, "CUDA_ERROR_ILLEGAL_INSTRUCTION");
    row("launch=701@1", RuntimeDevice, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES");
    row("hang=1", RunTimeout, "1 s");
    row("hang=4", RunTimeout, "1 s");
  }

  void aStickyFaultCostsOneTrial() {
    QFETCH(QString, behaviour);
    QFETCH(int, category);
    QFETCH(QString, says);
    const StubDriver driver(behaviour.toUtf8().constData());
    measure::Runner runner = stub_runner();
    const auto lost = run_on_stub(runner, stub_artefact());
    QVERIFY2(lost && *lost, lost ? "" : qPrintable(text_of(lost.error())));
    QVERIFY2(static_cast<int>((*lost)->category) == category, (*lost)->message.c_str());
    QVERIFY2((*lost)->message.find(says.toStdString()) != std::string::npos, (*lost)->message.c_str());
    for (int i = 0; i < 2; ++i) {
      const auto next = run_on_stub(runner, stub_artefact());
      QVERIFY2(next && *next, next ? "" : qPrintable(text_of(next.error())));
      QVERIFY2((*next)->valid(), (*next)->message.c_str());
      QCOMPARE((*next)->samples_seconds.size(), std::size_t{3});
    }
  }

  void samplesAreTheDevicesOwnTime() {
    const StubDriver driver("microseconds=250");
    measure::Runner runner = stub_runner();
    const auto measured = run_on_stub(runner, stub_artefact());
    QVERIFY2(measured && *measured && (*measured)->valid(),
             measured ? "" : qPrintable(text_of(measured.error())));
    for (const double seconds : (*measured)->samples_seconds) QVERIFY(qAbs(seconds - 250e-6) < 1e-9);
  }

  void aKernelThatEndsTooLateCostsNoWorker() {
    const StubDriver driver("");
    measure::Runner runner = stub_runner();
    const std::string slow = stub_artefact("extern unsigned usleep(unsigned); usleep(400000);");
    QVERIFY(!slow.empty());
    const auto late = run_on_stub(runner, slow);
    QVERIFY2(late && *late, late ? "" : qPrintable(text_of(late.error())));
    QVERIFY2((*late)->category == trial::ErrorCategory::RunTimeout, (*late)->message.c_str());
    QVERIFY2((*late)->message.find("stopped after 1 s") != std::string::npos, (*late)->message.c_str());
  }

  void faultsOfTheMachineAreNoTrials_data() {
    QTest::addColumn<QString>("behaviour");
    QTest::addColumn<QString>("says");
    QTest::newRow("gone at the start") << "vanish=0" << "";
    QTest::newRow("gone in the checked run") << "vanish=1" << "GPU is gone";
    QTest::newRow("gone while timed") << "vanish=3" << "GPU is gone";
    QTest::newRow("no context") << "retain=2" << "OUT_OF_MEMORY";
    QTest::newRow("its memory is full") << "memory=3000" << "OUT_OF_MEMORY";
  }

  void faultsOfTheMachineAreNoTrials() {
    QFETCH(QString, behaviour);
    QFETCH(QString, says);
    const StubDriver driver(behaviour.toUtf8().constData());
    measure::Runner runner = stub_runner();
    const auto fault = run_on_stub(runner, stub_artefact());
    QVERIFY(!fault);
    QCOMPARE(fault.error().code, ErrorCode::Environment);
    QVERIFY2(text_of(fault.error()).contains(says), qPrintable(text_of(fault.error())));
    QVERIFY2(!fault.error().hint.empty(), qPrintable(text_of(fault.error())));
    // Once the machine is well again the same runner goes on.
    qputenv(measure_tests::stub_behaviour_variable, "");
    const auto again = run_on_stub(runner, stub_artefact());
    QVERIFY2(again && *again, again ? "" : qPrintable(text_of(again.error())));
    QVERIFY2((*again)->valid(), (*again)->message.c_str());
  }

  void threadsAndBuildersAreThoseOfTheHost() {
    schedule::TargetDescription gpu = schedule::default_cuda_target();
    gpu.cores = 100'000;
    trial::MeasureOptions options;
    QVERIFY(options.kernel_threads(schedule::host_cores(gpu)) < 100'000);
    QCOMPARE(options.kernel_threads(schedule::host_cores(gpu)), schedule::host_cores(gpu));
    options.threads = 3;
    QCOMPARE(options.kernel_threads(schedule::host_cores(gpu)), 3);
  }

 private:
  std::unique_ptr<measure::Measurer> make(const trial::MeasureOptions& options) {
    auto made = measure::make_kernel_measurer(opencl_, target_, options);
    if (!made) qFatal("%s", qPrintable(text_of(made.error())));
    return std::move(*made);
  }

  measure::Runner stub_runner() {
    schedule::TargetDescription target = schedule::default_cuda_target();
    target.name = "cuda:0";
    return {opencl_->task(), target, impatient_options()};
  }

  Result<std::optional<trial::Measurement>> run_on_stub(measure::Runner& runner, std::string artefact) {
    auto source = opencl_->source(opencl_->named("good"));
    source->dialect = codegen::Dialect::Cuda;
    return runner.run(*source, std::move(artefact), impatient_options(), 0, {});
  }

  std::string missing_opencl_;
  schedule::TargetDescription target_;
  std::shared_ptr<GpuFamily> opencl_;
  std::unique_ptr<measure::Measurer> shared_measurer_;
};

KERNELSCAPE_TEST(MeasureGpuTest, QCoreApplication)

}  // namespace kernelscape::measure_gpu_test
#include "measure_gpu_test.moc"
