#include <QTest>
#include <cmath>
#include <vector>

#include "core/base/random.h"
#include "core/surrogate/network/sgemm.h"
#include "tests/loop_nest/random_seed.h"
#include "tests/test_program.h"

namespace kernelscape::surrogate_sgemm_test {

namespace {

/** A factor in room that is wider than it, with its numbers in both orders. */
struct StoredFactor {
  StoredFactor(std::size_t row_count, std::size_t column_count, bool is_transposed, base::Random& random)
      : transposed(is_transposed),
        stride((is_transposed ? row_count : column_count) + random.below(4)),
        numbers((is_transposed ? column_count : row_count) * stride) {
    for (float& number : numbers) number = static_cast<float>(random.normal());
  }

  double at(std::size_t row, std::size_t column) const {
    return static_cast<double>(transposed ? numbers[column * stride + row] : numbers[row * stride + column]);
  }
  surrogate::Factor factor() const { return {numbers.data(), stride, transposed}; }

  bool transposed;
  std::size_t stride;
  std::vector<float> numbers;
};

}  // namespace

class SurrogateSgemmTest : public QObject {
  Q_OBJECT

 private slots:
  void product_is_that_of_the_formula_data() {
    QTest::addColumn<bool>("left_transposed");
    QTest::addColumn<bool>("right_transposed");
    for (const bool left : {false, true}) {
      for (const bool right : {false, true})
        QTest::addRow("%s, %s", left ? "transposed" : "plain", right ? "transposed" : "plain")
            << left << right;
    }
  }
  void product_is_that_of_the_formula() {
    QFETCH(bool, left_transposed);
    QFETCH(bool, right_transposed);
    base::Random random(testing::random_seed());
    for (int repeat = 0; repeat < 50; ++repeat) {
      const surrogate::ProductSize size{1 + random.below(40), 1 + random.below(40), 1 + random.below(40)};
      const StoredFactor left(size.rows, size.depth, left_transposed, random);
      const StoredFactor right(size.depth, size.columns, right_transposed, random);
      const bool kept = random.chance(0.5);
      const std::size_t stride = size.columns + random.below(3);
      std::vector<float> result(size.rows * stride, kept ? 3.0F : std::nanf(""));
      surrogate::multiply(size, left.factor(), right.factor(), kept ? 1 : 0, result.data(), stride);
      for (std::size_t row = 0; row < size.rows; ++row) {
        for (std::size_t column = 0; column < size.columns; ++column) {
          double expected = kept ? 3 : 0;
          for (std::size_t i = 0; i < size.depth; ++i) expected += left.at(row, i) * right.at(i, column);
          QVERIFY(std::abs(static_cast<double>(result[row * stride + column]) - expected) < 1e-3);
        }
      }
    }
  }
};

KERNELSCAPE_PLAIN_TEST(SurrogateSgemmTest)

}  // namespace kernelscape::surrogate_sgemm_test
#include "surrogate_sgemm_test.moc"
