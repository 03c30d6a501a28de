// The speed probe of GPUs, on the stand-in for CUDA's driver and on an OpenCL device where there is one.
#include <QtTest>

#include "core/measure/gpu/gpu_speed_probe.h"
#include "core/measure/runner.h"
#include "core/trial/fields.h"
#include "tests/measure/gpu_test_support.h"
#include "tests/measure/kernel_sources.h"
#include "tests/measure/stub_cuda.h"
#include "tests/test_program.h"

namespace kernelscape::measure_gpu_probe_test {

namespace {

constexpr const char* kernel = "probed_kernel";
constexpr codegen::Launch launch{.grid = {3, 5, 1}, .block = {8, 8, 1}};

QString text_of(const Error& error) { return QString::fromStdString(describe(error)); }

/** The stand-ins for CUDA's driver and for NVRTC, in the workers of a test. */
class StubCuda {
 public:
  explicit StubCuda(const char* driver, const char* compiler = "wraps=1") {
    for (const char* library : {"KERNELSCAPE_LIBCUDA", "KERNELSCAPE_NVRTC"})
      qputenv(library, KERNELSCAPE_STUB_CUDA_DRIVER);
    qputenv(measure_tests::stub_behaviour_variable, QByteArray("computes=1 ") + driver);
    qputenv(measure_tests::stub_nvrtc_variable, compiler);
    qputenv(measure_tests::stub_launches_variable, launches().toUtf8());
  }
  StubCuda(const StubCuda&) = delete;
  StubCuda& operator=(const StubCuda&) = delete;
  ~StubCuda() {
    for (const char* variable :
         {"KERNELSCAPE_LIBCUDA", "KERNELSCAPE_NVRTC", measure_tests::stub_behaviour_variable,
          measure_tests::stub_nvrtc_variable, measure_tests::stub_launches_variable})
      qunsetenv(variable);
  }
  QString launches() const { return folder_.filePath("launches"); }

 private:
  QTemporaryDir folder_;
};

schedule::TargetDescription stub_target() {
  schedule::TargetDescription target = schedule::default_cuda_target();
  target.name = "cuda:0";
  target.isa = "sm_90";
  return target;
}

measure::Runner runner_on(const schedule::TargetDescription& target) {
  return {task::parse_task(small_matmul).value(), target, quick_options()};
}

/** A "cubin" of the stand-in that holds the kernel's name and computes nothing: its answer is wrong. */
std::string wrong_cubin() {
  measure::BuildRequest request;
  request.dialect = codegen::Dialect::Cuda;
  request.architecture = "sm_90";
  request.entry = kernel;
  request.text =
      std::string("extern \"C\" __global__ void ") + kernel + "(const float*, const float*, float*) {}";
  return measure::make_cuda_compiler().value()->compile(request).artefact;
}

codegen::KernelSource source_of(const SourceFamily& family, codegen::Dialect dialect) {
  codegen::KernelSource source = family.source(family.named("good")).value();
  source.dialect = dialect;
  source.entry = kernel;
  source.launch = launch;
  return source;
}

trial::ProbeSeconds before_of(const trial::Measurement& m) { return m.probe_before(); }

}  // namespace

class MeasureGpuProbeTest : public QObject {
  Q_OBJECT

 private slots:
  void theWorkIsThatOfTheDevice();
  void aReadingIsTheDevicesOwnTime();
  void trialsHaveReadings();
  void readingsFollowTheDevicesSpeed();
  void withoutACompilerTrialsGoOn();
  void aProbeThatCannotBeRunCostsNoTrial();
  void openClDevicesHaveAProbe();

