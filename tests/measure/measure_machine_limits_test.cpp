#include <QTemporaryDir>
#include <QTest>
#include <cmath>
#include <numeric>
#include <set>

#include "core/measure/cpu/cpu_target.h"
#include "core/measure/cpu/machine_limits.h"
#include "core/measure/gpu/gpu_limits.h"
#include "core/measure/worker/timing_mark.h"
#include "core/task/catalogue.h"
#include "tests/loop_nest/random_seed.h"
#include "tests/measure/gpu_test_support.h"
#include "tests/test_program.h"

namespace kernelscape::measure_machine_limits_test {
namespace {

using namespace kernelscape::testing;

QString text_of(const std::string& text) { return QString::fromStdString(text); }

/** A limit's kernel on a device, with random input: what it wrote, and what it read. */
struct LimitTrial {
  std::vector<float> input;
  std::vector<float> output;
};

LimitTrial launch(measure::GpuDevice& device, const std::string& artefact,
                  const measure::LimitKernel& kernel) {
  LimitTrial trial;
  device.load(artefact, kernel.entry).value();
  std::vector<measure::GpuDevice::Memory> arguments;
  DeviceBuffer input(device, std::max<std::size_t>(kernel.input_bytes, sizeof(float)));
  DeviceBuffer output(device, kernel.output_bytes);
  if (kernel.input_bytes > 0) {
    base::Random random(5);
    trial.input = random_floats(random, kernel.input_bytes / sizeof(float));
    input.write(trial.input);
    arguments.push_back(input.memory());
  }
  arguments.push_back(output.memory());
  device.run(kernel.launch, arguments, 1).value();
  trial.output = output.read<float>(kernel.output_bytes / sizeof(float));
  return trial;
}

}  // namespace

class MeasureMachineLimitsTest : public QObject {
  Q_OBJECT

 private slots:
  void limits_are_measured() {
    const Result<schedule::TargetDescription> target =
        measure::describe_cpu_target(measure::CompilerNeed::Optional);
    QVERIFY(target);
    const trial::MachineLimits limits = measure::measure_machine_limits(*target, 1, 1e6);
    QVERIFY(limits.peak_gflops > 0);
    QVERIFY(limits.bandwidth_bytes_per_second > 0);
    QCOMPARE(limits.working_set_bytes, 1e6);
    QCOMPARE(limits.byte_peak_gflops, 0.0);  // not asked for
    QVERIFY(measure::measure_machine_limits(*target, 1, 1e6, trial::PeakKind::ByteProducts).byte_peak_gflops >
            0);
  }

  /** Each instruction set's own instructions run, whichever this processor has. */
  void peaks_of_bytes_are_measured_of_every_instruction_set() {
    Result<schedule::TargetDescription> target =
        measure::describe_cpu_target(measure::CompilerNeed::Optional);
    QVERIFY(target);
    for (const char* isa : {"avx512", "avx2", "sse2", "neon"}) {
      target->isa = isa;
      QVERIFY2(measure::measure_byte_peak(*target, 1) > 0, isa);
    }
  }

  void the_smaller_limit_is_named() {
    const Result<task::Task> task = task::parse_task("matmul 64x64 64x64 f32");
    QVERIFY(task);
    QCOMPARE(task::task_bytes(*task), 3 * 64 * 64 * 4.0);
    // 2 * 64^3 operations on 48 KiB: 10.67 per byte.
    const measure::SpeedLimit memory = measure::speed_limit({1000, 3e9, 1e6}, *task);
    QCOMPARE(memory.name, std::string("memory bandwidth"));
    QCOMPARE(memory.gflops, 32.0);
    const measure::SpeedLimit peak = measure::speed_limit({20, 3e9, 1e6}, *task);
    QCOMPARE(peak.name, std::string("FMA peak"));
    QCOMPARE(peak.gflops, 20.0);
    // 2 * 64^3 operations on 24 KiB of bytes and i32: 21.3 per byte.
    const Result<task::Task> bytes = task::parse_task("matmul 64x64 64x64 i8");
    QVERIFY(bytes);
    QCOMPARE(task::task_bytes(*bytes), 64 * 64 * 6.0);
    const trial::MachineLimits limits{20, 3e9, 1e6, 50};
    QCOMPARE(measure::speed_limit(limits, *bytes).name, std::string("8-bit peak"));
    QCOMPARE(measure::speed_limit(limits, *bytes).gflops, 50.0);
    QCOMPARE(measure::speed_limit(limits, *task).gflops, 20.0);
    QCOMPARE(measure::speed_limit({20, 3e9, 1e6, 500}, *bytes).name, std::string("memory bandwidth"));
    QCOMPARE(measure::speed_limit({20, 3e9, 1e6, 500}, *bytes).gflops, 64.0);
  }

