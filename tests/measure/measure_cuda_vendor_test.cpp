#include <QtTest>
#include <algorithm>
#include <cmath>

#include "core/base/random.h"
#include "core/measure/confirmation.h"
#include "core/measure/gpu/cuda_vendor.h"
#include "core/measure/gpu/cudnn_api.h"
#include "core/measure/vendor_kernel.h"
#include "core/measure/worker/output_check.h"
#include "core/schedule/target.h"
#include "tests/measure/stub_cuda.h"
#include "tests/test_program.h"

namespace kernelscape::measure_cuda_vendor_test {

// Against stand-ins for driver and libraries whose memory is the host's: what is passed to the real ones, in
// which order and with which strides, is what these compute from.

namespace {

constexpr const char* stub_library = KERNELSCAPE_STUB_CUDA_LIBRARIES;
constexpr std::uint64_t input_seed = 3;

QString text_of(const std::string& text) { return QString::fromStdString(text); }

/** An environment variable for the time of a test's part. */
class EnvironmentSetting {
 public:
  EnvironmentSetting(const char* name, const char* value) : name_(name), old_(qgetenv(name)) {
    qputenv(name, value);
  }
  EnvironmentSetting(const EnvironmentSetting&) = delete;
  EnvironmentSetting& operator=(const EnvironmentSetting&) = delete;
  ~EnvironmentSetting() {
    if (old_.isNull())
      qunsetenv(name_);
    else
      qputenv(name_, old_);
  }

 private:
  const char* name_;
  QByteArray old_;
};

Result<std::unique_ptr<measure::VendorKernel>> make_kernel(const task::Task& task,
                                                           const std::string& device = "cuda:0") {
  return measure::make_vendor_kernel(task, task::make_reference_inputs(*task.op, input_seed),
                                     {.device = device});
}

/** What is wrong with the library's answer on a task; empty: nothing. */
QString problem_of(const task::Task& task) {
  const auto kernel = make_kernel(task);
  if (!kernel) return text_of(describe(kernel.error()));
  const double seconds = (*kernel)->run(3);
  task::TensorOperator op = *task.op;
  op.output.type = (*kernel)->output_type();
  const auto reference = task::cached_reference(*task.op, input_seed, 1);
  const measure::OutputCheck checked = measure::check_values(op, *reference, (*kernel)->output());
  if (!checked.problem.empty()) return text_of(checked.problem);
  // The stub's clock moves by a microsecond for each MiB of output.
  const auto bytes = static_cast<double>(op.output.element_count() * task::bytes_of(op.output.type));
  const double expected = 3 * bytes / (1 << 20) * 1e-6;
  if (std::abs(seconds - expected) > 1e-3 * expected)
    return QString("%1 s instead of %2 s").arg(seconds).arg(expected);
  return {};
}

trial::VendorResult description_of(const std::string& task) {
  return (*make_kernel(*task::parse_task(task)))->description();
}

/** Through the worker, as sessions do. */
trial::VendorResult measured(const std::string& task, const std::string& target_name = "cuda:0") {
  schedule::TargetDescription target = schedule::default_cuda_target();
  target.name = target_name;
  if (target_name.starts_with("opencl")) target.kind = schedule::TargetKind::OpenCl;
  trial::MeasureOptions options;
  options.repeats = 4;
  options.min_repeat_seconds = 0;
  options.threads = 1;
  return measure::measure_vendor_baseline(*task::parse_task(task), target, options).value();
}

constexpr const char* small_convolution = "conv2d 1x4x6x5 6x4x3x3 stride=1 pad=1 dilation=1 groups=1 f32";

}  // namespace

class MeasureCudaVendorTest : public QObject {
  Q_OBJECT

 private slots:
  void init() {
    qputenv("KERNELSCAPE_LIBCUDA", KERNELSCAPE_STUB_CUDA_DRIVER);
    qputenv("KERNELSCAPE_CUBLAS", stub_library);
    qputenv("KERNELSCAPE_CUDNN", stub_library);
  }

  void multiplications_are_those_of_the_task() {
    const std::uint64_t seed = 808;
    qInfo("seed %llu", static_cast<unsigned long long>(seed));
    base::Random random(seed);
    const task::OperandTypes half{task::ScalarType::F16, task::ScalarType::F16, task::ScalarType::F32,
                                  task::ScalarType::F32};
    for (int i = 0; i < 60; ++i) {
      const auto extent = [&] { return static_cast<std::int64_t>(1 + random.below(24)); };
      task::MatrixMultiplication sizes{.batch = 1, .m = extent(), .n = extent(), .k = extent()};
      sizes.batched = random.chance(0.5);
      if (sizes.batched) sizes.batch = static_cast<std::int64_t>(1 + random.below(4));
      sizes.transpose_a = random.chance(0.5);
      sizes.transpose_b = random.chance(0.5);
      const Result<task::Task> task =
          task::make_matmul_task(sizes, random.chance(0.5) ? half : task::OperandTypes{});
      QVERIFY(task);
      const QString problem = problem_of(*task);
      QVERIFY2(problem.isEmpty(), qPrintable(text_of(task->text) + ": " + problem));
    }
  }

