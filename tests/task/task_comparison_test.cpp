#include <QTest>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "core/base/random.h"
#include "core/task/reference.h"
#include "core/task/task.h"
#include "tests/test_program.h"

namespace kernelscape::task_comparison_test {

namespace {

constexpr double no_number = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

task::TensorOperator op_of(const char* text) { return *task::parse_task(text)->op; }

/** A 2x2 output with these expected values, each of magnitude 1. */
task::Reference four(std::vector<double> values) { return {std::move(values), {}, {1, 1, 1, 1}}; }

task::Comparison compare_four(std::vector<double> expected, const std::vector<double>& actual,
                              const char* type = "f32") {
  const task::TensorOperator op = op_of(("matmul 2x9 9x2 " + std::string(type)).c_str());
  return task::compare_with_reference(op, four(std::move(expected)), actual);
}

/** The reference, rounded to float after a summation in float, forwards or backwards. */
std::vector<double> sum_in_float(const task::TensorOperator& op, const task::ReferenceInputs& inputs,
                                 bool backwards) {
  const std::int64_t m = op.axes[0].extent;
  const std::int64_t n = op.axes[1].extent;
  const std::int64_t k = op.axes[2].extent;
  std::vector<double> output;
  for (std::int64_t i = 0; i < m; ++i) {
    for (std::int64_t j = 0; j < n; ++j) {
      float sum = 0;
      for (std::int64_t step = 0; step < k; ++step) {
        const std::int64_t r = backwards ? k - 1 - step : step;
        sum += static_cast<float>(inputs.tensors[0][static_cast<std::size_t>(i * k + r)]) *
               static_cast<float>(inputs.tensors[1][static_cast<std::size_t>(r * n + j)]);
      }
      output.push_back(static_cast<double>(sum));
    }
  }
  return output;
}

/** How a kernel of bytes may go wrong. */
enum class ByteMistake { None, SignedData, UnsignedWeights, SaturatedPairs };

std::int64_t product_of_bytes(double data, double weight, ByteMistake mistake) {
  const auto a = static_cast<std::uint8_t>(data);
  const auto b = static_cast<std::int8_t>(weight);
  const std::int64_t read_data = mistake == ByteMistake::SignedData ? static_cast<std::int8_t>(a) : a;
  const std::int64_t read_weight = mistake == ByteMistake::UnsignedWeights ? static_cast<std::uint8_t>(b) : b;
  return read_data * read_weight;
}

/** A multiplication of bytes; saturated ones add two neighbours in 16 bits, as pmaddubsw does. */
std::vector<double> multiply_bytes(const task::TensorOperator& op, const task::ReferenceInputs& inputs,
                                   ByteMistake mistake) {
  const std::int64_t m = op.axes[0].extent;
  const std::int64_t n = op.axes[1].extent;
  const std::int64_t k = op.axes[2].extent;
  const std::int64_t together = mistake == ByteMistake::SaturatedPairs ? 2 : 1;
  std::vector<double> output;
  for (std::int64_t i = 0; i < m; ++i) {
    for (std::int64_t j = 0; j < n; ++j) {
      std::int64_t sum = 0;
      for (std::int64_t first = 0; first < k; first += together) {
        std::int64_t some = 0;
        for (std::int64_t r = first; r < std::min(k, first + together); ++r)
          some += product_of_bytes(inputs.tensors[0][static_cast<std::size_t>(i * k + r)],
                                   inputs.tensors[1][static_cast<std::size_t>(r * n + j)], mistake);
        sum += together == 2 ? std::clamp<std::int64_t>(some, -32768, 32767) : some;
      }
      output.push_back(static_cast<double>(sum));
    }
  }
  return output;
}

}  // namespace

class TaskComparisonTest : public QObject {
  Q_OBJECT

 private slots:
  void equal_values_are_right() {
    QVERIFY(compare_four({0, -0.0, -3, 1e-30}, {0, 0, -3, 1e-30}).equal);
    QVERIFY(compare_four({0, 0, 0, 0}, {-0.0, 0, -0.0, 0}).equal);
  }