  /** Padding and gaps are zeros that a kernel leaves out, and FLOPs count: counted here one by one. */
  void what_meets_nothing_limits_nothing() {
    QCOMPARE(measure::needed_share(*task::parse_task("matmul 4x5 5x6")->op), 1.0);
    QCOMPARE(measure::needed_share(*task::parse_task("conv2d 1x4x9x9 4x4x3x3")->op), 1.0);
    // Rows: 9 outputs of 3 taps, of which the first and the last meet padding; the same of columns.
    QCOMPARE(measure::needed_share(*task::parse_task("conv2d 1x4x9x9 4x4x3x3 pad=1")->op),
             25.0 * 25 / (27 * 27));
    // Eleven outputs, of which a tap of stride 2 meets every other.
    const task::Task transposed = *task::parse_task("conv1d 1x2x5 2x2x3 stride=2 transposed");
    int meeting = 0;
    int all = 0;
    for (int output = 0; output < 11; ++output)
      for (int tap = 0; tap < 3; ++tap, ++all)
        if ((output - tap) % 2 == 0 && output - tap >= 0 && (output - tap) / 2 < 5) ++meeting;
    QCOMPARE(measure::needed_share(*transposed.op), static_cast<double>(meeting) / all);
    const trial::MachineLimits limits{100, 0, 1e6};
    QCOMPARE(measure::speed_limit(limits, transposed).gflops, 100.0 * all / meeting);
  }

  void peaks_are_of_what_tasks_compute_with() {
    QCOMPARE(measure::peak_kind(*task::parse_task("gemv 64x64 64 f32")),
             std::optional(trial::PeakKind::MultiplyAdds));
    QCOMPARE(measure::peak_kind(*task::parse_task("gemv 64x64 64 i8")),
             std::optional(trial::PeakKind::ByteProducts));
    for (const char* type : {"f16", "bf16", "f64"})
      QVERIFY(!measure::peak_kind(*task::parse_task(std::string("gemv 64x64 64 ") + type)));
    QVERIFY(!measure::peak_kind(*task::make_generic_task({"p", "time", "s"})));
  }

  void nothing_is_claimed_where_nothing_is_known() {
    QCOMPARE(measure::speed_limit({}, *task::parse_task("matmul 64x64 64x64 f32")).gflops, 0.0);
    QCOMPARE(measure::speed_limit({1000, 1e9, 1e6}, *task::parse_task("matmul 64x64 64x64 i8")).gflops, 0.0);
    QCOMPARE(measure::speed_limit({1000, 1e9, 1e6}, *task::make_generic_task({"p", "time", "s"})).gflops,
             0.0);
  }

  /** Else a core would read the same few lines again and again, or keep them in registers. */
  void no_pass_reads_what_a_recent_pass_read() {
    base::Random random(testing::random_seed());
    for (int round = 0; round < 300; ++round) {
      const std::int64_t block = std::int64_t{16} << random.below(5);
      const std::int64_t blocks = 1 + static_cast<std::int64_t>(random.below(3000));
      const std::int64_t vectors = blocks * block;
      const std::int64_t shift = measure::pass_shift(vectors, block);
      QCOMPARE(shift % block, 0);
      std::set<std::int64_t> starts;
      std::int64_t start = 0;
      for (std::int64_t pass = 0; pass < blocks; ++pass, start = (start + shift) % vectors)
        starts.insert(start);
      QCOMPARE(std::ssize(starts), blocks);
    }
  }

  void kernels_for_limits_do_the_work_they_are_credited_with() {
    if (const std::string missing = missing_opencl(); !missing.empty()) QSKIP(missing.c_str());
    schedule::TargetDescription target = first_opencl_target();
    for (const bool host_device : {true, false}) {
      target.host_device = host_device;  // both shapes have to be right on any device
      target.cores = 2;
      const measure::LimitKernels kernels = measure::make_limit_kernels(target, 400e3);
      const measure::BuildReply built =
          measure::make_opencl_compiler().value()->compile(build_request(kernels.source, target));
      QVERIFY2(built.status == measure::BuildStatus::Built, built.message.c_str());
      const auto device = measure::open_gpu_device(target.name).value();

      const LimitTrial read = launch(*device, built.artefact, kernels.read);
      const double once = std::accumulate(read.input.begin(), read.input.end(), 0.0);
      const double all = std::accumulate(read.output.begin(), read.output.end(), 0.0);
      const double passes = kernels.read.work / static_cast<double>(kernels.read.input_bytes);
      QVERIFY(passes > 1 && passes == std::floor(passes));
      QVERIFY2(std::abs(all / passes - once) < 1e-2 * std::sqrt(static_cast<double>(read.input.size())),
               qPrintable(QString("%1 instead of %2").arg(all / passes).arg(once)));

      const LimitTrial computed = launch(*device, built.artefact, kernels.multiply_add);
      const auto lanes =
          static_cast<double>(computed.output.size()) /
          static_cast<double>(kernels.multiply_add.launch.grid[0] * kernels.multiply_add.launch.block[0]);
      const double rounds = kernels.multiply_add.work / 2 / static_cast<double>(computed.output.size()) / 8;
      for (std::size_t i = 0; i < computed.output.size(); ++i) {
        // x -> 0.999 x + 0.001 leaves 1 + (x - 1) 0.999^rounds.
        const double thread = std::floor(static_cast<double>(i) / lanes);
        double expected = 0;
        for (int chain = 0; chain < 8; ++chain)
          expected += 1 + (thread + chain - 1) * std::pow(0.999, rounds);
        QVERIFY2(std::abs(static_cast<double>(computed.output[i]) - expected) < 1e-3 * (1 + expected),
                 qPrintable(QString("%1: %2 instead of %3").arg(i).arg(computed.output[i]).arg(expected)));
      }
    }
  }