  void convolutions_are_those_of_the_task_data() {
    QTest::addColumn<QString>("task");
    for (const char* task : {"conv2d 2x3x13x11 8x3x5x3 stride=2x1 pad=2x0 dilation=1 groups=1",
                             "conv2d 1x8x15x15 6x8x3x3 stride=2 pad=2 dilation=2 groups=1",
                             "conv2d 1x12x9x9 8x3x3x3 stride=1 pad=1 dilation=1 groups=4",
                             "conv2d 1x16x9x9 16x1x3x3 stride=2 pad=1 dilation=1 groups=16",
                             "conv2d 1x8x9x9 16x1x3x3 stride=1 pad=1 dilation=1 groups=8",
                             "conv2d 1x6x7x7 6x4x4x4 stride=2 pad=1 dilation=1 groups=1 transposed",
                             "conv2d 2x6x7x5 6x4x3x3 stride=2x1 pad=1 dilation=2 groups=1 transposed",
                             "conv2d 1x6x7x7 6x2x3x3 stride=1 pad=0 dilation=1 groups=3 transposed",
                             "conv1d 2x5x40 7x5x3 stride=2 pad=1 dilation=3 groups=1",
                             "conv1d 1x6x20 6x4x3 stride=2 pad=1 dilation=1 groups=1 transposed",
                             "conv3d 1x4x6x7x8 5x4x3x2x3 stride=1 pad=1x0x1 dilation=1 groups=1"})
      QTest::newRow(task) << QString(task);
  }

  void convolutions_are_those_of_the_task() {
    QFETCH(QString, task);
    for (const char* type : {"f32", "f16"}) {
      for (const char* fastest : {"fast=0:1:3", "fast=1:1:3"}) {
        const EnvironmentSetting behaviour("KERNELSCAPE_STUB_CUDNN", fastest);
        const Result<task::Task> parsed = task::parse_task(task.toStdString() + " " + type);
        QVERIFY2(parsed, parsed ? "" : describe(parsed.error()).c_str());
        const QString problem = problem_of(*parsed);
        QVERIFY2(problem.isEmpty(), qPrintable(problem));
      }
    }
  }

  void the_fastest_algorithm_that_keeps_f32_is_chosen() {
    {
      const EnvironmentSetting behaviour("KERNELSCAPE_STUB_CUDNN", "fast=0:1:3");
      const trial::VendorResult result = description_of(small_convolution);
      QCOMPARE(text_of(result.name), QString("cuDNN 9.13.1"));
      QVERIFY2(result.implementation.starts_with("implicit precomputed GEMM"), result.implementation.c_str());
      QVERIFY(text_of(result.implementation).contains("without TF32"));
      QCOMPARE(text_of(result.layouts), QString("data NCHW, weight as stored, output NCHW"));
    }
    {
      const EnvironmentSetting behaviour("KERNELSCAPE_STUB_CUDNN", "fast=1:0:3");
      const trial::VendorResult result = description_of(small_convolution);
      QVERIFY2(result.implementation.starts_with("implicit GEMM"), result.implementation.c_str());
      QVERIFY2(text_of(result.layouts).contains("NHWC"), result.layouts.c_str());
    }
    {
      // Faster with the default arithmetic, which may be TF32: not for f32.
      const EnvironmentSetting behaviour("KERNELSCAPE_STUB_CUDNN", "fast=1:1:0");
      const trial::VendorResult result = description_of(small_convolution);
      QVERIFY2(text_of(result.layouts).contains("NCHW"), result.layouts.c_str());
      QVERIFY(problem_of(*task::parse_task(small_convolution)).isEmpty());
    }
  }

  void what_a_library_does_is_said() {
    const trial::VendorResult single = description_of("matmul 8x6 6x4 f32");
    QCOMPARE(text_of(single.name), QString("cuBLAS 13.4.2"));
    QCOMPARE(text_of(single.implementation), QString("cublasGemmEx, f32 without TF32"));
    QCOMPARE(text_of(single.layouts), QString("a MxK, b KxN, output MxN, row-major"));
    const trial::VendorResult batch = description_of("bmm 3x8x6 3x4x6 transpose_b f16");
    QVERIFY(batch.implementation.starts_with("cublasGemmStridedBatchedEx, f16 into f32"));
    QVERIFY(text_of(batch.layouts).contains("b NxK"));
    const trial::VendorResult half =
        description_of("conv2d 1x4x6x5 6x4x3x3 stride=1 pad=1 dilation=1 groups=1 f16");
    QVERIFY2(text_of(half.layouts).contains("rounded to f16"), half.layouts.c_str());
  }

