#include <fmt/format.h>

#include <QTest>
#include <array>
#include <cmath>

#include "core/base/random.h"
#include "core/task/reference.h"
#include "core/task/winograd.h"
#include "tests/loop_nest/random_seed.h"
#include "tests/test_program.h"

namespace kernelscape::task_winograd_test {
using namespace kernelscape::testing;

namespace {

using task::Rational;
using task::RationalMatrix;

std::vector<Rational> product(const RationalMatrix& matrix, const std::vector<Rational>& vector) {
  std::vector<Rational> result;
  for (const std::vector<Rational>& row : matrix) {
    Rational sum;
    for (std::size_t i = 0; i < row.size(); ++i) sum += row[i] * vector[i];
    result.push_back(sum);
  }
  return result;
}

std::vector<Rational> random_numbers(base::Random& random, std::size_t count) {
  std::vector<Rational> numbers;
  for (std::size_t i = 0; i < count; ++i)
    numbers.emplace_back(static_cast<std::int64_t>(random.below(19)) - 9);
  return numbers;
}

/** Outputs by the matrices, without those of the definition: zeros where the matrices are right. */
std::vector<Rational> difference(const task::WinogradMatrices& matrices, base::Random& random) {
  const std::size_t taps = matrices.weight.front().size();
  const std::vector<Rational> data = random_numbers(random, matrices.input.size());
  const std::vector<Rational> kernel = random_numbers(random, taps);
  std::vector<Rational> products = product(matrices.input, data);
  const std::vector<Rational> weights = product(matrices.weight, kernel);
  for (std::size_t i = 0; i < products.size(); ++i) products[i] *= weights[i];
  std::vector<Rational> outputs = product(matrices.output, products);
  for (std::size_t i = 0; i < outputs.size(); ++i)
    for (std::size_t tap = 0; tap < taps; ++tap) outputs[i] -= data[i + tap] * kernel[tap];
  return outputs;
}

}  // namespace

/** The matrices of Winograd's algorithm in exact arithmetic, and the bound of its errors. */
class TaskWinogradTest : public QObject {
  Q_OBJECT

 private slots:
  void any_distinct_points_make_an_exact_algorithm() {
    base::Random random(random_seed());
    for (int round = 0; round < 200; ++round) {
      std::vector<Rational> points{Rational(0),     Rational(1),    Rational(-1),    Rational(2),
                                   Rational(-2),    Rational(1, 2), Rational(-1, 2), Rational(3),
                                   Rational(-3, 2), Rational(1, 3)};
      random.shuffle(std::span(points));
      const int tile = 1 + static_cast<int>(random.below(4));
      const int kernel = 2 + static_cast<int>(random.below(3));
      points.resize(static_cast<std::size_t>(tile + kernel - 2));
      const task::WinogradMatrices matrices = task::winograd_matrices(tile, kernel, points);
      const std::vector<Rational> wrong = difference(matrices, random);
      QVERIFY2(wrong == std::vector<Rational>(wrong.size()),
               fmt::format("F({}, {}) of round {}", tile, kernel, round).c_str());
    }
  }

  void the_transforms_of_kernels_are_exact() {
    base::Random random(random_seed());
    for (const int tile : task::winograd_tiles())
      for (int round = 0; round < 20; ++round) {
        const std::vector<Rational> wrong = difference(task::winograd_transform(tile), random);
        QCOMPARE(wrong.size(), static_cast<std::size_t>(tile));
        QVERIFY(wrong == std::vector<Rational>(wrong.size()));
      }
  }

  /** The products of an element of transformed weights are as many as its tile has, and no more. */
  void weights_are_transformed_along_rows_and_columns() {
    for (const int tile : task::winograd_tiles()) {
      const RationalMatrix& matrix = task::winograd_transform(tile).weight;
      for (std::size_t tap = 0; tap < 9; ++tap) {
        std::vector<double> kernels(18, 0.0);
        kernels[9 + tap] = 1;
        const std::vector<double> transformed = task::winograd_weights(tile, kernels);
        const std::size_t size = matrix.size();
        QCOMPARE(transformed.size(), 2 * size * size);
        for (std::size_t row = 0; row < size; ++row)
          for (std::size_t column = 0; column < size; ++column) {
            const double expected =
                boost::rational_cast<double>(matrix[row][tap / 3] * matrix[column][tap % 3]);
            QCOMPARE(transformed[row * size + column], 0.0);
            QVERIFY(std::fabs(transformed[size * size + row * size + column] - expected) < 1e-15);
          }
      }
    }
  }

  void the_bound_grows_with_tiles_and_channels() {
    double before = 0;
    for (const int tile : task::winograd_tiles()) {
      QVERIFY(task::winograd_error_bound(tile, 64) > before);
      before = task::winograd_error_bound(tile, 64);
      QVERIFY(task::winograd_error_bound(tile, 65) > before);
      // A sum of 576 products of numbers below 1 is about 8: the bound must still find a missing product.
      QVERIFY2(before < 0.25, fmt::format("{}: {}", tile, before).c_str());
    }
  }

  void the_tolerance_of_other_algorithms_stays() {
    const task::TensorOperator op = *task::parse_task("conv2d 1x64x8x8 64x64x3x3 pad=1").value().op;
    const task::Tolerance plain = task::tolerance_of(op);
    QVERIFY(plain.relative > 0);
    QVERIFY(plain.absolute < 1e-30);
    const task::Tolerance tile = task::tolerance_of(op, 4);
    QCOMPARE(tile.absolute, task::winograd_error_bound(4, 64));
    QCOMPARE(tile.relative, 0.0);
  }
};

KERNELSCAPE_TEST(TaskWinogradTest, QCoreApplication)

}  // namespace kernelscape::task_winograd_test
#include "task_winograd_test.moc"
