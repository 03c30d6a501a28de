#include <QtTest>
#include <cmath>
#include <memory>

#include "core/measure/confirmation.h"
#include "core/measure/cpu/cpu_target.h"
#include "core/measure/vendor_kernel.h"
#include "core/task/reference.h"
#include "tests/measure/kernel_sources.h"
#include "tests/test_program.h"

namespace kernelscape::measure_vendor_test {

namespace {

/** Without VNNI oneDNN adds two int8 products in 16 bits, which saturate. */
bool adds_bytes_exactly() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx512vnni") != 0;
#else
  return true;
#endif
}

bool is_absent(const trial::VendorResult& result) {
  return result.reason.find("this build has no oneDNN") != std::string::npos;
}

/** oneDNN's kernel of a 3x3 convolution with these steps. */
Result<std::unique_ptr<measure::VendorKernel>> kernel_behind(const std::string& steps,
                                                             measure::VendorLibrary library) {
  const task::Task task = task::parse_task("conv2d 1x64x14x14 64x64x3x3 pad=1 f32 " + steps).value();
  return measure::make_vendor_kernel(task, task::make_reference_inputs(*task.op, 1), {.library = library});
}

/** Returns true if all samples are there, or fewer because other programs slowed the machine down. */
bool is_count(const measure::Confirmations& result, std::size_t samples, std::size_t count) {
  return result.dropped_rounds == 0 ? samples == count : samples > 0 && samples < count;
}

}  // namespace

class MeasureVendorTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    const auto described = measure::describe_cpu_target();
    QVERIFY(described.has_value());
    target_ = *described;
  }

  void theLibraryIsCheckedAndTimed_data() {
    QTest::addColumn<QString>("task");
    for (const char* task : {"conv2d 1x16x14x14 32x16x3x3 stride=1 pad=1 dilation=1 groups=1 f32",
                             "conv2d 2x3x13x11 8x3x5x3 stride=2x1 pad=2x0 dilation=1 groups=1 f32",
                             "conv2d 1x8x15x15 6x8x3x3 stride=2 pad=2 dilation=2 groups=1 f32",
                             "conv2d 1x12x9x9 8x3x3x3 stride=1 pad=1 dilation=1 groups=4 f32",
                             "conv2d 1x16x9x9 16x1x3x3 stride=2 pad=1 dilation=1 groups=16 f32",
                             "conv2d 1x8x9x9 16x1x3x3 stride=1 pad=1 dilation=1 groups=8 f32",
                             "conv2d 1x6x7x7 6x4x4x4 stride=2 pad=1 dilation=1 groups=1 transposed f32",
                             "conv2d 1x6x7x7 6x4x3x3 stride=2 pad=1 dilation=2 groups=1 transposed f32",
                             "conv2d 1x6x7x7 6x2x3x3 stride=1 pad=0 dilation=1 groups=3 transposed f32",
                             "conv1d 1x5x40 7x5x3 stride=1 pad=1 dilation=1 groups=1 f32",
                             "conv3d 1x4x6x7x8 5x4x3x3x3 stride=1 pad=1 dilation=1 groups=1 f32",
                             "conv2d 1x16x14x14 32x16x3x3 pad=1 f32 +bias+relu",
                             "conv2d 2x16x14x13 24x16x3x3 pad=1 f32 +bias+add+relu",
                             "conv2d 1x16x9x9 16x1x3x3 pad=1 groups=16 f32 +bias+clip(0,6)",
                             "conv2d 1x16x9x9 24x16x1x1 f32 +bias+hardswish",
                             "matmul 24x16 16x40 f32 +bias+gelu",
                             "matmul 24x16 16x40 f32",
                             "bmm 3x7x16 3x16x9 f32",
                             "gemv 24x16 16 f32",
                             "conv2d 1x16x14x14 32x16x3x3 stride=1 pad=1 dilation=1 groups=1 i8",
                             "conv2d 2x3x13x11 8x3x5x3 stride=2x1 pad=2x0 dilation=1 groups=1 i8",
                             "conv2d 1x16x15x15 32x16x3x3 stride=1 pad=2 dilation=2 groups=1 i8",
                             "conv1d 1x32x40 48x32x3 stride=1 pad=4 dilation=2 groups=1 i8",
                             "conv3d 1x16x6x7x8 32x16x3x3x3 stride=1 pad=1 dilation=1 groups=1 i8",
                             "matmul 24x16 16x40 i8",
                             "matmul 33x577 577x48 i8",
                             "gemv 24x64 64 i8"}) {
      QTest::newRow(task) << QString(task);
    }
  }

  void theLibraryIsCheckedAndTimed() {
    QFETCH(QString, task);
    const auto parsed = task::parse_task(task.toStdString());
    QVERIFY2(parsed, parsed ? "" : qPrintable(QString::fromStdString(describe(parsed.error()))));
    const auto result = measure::measure_vendor_baseline(*parsed, target_, quick_options());
    QVERIFY(result.has_value());
    if (is_absent(*result)) QSKIP("oneDNN is not part of this build");
    if (task.endsWith("i8") && !adds_bytes_exactly()) {
      QVERIFY2(result->available() || result->reason.find("wrong answer") != std::string::npos,
               result->reason.c_str());
      QSKIP("this processor has no VNNI");
    }
    QVERIFY2(result->available(), result->reason.c_str());
    QCOMPARE(result->samples_seconds.size(), std::size_t{3});
    for (const double sample : result->samples_seconds) QVERIFY(sample > 0);
    QVERIFY(result->name.starts_with("oneDNN"));
    QVERIFY(!result->implementation.empty());
    QVERIFY2(result->layouts.find(parsed->op->inputs[0].tensor) != std::string::npos,
             result->layouts.c_str());
  }

  /** oneDNN has bf16 on AVX-512 and f16 on fewer CPUs: its result is right, or it says what it lacks. */
  void halvesAreComparedWhereTheLibraryHasThem_data() {
    QTest::addColumn<QString>("task");
    for (const char* task :
         {"matmul 24x16 16x40 bf16", "bmm 3x7x16 3x16x9 bf16", "conv2d 1x16x14x14 32x16x3x3 pad=1 bf16",
          "conv2d 1x5x9x9 7x5x3x3 stride=2 bf16", "matmul 24x16 16x40 f16", "conv2d 1x16x9x9 32x16x3x3 f16"})
      QTest::newRow(task) << QString(task);
  }

  void halvesAreComparedWhereTheLibraryHasThem() {
    QFETCH(QString, task);
    const auto parsed = task::parse_task(task.toStdString());
    QVERIFY(parsed.has_value());
    const auto result = measure::measure_vendor_baseline(*parsed, target_, quick_options());
    QVERIFY(result.has_value());
    if (is_absent(*result)) QSKIP("oneDNN is not part of this build");
    if (!result->available()) {
      QVERIFY2(result->reason.contains("does not support") || result->reason.contains("reference code ("),
               result->reason.c_str());
      QSKIP("this oneDNN has no such primitive for this processor");
    }
    QVERIFY(result->name.starts_with("oneDNN") && !result->samples_seconds.empty());
  }

  /** An epilogue changes neither which algorithms are compared nor what they compute. */
  void theAlternativeIsAnotherAlgorithmBehindAnEpilogueToo_data() {
    QTest::addColumn<QString>("steps");
    for (const char* steps : {"", "+bias+relu", "+bias+add+relu", "+add+leakyrelu(-4)"})
      QTest::newRow(steps) << QString(steps);
  }

  void theAlternativeIsAnotherAlgorithmBehindAnEpilogueToo() {
    QFETCH(QString, steps);
    const auto own = kernel_behind(steps.toStdString(), measure::VendorLibrary::OfDevice);
    if (!own) QSKIP("oneDNN is not part of this build, or has no code for this processor");
    const auto other = kernel_behind(steps.toStdString(), measure::VendorLibrary::OneDnnAlternative);
    if (!other) QSKIP("this oneDNN has one algorithm, or no code for the steps behind the other");
    QVERIFY((*own)->description().algorithm != (*other)->description().algorithm);
  }

  /** Repeated calls with a residual in place multiply the output by the slope again and again. */
  void anOutputThatOverflowsInRepeatedCallsIsCheckedNonetheless() {
    const auto kernel = kernel_behind("+add+leakyrelu(-4)", measure::VendorLibrary::OfDevice);
    if (!kernel) QSKIP("oneDNN is not part of this build, or lacks a primitive");
    (*kernel)->run(200);
    for (const double value : (*kernel)->output()) QVERIFY(std::fabs(value) < 1e6);
  }

  void resultsOfTanhAreNotComparedWithWinograds() {
    for (const char* steps : {"+tanh", "+bias+sigmoid", "+hardsigmoid(0.2,0.5)+add"})
      for (const auto library :
           {measure::VendorLibrary::OfDevice, measure::VendorLibrary::OneDnnAlternative}) {
        const auto kernel = kernel_behind(steps, library);
        if (kernel)
          QVERIFY((*kernel)->description().algorithm != trial::winograd_algorithm);
        else
          QCOMPARE(kernel.error().code, ErrorCode::NotFound);
      }
  }

  void transposedOperandsAreMultipliedAsStored() {
    task::MatrixMultiplication multiplication{.batch = 1, .m = 24, .n = 40, .k = 16};
    multiplication.transpose_a = multiplication.transpose_b = true;
    const auto task = task::make_matmul_task(multiplication, {});
    QVERIFY(task.has_value());
    const auto result = measure::measure_vendor_baseline(*task, target_, quick_options());
    QVERIFY(result.has_value());
    if (is_absent(*result)) QSKIP("oneDNN is not part of this build");
    QVERIFY2(result->available(), result->reason.c_str());
  }

  void whatItCannotDoIsSaid() {
    const auto task = task::parse_task("matmul 24x16 16x40 f64");
    QVERIFY(task.has_value());
    const auto result = measure::measure_vendor_baseline(*task, target_, quick_options());
    QVERIFY(result.has_value());
    QVERIFY(!result->available());
    QVERIFY(!result->reason.empty());
  }

  /** Whichever of them this processor gets real code for. */
  void itsReferenceCodeIsNoBaseline() {
    if (!adds_bytes_exactly()) QSKIP("this processor has no VNNI");
    for (const char* text : {"bmm 3x7x16 3x16x9 i8", "conv2d 1x8x9x9 8x8x3x3 stride=2 pad=1 transposed i8",
                             "conv2d 1x6x7x7 6x4x3x3 stride=2 pad=1 dilation=2 transposed i8",
                             "conv2d 1x12x9x9 8x3x3x3 pad=1 groups=4 i8",
                             "conv2d 1x16x9x9 16x1x3x3 stride=2 pad=1 groups=16 i8"}) {
      const auto result = measure::measure_vendor_baseline(*task::parse_task(text), target_, quick_options());
      QVERIFY(result.has_value());
      if (is_absent(*result)) QSKIP("oneDNN is not part of this build");
      QVERIFY2(result->available() ? result->implementation.find("ref") == std::string::npos
                                   : result->reason.find("reference code (") != std::string::npos,
               (text + (": " + result->implementation + result->reason)).c_str());
    }
  }

  /** Its inputs alone are gigabytes, which nobody fills for an output that can't be. */
  void tensorsBeyondAllMemoryAreSaid() {
    const auto task = task::parse_task("matmul 735134400x1 1x720720 f32");
    QVERIFY(task.has_value());
    const Status fits = task::check_reference_memory(*task->op);
    QVERIFY(!fits && fits.error().code == ErrorCode::Environment && !fits.error().hint.empty());
    QVERIFY(task::check_reference_memory(*task::parse_task("matmul 24x16 16x40 f32")->op));
    const auto result = measure::measure_vendor_baseline(*task, target_, quick_options());
    QVERIFY(result.has_value());
    QVERIFY(!result->available());
    QVERIFY2(result->reason.find("not enough memory") != std::string::npos, result->reason.c_str());
  }

  void confirmationsAreInterleaved() {
    const SourceFamily family(small_matmul, {{"good", matmul_text()},
                                             {"bad", matmul_text("", "*(volatile int*)64 = 1;")},
                                             {"refused", ""},
                                             {"broken", "no C"},
                                             {"other", matmul_text("int other;")}});
    const std::vector<space::Configuration> chosen{family.named("good"), family.named("bad"),
                                                   family.named("refused"), family.named("broken"),
                                                   family.named("other")};
    const auto result = measure::measure_interleaved(family, target_, quick_options(), chosen, 4);
    QVERIFY2(result, result ? "" : qPrintable(QString::fromStdString(describe(result.error()))));
    QVERIFY(!result->interrupted);
    QCOMPARE(result->configurations.size(), std::size_t{5});
    for (const std::size_t i : {0U, 4U}) {
      QVERIFY2(result->configurations[i].valid(), result->configurations[i].message.c_str());
      QVERIFY(is_count(*result, result->configurations[i].samples_seconds.size(), 4));
    }
    QVERIFY(result->configurations[1].category == trial::ErrorCategory::RuntimeDevice);
    QVERIFY(result->configurations[2].category == trial::ErrorCategory::InstantiationError);
    QVERIFY(result->configurations[3].category == trial::ErrorCategory::CompileHost);
    if (is_absent(result->vendor)) QSKIP("oneDNN is not part of this build");
    QVERIFY2(result->vendor.available(), result->vendor.reason.c_str());
    QVERIFY(is_count(*result, result->vendor.samples_seconds.size(), 4));
    QVERIFY(result->busy.build_seconds > 0 && result->busy.run_seconds > 0);
  }

  void manyConfirmationsStayWithinAFewRounds() {
    const SourceFamily family(small_matmul, {{"good", matmul_text()}, {"other", matmul_text("int other;")}});
    const std::vector<space::Configuration> chosen{family.named("good"), family.named("other")};
    trial::MeasureOptions options = trial::adatune_measuring;  // whose evaluator takes no part
    options.threads = 2;
    for (const int samples : {1, 20, 503}) {
      const auto result = measure::measure_interleaved(family, target_, options, chosen, samples);
      QVERIFY2(result, result ? "" : qPrintable(QString::fromStdString(describe(result.error()))));
      const auto count = static_cast<std::size_t>(samples);
      for (const trial::Measurement& measurement : result->configurations)
        QVERIFY(is_count(*result, measurement.samples_seconds.size(), count));
      if (!is_absent(result->vendor))
        QVERIFY(is_count(*result, result->vendor.samples_seconds.size(), count));
    }
  }

  void confirmationsCanBeStopped() {
    const SourceFamily family(small_matmul, {{"good", matmul_text()}});
    int asked = 0;
    const auto stop = [&] { return ++asked > 6; };
    const std::vector<space::Configuration> chosen{family.named("good")};
    const auto result =
        measure::measure_interleaved(family, target_, quick_options(), chosen, 1'000'000, stop);
    QVERIFY(result.has_value());
    QVERIFY(result->interrupted);
  }

 private:
  schedule::TargetDescription target_;
};

KERNELSCAPE_TEST(MeasureVendorTest, QCoreApplication)

}  // namespace kernelscape::measure_vendor_test
#include "measure_vendor_test.moc"
