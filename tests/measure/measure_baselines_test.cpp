#include <QFile>
#include <QTemporaryDir>
#include <QtTest>
#include <algorithm>
#include <cmath>
#include <memory>

#include "core/base/quantile.h"
#include "core/base/random.h"
#include "core/measure/confirmation.h"
#include "core/measure/cpu/blas_library.h"
#include "core/measure/cpu/cpu_target.h"
#include "core/measure/vendor_kernel.h"
#include "core/measure/vendor_runner.h"
#include "core/measure/worker/output_check.h"
#include "core/task/reference.h"
#include "tests/measure/kernel_sources.h"
#include "tests/test_program.h"

namespace kernelscape::measure_baselines_test {

// The choice among several libraries, with a stand-in for OpenBLAS, BLIS and libxsmm (stub_blas.cpp).

namespace {

constexpr std::uint64_t input_seed = 5;
/** A naive product takes some 20 ms, and a library's at most a few; the stand-in's fast one takes no time. */
constexpr const char* chosen_matmul = "matmul 256x256 256x256 f32";

QString text_of(const std::string& text) { return QString::fromStdString(text); }

/** What is wrong with a library's answer on a task, called in this process; empty: nothing. */
QString problem_of(const task::Task& task, measure::VendorLibrary library) {
  const task::ReferenceInputs inputs = task::make_reference_inputs(*task.op, input_seed);
  const auto kernel = measure::make_vendor_kernel(task, inputs, {.library = library, .threads = 2});
  if (!kernel) return text_of(describe(kernel.error()));
  (*kernel)->run(2);
  const auto reference = task::cached_reference(*task.op, input_seed, 1);
  return text_of(measure::check_values(*task.op, *reference, (*kernel)->output()).problem);
}

const trial::VendorCandidate* candidate_of(const trial::VendorResult& result, const std::string& name) {
  const auto found = std::ranges::find_if(result.candidates, [&](const trial::VendorCandidate& candidate) {
    return candidate.name.starts_with(name);
  });
  return found == result.candidates.end() ? nullptr : &*found;
}

bool is_without_onednn(const trial::VendorResult& result) {
  const trial::VendorCandidate* own = candidate_of(result, "the device's library");
  return result.reason.contains("this build has no oneDNN") ||
         (own != nullptr && own->reason.contains("this build has no oneDNN"));
}

}  // namespace

class MeasureBaselinesTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    const auto described = measure::describe_cpu_target();
    QVERIFY(described.has_value());
    target_ = *described;
  }

  void init() {
    for (const char* variable : {"KERNELSCAPE_OPENBLAS", "KERNELSCAPE_BLIS", "KERNELSCAPE_LIBXSMM"})
      qputenv(variable, KERNELSCAPE_STUB_BLAS_LIBRARY);
    qputenv("KERNELSCAPE_BASELINES", "OpenBLAS,BLIS");
    qunsetenv("KERNELSCAPE_STUB_BLAS");
  }

  void cleanupTestCase() {
    for (const char* variable :
         {"KERNELSCAPE_OPENBLAS", "KERNELSCAPE_BLIS", "KERNELSCAPE_LIBXSMM", "KERNELSCAPE_STUB_BLAS"})
      qunsetenv(variable);
    qputenv("KERNELSCAPE_BASELINES", "");
  }

  void multiplications_are_those_of_the_task() {
    const std::uint64_t seed = 909;
    qInfo("seed %llu", static_cast<unsigned long long>(seed));
    base::Random random(seed);
    for (std::size_t i = 0; i < 90; ++i) {
      const auto extent = [&] {
        return random.chance(0.2) ? std::int64_t{1} : static_cast<std::int64_t>(1 + random.below(24));
      };
      task::MatrixMultiplication sizes{.batch = 1, .m = extent(), .n = extent(), .k = extent()};
      sizes.batched = random.chance(0.5);
      if (sizes.batched) sizes.batch = static_cast<std::int64_t>(1 + random.below(4));
      sizes.transpose_a = random.chance(0.5);
      sizes.transpose_b = random.chance(0.5);
      const Result<task::Task> task = task::make_matmul_task(sizes, {});
      QVERIFY(task);
      using enum measure::VendorLibrary;
      const QString problem = problem_of(*task, std::vector{OpenBlas, Blis, Libxsmm}[i % 3]);
      QVERIFY2(problem.isEmpty(), qPrintable(text_of(task->text) + ": " + problem));
    }
  }

  void libraries_are_named_with_their_versions() {
    using enum measure::VendorLibrary;
    const auto openblas = measure::open_blas_library(OpenBlas, 3);
    QVERIFY(openblas);
    QCOMPARE(openblas->name, std::string("OpenBLAS 0.3.21"));
    QCOMPARE(openblas->description, std::string("stub with 3 threads"));
    const auto blis = measure::open_blas_library(Blis, 2);
    QVERIFY(blis);
    QCOMPARE(blis->name, std::string("BLIS 0.9.0"));
    QCOMPARE(blis->description, std::string("stub with 2 threads"));
    const auto libxsmm = measure::open_blas_library(Libxsmm, 2);
    QVERIFY(libxsmm);
    QVERIFY(libxsmm->name.starts_with("libxsmm"));
    QCOMPARE(libxsmm->entry, std::string("libxsmm_xgemm_omp"));
    QVERIFY(libxsmm->functions.multiply_vector == nullptr);
  }

  void only_multiplications_and_small_convolutions_of_f32_have_others() {
    using enum measure::VendorLibrary;
    using Libraries = std::vector<measure::VendorLibrary>;
    const auto others = [](const char* text, const char* device = "cpu") {
      return measure::other_vendor_libraries(*task::parse_task(text), device);
    };
    qunsetenv("KERNELSCAPE_BASELINES");
    QVERIFY((others("matmul 24x16 16x40 f32") == Libraries{OpenBlas, Blis, Libxsmm}));
    QVERIFY(others("matmul 24x16 16x40 f32", "cuda:0").empty());
    QVERIFY(others("matmul 24x16 16x40 i8").empty());
    QVERIFY((others("conv2d 1x8x9x9 8x8x3x3 stride=1 pad=1 f32") == Libraries{OneDnnAlternative}));
    for (const char* text :
         {"conv2d 1x8x9x9 8x8x3x3 stride=2 pad=1 f32", "conv2d 1x8x9x9 8x8x1x1 stride=1 pad=0 f32",
          "conv2d 1x8x9x9 8x8x3x3 stride=1 pad=2 dilation=2 f32",
          "conv2d 1x8x9x9 8x4x3x3 stride=1 pad=1 groups=2 f32",
          "conv2d 1x8x9x9 8x8x3x3 stride=1 pad=1 transposed f32"})
      QVERIFY2(others(text).empty(), text);
    qputenv("KERNELSCAPE_BASELINES", "libxsmm, blis,MKL");
    QVERIFY((others("matmul 24x16 16x40 f32") == Libraries{Blis, Libxsmm}));
    QCOMPARE(measure::vendor_library_notices().size(), std::size_t{1});
    QVERIFY(measure::vendor_library_notices().front().contains("names MKL, which is not known"));
    qputenv("KERNELSCAPE_BASELINES", "");
    QVERIFY(others("matmul 24x16 16x40 f32").empty() && measure::vendor_library_notices().empty());
  }

  void the_lowest_median_is_preferred() {
    const std::uint64_t seed = 910;
    qInfo("seed %llu", static_cast<unsigned long long>(seed));
    base::Random random(seed);
    for (int i = 0; i < 200; ++i) {
      std::vector<trial::VendorCandidate> candidates(1 + random.below(6));
      for (trial::VendorCandidate& candidate : candidates) {
        if (random.chance(0.3)) candidate.reason = "it has none";
        const std::size_t samples = random.below(5);
        for (std::size_t s = 0; s < samples; ++s)
          candidate.samples_seconds.push_back(1e-6 * static_cast<double>(1 + random.below(50)));
      }
      const auto best = std::ranges::min_element(candidates, measure::is_preferred);
      for (const trial::VendorCandidate& candidate : candidates) {
        if (!candidate.available()) continue;
        QVERIFY(best->available());
        QVERIFY(base::quantile(best->samples_seconds, 0.5) <= base::quantile(candidate.samples_seconds, 0.5));
      }
    }
  }

  void the_fastest_is_the_baseline() {
    qputenv("KERNELSCAPE_STUB_BLAS", "fast=blis");
    const trial::VendorResult result = measured(chosen_matmul);
    QVERIFY2(result.available(), result.reason.c_str());
    QCOMPARE(result.name, std::string("BLIS 0.9.0"));
    QCOMPARE(result.implementation, std::string("sgemm for stub with 2 threads"));
    QCOMPARE(result.samples_seconds.size(), std::size_t{3});
    QVERIFY(result.candidates.size() == 3);
    QCOMPARE(result.candidates[0].name, result.name);
    QCOMPARE(result.candidates[0].samples_seconds.size(), std::size_t{4});  // once, and three rounds
    QVERIFY(candidate_of(result, "OpenBLAS 0.3.21") != nullptr);
    QVERIFY(candidate_of(result, "OpenBLAS")->available());
    if (!is_without_onednn(result)) QVERIFY(candidate_of(result, "oneDNN")->available());
    QVERIFY(std::ranges::is_sorted(result.candidates, measure::is_preferred));
  }

  void a_confirmation_stays_with_its_choice() {
    qputenv("KERNELSCAPE_STUB_BLAS", "fast=openblas");
    const SourceFamily family(small_matmul, {{"good", matmul_text()}});
    const std::vector<space::Configuration> chosen{family.named("good")};
    const auto result = measure::measure_interleaved(family, target_, quick_options(), chosen, 4);
    QVERIFY2(result, result ? "" : qPrintable(text_of(describe(result.error()))));
    QVERIFY2(result->vendor.available(), result->vendor.reason.c_str());
    QCOMPARE(result->vendor.name, std::string("OpenBLAS 0.3.21"));
    QCOMPARE(result->vendor.candidates.front().name, result->vendor.name);
    QCOMPARE(result->vendor.samples_seconds.size() + static_cast<std::size_t>(result->dropped_rounds),
             std::size_t{4});
  }

  void a_broken_library_leaves_the_others_data() {
    QTest::addColumn<QString>("behaviour");
    QTest::addColumn<QString>("file");
    QTest::addColumn<QString>("reason");
    const QString stub = KERNELSCAPE_STUB_BLAS_LIBRARY;
    QTest::newRow("a wrong answer") << "wrong=openblas" << stub << "wrong answer";
    QTest::newRow("a crash") << "crash=openblas" << stub << "process was lost";
    QTest::newRow("another library") << "" << KERNELSCAPE_STUB_CUDA_DRIVER << "has no function sgemm";
    QTest::newRow("no library") << "" << "/nonexistent/libopenblas.so" << "can't be opened";
  }

  void a_broken_library_leaves_the_others() {
    QFETCH(QString, behaviour);
    QFETCH(QString, file);
    QFETCH(QString, reason);
    qputenv("KERNELSCAPE_STUB_BLAS", behaviour.toUtf8());
    qputenv("KERNELSCAPE_OPENBLAS", file.toUtf8());
    qputenv("KERNELSCAPE_BASELINES", "OpenBLAS");
    const trial::VendorResult result = measured(small_matmul);
    if (is_without_onednn(result)) QSKIP("oneDNN is not part of this build");
    QVERIFY2(result.available(), result.reason.c_str());
    QVERIFY(result.name.starts_with("oneDNN"));
    QCOMPARE(result.candidates.size(), std::size_t{2});
    const trial::VendorCandidate* broken = candidate_of(result, "OpenBLAS");
    QVERIFY(broken != nullptr);
    QVERIFY2(broken->reason.contains(reason.toStdString()), broken->reason.c_str());
  }

  /** The chosen library fails before its first timing: the next one takes its place, and keeps it. */
  void a_chosen_library_that_fails_leaves_its_place() {
    const QTemporaryDir folder;
    QFile crash(folder.filePath("crash"));
    qputenv("KERNELSCAPE_STUB_BLAS", ("fast=blis breaks=blis crash_if=" + crash.fileName()).toUtf8());
    const measure::Interruption never{.descriptor = -1, .requested = {}};
    measure::VendorRunner runner(*task::parse_task(chosen_matmul), target_, quick_options());
    QVERIFY(runner.choose(quick_options(), never));
    QVERIFY(crash.open(QIODevice::WriteOnly));
    const auto result = runner.run(quick_options(), never);
    QVERIFY2(result, result ? "" : qPrintable(text_of(describe(result.error()))));
    QVERIFY2(result->available(), result->reason.c_str());
    QVERIFY(result->name != "BLIS 0.9.0");
    QCOMPARE(result->candidates.size(), std::size_t{3});
    QCOMPARE(result->candidates.front().name, result->name);
    const trial::VendorCandidate* failed = candidate_of(*result, "BLIS");
    QVERIFY(failed != nullptr);
    QVERIFY2(failed->reason.contains("process was lost"), failed->reason.c_str());
    QVERIFY(crash.remove());
    runner.release();
    QCOMPARE(runner.run(quick_options(), never)->name, result->name);
  }

  void without_others_there_is_no_choice() {
    qputenv("KERNELSCAPE_BASELINES", "");
    const trial::VendorResult result = measured(small_matmul);
    QVERIFY(result.candidates.empty());
    QVERIFY(result.name.empty() || result.name.starts_with("oneDNN"));
    qunsetenv("KERNELSCAPE_BLIS");
    const auto installed = measure::open_blas_library(measure::VendorLibrary::Blis, 1);
    if (installed) QSKIP("this machine has BLIS");
    QVERIFY(installed.error().code == ErrorCode::NotFound);
    qputenv("KERNELSCAPE_BASELINES", "BLIS");
    QVERIFY(measured(small_matmul).candidates.empty());
  }

  /** Where the library has Winograd's algorithm, its results are within the tolerance. */
  void the_algorithm_that_is_not_chosen_is_timed_too() {
    qputenv("KERNELSCAPE_BASELINES", "Winograd");
    bool has_other = false;
    for (const char* text :
         {"conv2d 1x64x14x14 64x64x3x3 stride=1 pad=1 f32", "conv2d 2x32x17x23 48x32x3x3 stride=1 pad=1 f32",
          "conv2d 1x128x8x8 128x128x3x3 stride=1 pad=0 f32"}) {
      const trial::VendorResult result = measured(text);
      if (is_without_onednn(result)) QSKIP("oneDNN is not part of this build");
      QVERIFY2(result.available(), result.reason.c_str());
      if (result.candidates.empty()) continue;  // this version has no other algorithm here
      has_other = true;
      QCOMPARE(result.candidates.size(), std::size_t{2});
      QVERIFY(result.candidates[0].algorithm != result.candidates[1].algorithm);
      QCOMPARE(result.algorithm, result.candidates[0].algorithm);
      for (const trial::VendorCandidate& candidate : result.candidates)
        QVERIFY2(candidate.available(), candidate.reason.c_str());
    }
    if (!has_other) QSKIP("this version of oneDNN has one algorithm for these convolutions");
  }

  void the_tolerance_for_winograd_finds_wrong_elements() {
    const auto task = task::parse_task("conv2d 1x16x10x10 8x16x3x3 stride=1 pad=1 f32");
    QVERIFY(task);
    const auto reference = task::cached_reference(*task->op, input_seed, 1);
    QVERIFY(reference->positions.empty());
    const task::Tolerance direct = task::tolerance_of(*task->op);
    const task::Tolerance winograd = measure::library_winograd_tolerance(*task->op, *reference);
    for (const double magnitude : reference->magnitudes)
      QVERIFY(winograd.absolute >= 32 * direct.relative * magnitude);
    std::vector<double> values = reference->values;
    values[3] += 0.9 * winograd.absolute;
    QVERIFY(measure::check_values(*task->op, *reference, values, winograd).problem.empty());
    QVERIFY(!measure::check_values(*task->op, *reference, values).problem.empty());
    // An element that lacks one of its products, which are about magnitude / 144, is wrong.
    values[3] += *std::ranges::max_element(reference->magnitudes) / 144;
    QVERIFY(!measure::check_values(*task->op, *reference, values, winograd).problem.empty());
  }

 private:
  /** Through the workers, as sessions do. */
  trial::VendorResult measured(const char* task) const {
    return measure::measure_vendor_baseline(*task::parse_task(task), target_, quick_options()).value();
  }

  schedule::TargetDescription target_;
};

KERNELSCAPE_TEST(MeasureBaselinesTest, QCoreApplication)

}  // namespace kernelscape::measure_baselines_test
#include "measure_baselines_test.moc"