  void kernels_for_limits_are_cuda_too() {
    const auto compiler = measure::make_cuda_compiler();
    if (!compiler) QSKIP(describe(compiler.error()).c_str());
    for (const char* architecture : {"sm_75", "sm_80", "sm_90a"}) {
      const Result<schedule::TargetDescription> target = measure::describe_cuda_architecture(architecture);
      QVERIFY(target);
      const measure::LimitKernels kernels = measure::make_limit_kernels(*target, 20e6);
      for (const measure::LimitKernel& kernel : {kernels.multiply_add, kernels.read}) {
        measure::BuildRequest request = build_request(kernels.source, *target);
        request.entry = kernel.entry;
        const measure::BuildReply built = (*compiler)->compile(request);
        QVERIFY2(built.status == measure::BuildStatus::Built, built.message.c_str());
        QVERIFY(built.resources.registers > 8);  // the chains are in registers
        QCOMPARE(built.resources.spilled_bytes, 0);
        QVERIFY(kernel.launch.threads() <= target->threads_per_block);
      }
    }
  }

  void limits_of_a_gpu_are_measured_in_a_worker() {
    if (const std::string missing = missing_opencl(); !missing.empty()) QSKIP(missing.c_str());
    const schedule::TargetDescription target = first_opencl_target();
    const trial::MachineLimits limits = measure::measure_machine_limits(target, 1, 1e6);
    // Wrong by a thousand at least, if it is not in here.
    QVERIFY2(limits.peak_gflops > 0.1 && limits.peak_gflops < 1e6,
             qPrintable(QString::number(limits.peak_gflops)));
    QVERIFY2(limits.bandwidth_bytes_per_second > 1e8 && limits.bandwidth_bytes_per_second < 1e14,
             qPrintable(QString::number(limits.bandwidth_bytes_per_second)));
    QVERIFY(std::abs(limits.working_set_bytes - 1e6) < 0.1e6);
    QVERIFY(measure::speed_limit(limits, *task::parse_task("matmul 64x64 64x64 f32")).gflops > 0);
  }

  void limits_without_a_device_are_not_known() {
    schedule::TargetDescription target = schedule::default_cuda_target();
    target.architecture_only = true;
    QCOMPARE(measure::measure_machine_limits(target, 1, 1e6), trial::MachineLimits{});
    const auto problem_of = [](const schedule::TargetDescription& of) {
      return text_of(
          measure::measure_gpu_limits({.target_json = schedule::target_to_json(of), .working_set_bytes = 1e6})
              .problem);
    };
    QVERIFY(problem_of(target).contains("not a GPU"));
    target = schedule::default_cuda_target();
    target.kind = schedule::TargetKind::OpenCl;
    target.name = "opencl:777";
    QVERIFY(!problem_of(target).isEmpty());
    QCOMPARE(measure::measure_machine_limits(target, 1, 1e6), trial::MachineLimits{});
    QVERIFY(!measure::measure_gpu_limits({.target_json = "{", .working_set_bytes = 1e6}).problem.empty());
  }

  void working_sets_stay_within_the_device() {
    schedule::TargetDescription target = schedule::default_cuda_target();
    target.cores = 132;
    target.memory_bytes = 100'000'000;
    for (const double wanted : {0.0, 1.0, 1e5, 3e7, 1e12}) {
      const measure::LimitKernels kernels = measure::make_limit_kernels(target, wanted);
      QVERIFY(kernels.read.input_bytes > 0);
      QVERIFY(static_cast<double>(kernels.read.input_bytes) <= 0.3 * 100e6);
      QVERIFY(kernels.read.work >= static_cast<double>(kernels.read.input_bytes));
    }
  }

  void the_mark_of_a_timing_is_seen_by_others() {
    QTemporaryDir folder;
    const std::string path = folder.path().toStdString();
    measure::TimingMark first(path);
    measure::TimingMark second(path);
    const measure::TimingWatch watch(path);
    QVERIFY(!watch.timing_now());
    {
      const measure::TimingMark::Scope timing(first);
      QVERIFY(watch.timing_now());
      const measure::TimingMark::Scope at_once(second);
      QVERIFY(watch.timing_now());
    }
    QVERIFY(!watch.timing_now());
  }

  void a_mark_without_a_file_says_nothing_and_fails_nowhere() {
    measure::TimingMark mark("/nowhere");
    const measure::TimingMark::Scope timing(mark);
    QVERIFY(!measure::TimingWatch("/nowhere").timing_now());
  }
};

KERNELSCAPE_TEST(MeasureMachineLimitsTest, QCoreApplication)

}  // namespace kernelscape::measure_machine_limits_test
#include "measure_machine_limits_test.moc"