  void the_worker_checks_and_times() {
    for (const char* task : {"matmul 24x16 16x40 f32", small_convolution}) {
      const trial::VendorResult result = measured(task);
      QVERIFY2(result.available(), result.reason.c_str());
      QCOMPARE(result.samples_seconds.size(), std::size_t{4});
      // The stand-in's clock counts nanoseconds for what costs the host microseconds.
      QVERIFY2(text_of(result.implementation).contains("of host time per call"),
               result.implementation.c_str());
      const task::Task parsed = *task::parse_task(task);
      const double expected = static_cast<double>(4 * parsed.op->output.element_count()) / (1 << 20) * 1e-6;
      for (const double sample : result.samples_seconds)
        QVERIFY(std::abs(sample - std::max(expected, 1e-9)) < 1e-2 * expected + 1e-12);
    }
  }

  void what_fails_in_use_is_the_reason() {
    {
      const EnvironmentSetting behaviour("KERNELSCAPE_STUB_CUDNN", "wrong=1");
      QVERIFY2(text_of(measured(small_convolution).reason).contains("cuDNN 9.13.1 gives a wrong answer"),
               measured(small_convolution).reason.c_str());
    }
    {
      const EnvironmentSetting behaviour("KERNELSCAPE_STUB_CUDNN", "fail=cudnnConvolutionForward");
      const QString reason = text_of(measured(small_convolution).reason);
      QVERIFY2(reason.contains("cudnnConvolutionForward gives CUDNN_STATUS_OF_THE_STUB (3000)"),
               qPrintable(reason));
    }
    {
      const EnvironmentSetting behaviour("KERNELSCAPE_STUB_CUDNN",
                                         "fail=cudnnFindConvolutionForwardAlgorithmEx");
      const QString reason = text_of(measured(small_convolution).reason);
      QVERIFY2(reason.contains("no algorithm for this convolution"), qPrintable(reason));
    }
    {
      const EnvironmentSetting behaviour("KERNELSCAPE_STUB_CUDNN", "fail=cudnnCreateTensorDescriptor");
      QVERIFY(text_of(measured(small_convolution).reason).contains("making a description"));
    }
    {
      const EnvironmentSetting memory(measure_tests::stub_behaviour_variable, "memory=1000");
      const QString reason = text_of(measured("matmul 24x16 16x40 f32").reason);
      QVERIFY2(reason.contains("out of memory"), qPrintable(reason));
    }
  }

  void what_is_missing_is_named_with_the_way_to_get_it() {
    {
      const EnvironmentSetting variable("KERNELSCAPE_CUBLAS", "/nowhere/libcublas.so");
      const QString reason = text_of(measured("matmul 8x6 6x4 f32").reason);
      QVERIFY2(reason.contains("cuBLAS") && reason.contains("/nowhere/libcublas.so"), qPrintable(reason));
      QVERIFY(reason.contains("KERNELSCAPE_CUBLAS"));
    }
    {
      const EnvironmentSetting variable("KERNELSCAPE_CUDNN", "/nowhere/libcudnn.so");
      const QString reason = text_of(measured(small_convolution).reason);
      QVERIFY2(reason.contains("cuDNN") && reason.contains("/nowhere/libcudnn.so"), qPrintable(reason));
    }
    {
      const EnvironmentSetting variable("KERNELSCAPE_CUDNN",
                                        KERNELSCAPE_STUB_CUDA_DRIVER);  // a library, not the one
      const QString reason = text_of(measured(small_convolution).reason);
      QVERIFY2(reason.contains("cuDNN 8 or 9 is needed") && reason.contains("install"), qPrintable(reason));
    }
    {
      const EnvironmentSetting variable("KERNELSCAPE_LIBCUDA", "/nowhere/libcuda.so");
      const QString reason = text_of(measured("matmul 8x6 6x4 f32").reason);
      QVERIFY2(reason.contains("driver") && reason.contains("/nowhere/libcuda.so"), qPrintable(reason));
    }
    QVERIFY(text_of(measured("matmul 8x6 6x4 f32", "cuda:5").reason).contains("cuda:5"));
  }

  void tasks_without_a_library_are_refused() {
    for (const char* task : {"matmul 8x6 6x4 i8", "matmul 8x6 6x4 bf16", "matmul 8x6 6x4 f64"})
      QVERIFY(text_of(measured(task).reason).contains("cuBLAS is compared for f32 and for f16"));
    QVERIFY(text_of(measured("conv1d 1x4x9 2x4x3 i8").reason).contains("cuDNN is compared for f32"));
    QVERIFY(text_of(measured("matmul 8x6 6x4 f32", "opencl:0").reason).contains("OpenCL has none"));
    const auto generic =
        measure::make_vendor_kernel(*task::make_generic_task({"p", "time", "s"}), {}, {.device = "cuda:0"});
    QVERIFY(!generic);
  }