  void no_number_is_never_right_data() {
    QTest::addColumn<double>("expected");
    QTest::addColumn<double>("actual");
    for (const double expected : {0.0, -0.0, 1.0, -1.0}) {
      for (const double actual : {no_number, -no_number, infinity, -infinity})
        QTest::addRow("%g instead of %g", actual, expected) << expected << actual;
    }
  }
  void no_number_is_never_right() {
    QFETCH(const double, expected);
    QFETCH(const double, actual);
    for (const char* type : {"f32", "f64", "f16", "bf16", "i8"}) {
      const task::Comparison comparison = compare_four({1, 1, expected, 1}, {1, 1, actual, 1}, type);
      QVERIFY(!comparison.equal);
      QCOMPARE(comparison.wrong_count, std::int64_t{1});
      QCOMPARE(comparison.worst_position, std::int64_t{2});
      QVERIFY(std::isinf(comparison.worst_error));
    }
  }

  void signs_matter() {
    QVERIFY(!compare_four({-1, 1, 1, 1}, {1, 1, 1, 1}).equal);
    QVERIFY(!compare_four({1, 1, 1, -0.25}, {1, 1, 1, 0.25}).equal);
    // A reference below zero is no licence: a relative tolerance of a signed number would be.
    QVERIFY(!compare_four({-1, 1, 1, 1}, {-1.001, 1, 1, 1}).equal);
    QVERIFY(!compare_four({-1, 1, 1, 1}, {-1000, 1, 1, 1}).equal);
  }

  void zero_references_have_a_tolerance_and_a_limit() {
    // The sum cancels to zero, but its terms do not: rounding may leave something.
    QVERIFY(compare_four({0, 1, 1, 1}, {1e-7, 1, 1, 1}).equal);
    QVERIFY(!compare_four({0, 1, 1, 1}, {1e-5, 1, 1, 1}).equal);
    // Nothing was added at all (padding): zero it must be.
    const task::TensorOperator op = op_of("matmul 1x9 9x1");
    const task::Reference empty{{0}, {}, {0}};
    QVERIFY(task::compare_with_reference(op, empty, std::vector<double>{0}).equal);
    QVERIFY(!task::compare_with_reference(op, empty, std::vector<double>{1e-20}).equal);
  }

  void integers_are_exact() {
    QVERIFY(compare_four({1, -2, 0, 1e6}, {1, -2, 0, 1e6}, "i8").equal);
    QVERIFY(!compare_four({1, -2, 0, 1e6}, {1, -2, 0, 1e6 + 1}, "i8").equal);
  }

  void first_and_worst_are_named() {
    const task::Comparison comparison = compare_four({1, 2, 3, 4}, {1, 2.5, 7, 3.5});
    QCOMPARE(comparison.wrong_count, std::int64_t{3});
    QCOMPARE(comparison.first_position, std::int64_t{1});
    QCOMPARE(comparison.first_expected, 2.0);
    QCOMPARE(comparison.first_actual, 2.5);
    QCOMPARE(comparison.worst_position, std::int64_t{2});
    QCOMPARE(comparison.worst_expected, 3.0);
    QCOMPARE(comparison.worst_actual, 7.0);
    QCOMPARE(comparison.worst_error, 4.0);
    QVERIFY(comparison.worst_tolerance > 0 && comparison.worst_tolerance < 1e-5);
    const std::string text = task::describe_mismatch(op_of("matmul 2x9 9x2"), comparison);
    QVERIFY2(text.find("3 of 4 elements") != std::string::npos, text.c_str());
    QVERIFY2(text.find("output[1, 0]: 7 instead of 3") != std::string::npos, text.c_str());
    QVERIFY2(text.find("output[0, 1]: 2.5 instead of 2") != std::string::npos, text.c_str());
  }

  void of_equal_errors_the_first_is_the_worst() {
    QCOMPARE(compare_four({1, 1, 1, 1}, {1, no_number, infinity, 9}).worst_position, std::int64_t{1});
    QCOMPARE(compare_four({1, 1, 1, 1}, {9, no_number, infinity, 9}).worst_position, std::int64_t{1});
    QCOMPARE(compare_four({1, 1, 1, 1}, {1, 3, 3, 1}).worst_position, std::int64_t{1});
  }

  void tolerance_grows_with_length_and_shrinks_with_precision() {
    const auto relative = [](const char* text) { return task::tolerance_of(op_of(text)).relative; };
    QVERIFY(relative("matmul 4x1000 1000x4 f32") > relative("matmul 4x10 10x4 f32"));
    QVERIFY(relative("matmul 4x1000 1000x4 f64") < relative("matmul 4x1000 1000x4 f32") * 1e-6);
    QCOMPARE(relative("matmul 4x1000 1000x4 i8"), 0.0);
    // f16 operands are multiplied exactly into f32.
    QCOMPARE(relative("matmul 4x1000 1000x4 f16"), relative("matmul 4x1000 1000x4 f32"));
    // A convolution's sum is as long as its channels and taps together.
    QCOMPARE(relative("conv2d 1x64x9x9 4x64x3x3"), relative("matmul 4x576 576x4"));
    // Nowhere near a single wrong product in a long sum.
    QVERIFY(relative("matmul 4x4608 4608x4 f32") < 1.0 / 4608 / 4);
  }