 private:
  trial::Measurement run_wrong(measure::Runner& runner) {
    const SourceFamily family(small_matmul, {{"good", "a text"}});
    const auto measured =
        runner.run(source_of(family, codegen::Dialect::Cuda), wrong_cubin(), quick_options(), 0, {});
    return measured && *measured ? **measured : trial::Measurement();
  }
};

void MeasureGpuProbeTest::theWorkIsThatOfTheDevice() {
  for (const bool host : {false, true}) {
    schedule::TargetDescription target = stub_target();
    target.host_device = host;
    for (const std::int64_t cores : {1, 16, 132}) {
      for (const std::int64_t memory : {std::int64_t{0}, std::int64_t{1} << 30, std::int64_t{80} << 30}) {
        target.cores = cores;
        target.memory_bytes = memory;
        target.l2_bytes = 50 << 20;
        const measure::GpuProbeWork work = measure::make_gpu_probe_work(target);
        const std::int64_t threads = work.launch.grid[0] * work.launch.block[0];
        // The last thread's last vector is within the data.
        const std::int64_t last =
            (threads - 1) * work.thread_distance + std::int64_t{work.steps - 1} * work.step_distance;
        QCOMPARE(static_cast<std::size_t>(last + 1) * 16, work.data_bytes);
        QVERIFY(work.output_bytes >= static_cast<std::size_t>(threads) * sizeof(float));
        const bool small = memory > 0 && memory < std::int64_t{8} << 30;
        if (small) QVERIFY(work.data_bytes <= static_cast<std::size_t>(memory / 64));
        if (!small && !host) QVERIFY(work.data_bytes > 150U << 20);  // the cache does not hold them
        QVERIFY(work.source.text.contains(measure::gpu_speed_probe_entry));
      }
    }
  }
}

void MeasureGpuProbeTest::aReadingIsTheDevicesOwnTime() {
  const StubCuda cuda("probe=250");
  measure::Runner runner = runner_on(stub_target());
  for (int reading = 0; reading < 3; ++reading) {
    const auto seconds = runner.probe_speed({});
    QVERIFY2(seconds && *seconds, seconds ? "" : qPrintable(text_of(seconds.error())));
    for (const double part : {(*seconds)->compute, (*seconds)->memory}) QVERIFY(qAbs(part - 250e-6) < 1e-9);
  }
  QVERIFY2(runner.probe_problem().empty(), runner.probe_problem().c_str());
  QCOMPARE(QFileInfo(cuda.launches()).size(), 0);  // no kernel of a trial was launched
}

void MeasureGpuProbeTest::trialsHaveReadings() {
  const StubCuda cuda("probe=250");
  measure::Runner runner = runner_on(stub_target());
  for (int trial = 0; trial < 3; ++trial) {
    const trial::Measurement wrong = run_wrong(runner);
    QCOMPARE(wrong.category, trial::ErrorCategory::WrongAnswer);
    QVERIFY(qAbs(before_of(wrong).compute - 250e-6) < 1e-9);
    QVERIFY(!wrong.probe_after().known());  // a kernel that failed may have damaged the device's state
  }
}

void MeasureGpuProbeTest::readingsFollowTheDevicesSpeed() {
  // The first reading and the one that opens the probe are some dozen launches, later ones three.
  const StubCuda cuda("probe=250 slow_probe=750@60");
  measure::Runner runner = runner_on(stub_target());
  double last = 0;
  for (int reading = 0; reading < 40; ++reading) {
    const auto seconds = runner.probe_speed({});
    QVERIFY(seconds && *seconds);
    if (reading == 0) QVERIFY(qAbs((*seconds)->compute - 250e-6) < 1e-9);
    QVERIFY((*seconds)->compute >= last);
    last = (*seconds)->compute;
  }
  QVERIFY(qAbs(last - 750e-6) < 1e-9);
}

void MeasureGpuProbeTest::withoutACompilerTrialsGoOn() {
  const StubCuda cuda("", "compile=6");
  measure::Runner runner = runner_on(stub_target());
  const auto seconds = runner.probe_speed({});
  QVERIFY2(seconds && !*seconds, seconds ? "" : qPrintable(text_of(seconds.error())));
  QVERIFY(!runner.probe_problem().empty());
  qputenv(measure_tests::stub_nvrtc_variable, "wraps=1");
  const trial::Measurement wrong = run_wrong(runner);
  QCOMPARE(wrong.category, trial::ErrorCategory::WrongAnswer);
  QVERIFY(!trial::has_probes(wrong));
}

void MeasureGpuProbeTest::aProbeThatCannotBeRunCostsNoTrial() {
  for (const char* fault : {"probe_fault=701", "probe_fault=700"}) {
    const StubCuda cuda(fault);
    measure::Runner runner = runner_on(stub_target());
    const auto seconds = runner.probe_speed({});
    QVERIFY2(seconds && !*seconds, seconds ? "" : qPrintable(text_of(seconds.error())));
    QVERIFY2(QString::fromStdString(runner.probe_problem()).contains("cuLaunchKernel"),
             runner.probe_problem().c_str());
    const trial::Measurement wrong = run_wrong(runner);
    QCOMPARE(wrong.category, trial::ErrorCategory::WrongAnswer);
    QVERIFY(!trial::has_probes(wrong));
  }
}

void MeasureGpuProbeTest::openClDevicesHaveAProbe() {
  if (const std::string missing = testing::missing_opencl(); !missing.empty()) QSKIP(missing.c_str());
  const schedule::TargetDescription target = testing::first_opencl_target();
  measure::Runner runner = runner_on(target);
  for (int reading = 0; reading < 2; ++reading) {
    const auto seconds = runner.probe_speed({});
    QVERIFY2(seconds && *seconds,
             seconds ? runner.probe_problem().c_str() : qPrintable(text_of(seconds.error())));
    // From a device that is faster than any to a processor that is hardly available.
    for (const double part : {(*seconds)->compute, (*seconds)->memory}) QVERIFY(part > 1e-6 && part < 60);
  }
  codegen::KernelSource source =
      source_of(SourceFamily(small_matmul, {{"good", "a text"}}), codegen::Dialect::OpenCl);
  source.text = std::string("__kernel void ") + kernel +
                "(__global const float* a, __global const float* b, __global float* c) {\n"
                "  const int y = get_global_id(0), x = get_global_id(1);\n"
                "  float sum = 0;\n"
                "  for (int k = 0; k < 16; ++k) sum += a[y * 16 + k] * b[k * 40 + x];\n"
                "  c[y * 40 + x] = sum;\n}\n";
  const measure::BuildReply built =
      measure::make_opencl_compiler().value()->compile(testing::build_request(source, target));
  QVERIFY2(built.status == measure::BuildStatus::Built, built.message.c_str());
  const auto measured = runner.run(source, built.artefact, quick_options(), 0, {});
  QVERIFY2(measured && *measured, measured ? "" : qPrintable(text_of(measured.error())));
  QVERIFY2((*measured)->valid(), (*measured)->message.c_str());
  QVERIFY(before_of(**measured).known());
}

KERNELSCAPE_TEST(MeasureGpuProbeTest, QCoreApplication)

}  // namespace kernelscape::measure_gpu_probe_test
#include "measure_gpu_probe_test.moc"