  void installed_libraries_are_found_and_called() {
    for (const char* variable : {"KERNELSCAPE_CUDNN", "KERNELSCAPE_CUBLAS", "KERNELSCAPE_LIBCUDA"})
      qunsetenv(variable);
    const Result<measure::cudnn::Library> library = measure::cudnn::open_library();
    if (!library) QSKIP(describe(library.error()).c_str());
    QVERIFY(library->name.starts_with("cuDNN 8.") || library->name.starts_with("cuDNN 9."));
    // Descriptions need no device.
    const auto& functions = library->functions;
    measure::cudnn::TensorDescription tensor = nullptr;
    QCOMPARE(functions.create_tensor(&tensor), 0);
    const int extents[] = {1, 64, 56, 56};
    QCOMPARE(functions.set_tensor(tensor, measure::cudnn::Format::ChannelsLast,
                                  measure::cudnn::DataType::Half, 4, extents),
             0);
    QCOMPARE(functions.destroy_tensor(tensor), 0);
    measure::cudnn::FilterDescription filter = nullptr;
    QCOMPARE(functions.create_filter(&filter), 0);
    const int kernel[] = {64, 64, 3, 3};
    QCOMPARE(functions.set_filter(filter, measure::cudnn::DataType::Float,
                                  measure::cudnn::Format::ChannelsFirst, 4, kernel),
             0);
    QCOMPARE(functions.destroy_filter(filter), 0);
    measure::cudnn::ConvolutionDescription convolution = nullptr;
    QCOMPARE(functions.create_convolution(&convolution), 0);
    const int ones[] = {1, 1};
    QCOMPARE(functions.set_convolution(convolution, 2, ones, ones, ones, measure::cudnn::cross_correlation,
                                       measure::cudnn::DataType::Float),
             0);
    QCOMPARE(functions.set_groups(convolution, 4), 0);
    QCOMPARE(functions.set_math(convolution, measure::cudnn::Math::Fma), 0);
    QCOMPARE(functions.destroy_convolution(convolution), 0);
    QVERIFY(functions.words(3000) != nullptr && *functions.words(3000) != '\0');
  }

  void a_real_device_agrees_or_says_what_is_missing() {
    for (const char* variable : {"KERNELSCAPE_CUDNN", "KERNELSCAPE_CUBLAS", "KERNELSCAPE_LIBCUDA"})
      qunsetenv(variable);
    for (const char* task : {"matmul 64x96 96x80 f32", "matmul 64x96 96x80 f16", small_convolution}) {
      const trial::VendorResult result = measured(task);
      QVERIFY(result.available() != !result.reason.empty());
      QVERIFY2(result.available() || result.reason.find("lib") != std::string::npos ||
                   result.reason.find("GPU") != std::string::npos,
               result.reason.c_str());
    }
  }

  void versions_and_algorithms_have_names() {
    QCOMPARE(text_of(measure::cudnn::version_text(8907)), QString("8.9.7"));
    QCOMPARE(text_of(measure::cudnn::version_text(91301)), QString("9.13.1"));
    QCOMPARE(text_of(measure::cudnn::version_text(90100)), QString("9.1.0"));
    QCOMPARE(text_of(measure::cudnn::algorithm_name(false, 7)), QString("non-fused Winograd"));
    QCOMPARE(text_of(measure::cudnn::algorithm_name(true, 5)), QString("non-fused Winograd"));
    QCOMPARE(text_of(measure::cudnn::algorithm_name(true, 6)), QString("algorithm 6"));
    QCOMPARE(text_of(measure::cudnn::algorithm_name(false, -1)), QString("algorithm -1"));
  }

  void channels_last_moves_the_channels_behind_the_pixels() {
    const std::vector<std::int64_t> shape{2, 3, 4, 5};
    const std::vector<std::int64_t> offsets = measure::channels_last_offsets(shape);
    std::size_t i = 0;
    for (std::int64_t n = 0; n < 2; ++n)
      for (std::int64_t c = 0; c < 3; ++c)
        for (std::int64_t y = 0; y < 4; ++y)
          for (std::int64_t x = 0; x < 5; ++x) QCOMPARE(offsets[i++], ((n * 4 + y) * 5 + x) * 3 + c);
    QCOMPARE(offsets.size(), i);
  }
};

KERNELSCAPE_TEST(MeasureCudaVendorTest, QCoreApplication)

}  // namespace kernelscape::measure_cuda_vendor_test
#include "measure_cuda_vendor_test.moc"