  void sums_in_float_are_right_in_any_order_data() {
    QTest::addColumn<QString>("text");
    for (const char* text : {"matmul 40x1 1x40", "matmul 40x2 2x40", "matmul 40x9 9x40",
                             "matmul 20x576 576x20", "matmul 9x20000 20000x9"})
      QTest::newRow(text) << text;
  }
  void sums_in_float_are_right_in_any_order() {
    QFETCH(const QString, text);
    const task::TensorOperator op = op_of(qPrintable(text));
    const task::ReferenceInputs inputs = task::make_reference_inputs(op, 77);
    const task::Reference reference = task::compute_reference(op, inputs, 2);
    for (const bool backwards : {false, true}) {
      const task::Comparison comparison =
          task::compare_with_reference(op, reference, sum_in_float(op, inputs, backwards));
      QVERIFY2(comparison.equal, task::describe_mismatch(op, comparison).c_str());
    }
  }

  void one_missing_product_is_found() {
    const task::TensorOperator op = op_of("matmul 20x576 576x20");
    task::ReferenceInputs inputs = task::make_reference_inputs(op, 78);
    const task::Reference reference = task::compute_reference(op, inputs, 1);
    for (std::size_t row = 0; row < 20; ++row) inputs.tensors[0][row * 576 + 575] = 0;
    const task::Comparison comparison =
        task::compare_with_reference(op, reference, sum_in_float(op, inputs, false));
    QVERIFY(comparison.wrong_count > 390);  // some of the 400 products are nearly zero
  }

  void kernels_of_bytes_that_confuse_or_saturate_are_found_data() {
    QTest::addColumn<QString>("text");
    for (const char* text :
         {"matmul 5x8 8x7 i8", "matmul 1x256 256x1 i8", "matmul 3x64 64x33 i8", "matmul 20x577 577x9 i8"})
      QTest::newRow(text) << text;
  }
  void kernels_of_bytes_that_confuse_or_saturate_are_found() {
    QFETCH(const QString, text);
    const task::TensorOperator op = op_of(qPrintable(text));
    const std::uint64_t seed = 20243;
    qInfo("seed %llu", static_cast<unsigned long long>(seed));
    base::Random random(seed);
    for (int i = 0; i < 20; ++i) {
      const task::ReferenceInputs inputs = task::make_reference_inputs(op, random.bits());
      const task::Reference reference = task::compute_reference(op, inputs, 1);
      const auto right = [&](ByteMistake mistake) {
        return task::compare_with_reference(op, reference, multiply_bytes(op, inputs, mistake)).equal;
      };
      QVERIFY(right(ByteMistake::None));
      QVERIFY(!right(ByteMistake::SignedData));
      QVERIFY(!right(ByteMistake::UnsignedWeights));
      QVERIFY(!right(ByteMistake::SaturatedPairs));
    }
  }

  void outside_the_sample_only_no_number_is_wrong() {
    const task::TensorOperator op = op_of("matmul 2x9 9x2");
    const task::Reference sample{{1, 4}, {0, 3}, {1, 1}};
    const auto compare = [&](std::vector<double> output) {
      return task::compare_with_reference(op, sample, output);
    };
    QVERIFY(compare({1, 55, -77, 4}).equal);
    QVERIFY(!compare({1, 55, -77, 5}).equal);
    QVERIFY(!compare({2, 55, -77, 4}).equal);
    const task::Comparison unwritten = compare({1, 55, no_number, 4});
    QVERIFY(!unwritten.equal);
    QCOMPARE(unwritten.worst_position, std::int64_t{2});
    QVERIFY(std::isnan(unwritten.worst_expected));
    QVERIFY(task::describe_mismatch(op, unwritten).find("instead") == std::string::npos);
    QVERIFY(!compare({1, -infinity, 0, 4}).equal);
  }

  void output_of_another_size_is_a_programming_error() {
    QVERIFY_EXCEPTION_THROWN(compare_four({1, 1, 1, 1}, {1, 1, 1}), std::logic_error);
  }
};

KERNELSCAPE_PLAIN_TEST(TaskComparisonTest)

}  // namespace kernelscape::task_comparison_test
#include "task_comparison_test.moc"
