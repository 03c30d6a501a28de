#include <QTest>
#include <limits>

#include "core/surrogate/product_kernel.h"
#include "tests/surrogate/dense_process.h"
#include "tests/surrogate/printed_seed.h"
#include "tests/test_program.h"

namespace kernelscape::surrogate_product_kernel_test {
using namespace kernelscape::testing;

/** The kernel against its formula, and the columns of points. */
class SurrogateProductKernelTest : public QObject {
  Q_OBJECT

 private slots:
  void correlations_by_hand() {
    for (const surrogate::Correlation correlation :
         {surrogate::Correlation::Matern32, surrogate::Correlation::Exponential}) {
      QCOMPARE(surrogate::correlation_at(correlation, 0), 1.0);
      QCOMPARE(surrogate::correlation_at(correlation, 1e300), 0.0);
      double last = 1;
      for (double r = 1e-6; r < 100; r *= 1.3) {
        const double g = surrogate::correlation_at(correlation, r);
        QVERIFY(g > 0 && g < last);
        last = g;
      }
    }
    QVERIFY(
        near(surrogate::correlation_at(surrogate::Correlation::Exponential, 1), 0.36787944117144233, 1e-15));
    QVERIFY(near(surrogate::correlation_at(surrogate::Correlation::Matern32, 1), 0.4833577245965077, 1e-15));
    // Matern-3/2 is smooth at 0, exp(-r) is not.
    QVERIFY(near(1 - surrogate::correlation_at(surrogate::Correlation::Matern32, 1e-4), 1.5e-8, 1e-11));
    QVERIFY(near(1 - surrogate::correlation_at(surrogate::Correlation::Exponential, 1e-4), 1e-4, 1e-8));
  }

  void kernel_by_hand() {
    const std::vector<base::GridColumn> columns{{.positions = {0, 0.25, 1}},
                                                {.positions = {0, 0.5, 1}, .ordered = false}};
    const surrogate::ProductKernel kernel(columns, surrogate::Correlation::Exponential, 0.2, {0.5, 2});
    const double first = 0.2 + 0.8 * std::exp(-1.5);
    const double second = 0.2 + 0.8 * std::exp(-0.5);  // of any two texts, however they are numbered
    QCOMPARE(kernel.factor(0, 1, 2), first);
    QCOMPARE(kernel.factor(1, 0, 1), second);
    QCOMPARE(kernel.factor(1, 0, 2), second);
    QCOMPARE(kernel.factor(1, 2, 2), 1.0);
    QCOMPARE(kernel({1, 0}, {2, 2}), first * second);
  }

  void equals_the_formula_data() {
    QTest::addColumn<std::size_t>("columns");
    QTest::addColumn<std::size_t>("max_levels");
    QTest::newRow("no column") << std::size_t{0} << std::size_t{1};
    QTest::newRow("one of two levels") << std::size_t{1} << std::size_t{2};
    QTest::newRow("like knobs") << std::size_t{9} << std::size_t{12};
    QTest::newRow("many columns") << std::size_t{60} << std::size_t{5};
    QTest::newRow("many levels") << std::size_t{2} << std::size_t{5000};
  }

  void equals_the_formula() {
    QFETCH(std::size_t, columns);
    QFETCH(std::size_t, max_levels);
    base::Random random(printed_seed());
    for (int repeat = 0; repeat < 10; ++repeat) {
      const std::vector<base::GridColumn> grid = random_columns(random, columns, max_levels);
      surrogate::ProductKernel kernel = random_kernel(random, grid);
      const std::vector<base::GridPoint> points = random_points(random, grid, 40);
      const std::size_t changed = columns == 0 ? 0 : drawn_below(random, columns);
      const surrogate::ProductKernel before = kernel;
      if (columns > 0) kernel.set_lengthscale(changed, 0.1 + random.uniform());
      std::vector<float> row(points.size());
      for (const base::GridPoint& a : points) {
        QCOMPARE(kernel(a, a), 1.0);
        kernel.row(a, together(grid, points), row);
        for (std::size_t i = 0; i < points.size(); ++i) {
          const double expected = formula_of_kernel(kernel, a, points[i]);
          QVERIFY(std::abs(kernel(a, points[i]) - expected) <= 1e-13 * expected);
          QCOMPARE(kernel(a, points[i]), kernel(points[i], a));
          if (columns > 0) QVERIFY(std::abs(double{row[i]} - expected) <= 1e-5 * expected + 1e-30);
          QVERIFY(near(before(a, points[i]), formula_of_kernel(before, a, points[i]), 1e-13));
        }
      }
    }
  }

  void is_positive_semidefinite() {
    base::Random random(printed_seed());
    for (int repeat = 0; repeat < 20; ++repeat) {
      const std::vector<base::GridColumn> grid = random_columns(random, 4, 6);
      const surrogate::ProductKernel kernel = random_kernel(random, grid);
      const std::vector<base::GridPoint> points = random_points(random, grid, 50);
      Eigen::MatrixXd matrix(50, 50);
      for (Eigen::Index i = 0; i < 50; ++i)
        for (Eigen::Index j = 0; j < 50; ++j)
          matrix(i, j) = kernel(points[static_cast<std::size_t>(i)], points[static_cast<std::size_t>(j)]);
      QVERIFY(Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(matrix).eigenvalues().minCoeff() > -1e-12);
    }
  }

  void damping_is_what_no_column_takes_away() {
    base::Random random(printed_seed());
    const std::vector<base::GridColumn> grid = random_columns(random, 5, 8);
    for (const double damping : {0.0, 0.2, 1.0}) {
      const surrogate::ProductKernel unrelated(grid, surrogate::Correlation::Exponential, damping,
                                               std::vector<double>(5, 1e-9));
      for (const base::GridPoint& a : random_points(random, grid, 30)) {
        const base::GridPoint b = random_point(random, grid);
        int differing = 0;
        for (std::size_t column = 0; column < 5; ++column) differing += a[column] == b[column] ? 0 : 1;
        QVERIFY(near(unrelated(a, b), std::pow(damping, differing), 1e-12));
      }
    }
  }

  void extreme_lengthscales_stay_numbers() {
    const std::vector<base::GridColumn> grid{{.positions = {0, 1e-9, 1}}};
    for (const surrogate::Correlation correlation :
         {surrogate::Correlation::Matern32, surrogate::Correlation::Exponential}) {
      for (const double lengthscale : {std::numeric_limits<double>::min(), 1e-300, 1e300}) {
        const surrogate::ProductKernel kernel(grid, correlation, 0.2, {lengthscale});
        QCOMPARE(kernel({1}, {1}), 1.0);
        QVERIFY(near(kernel({0}, {2}), lengthscale < 1 ? 0.2 : 1, 1e-12));
      }
    }
  }

  void points_are_held_by_column() {
    base::Random random(printed_seed());
    const std::vector<base::GridColumn> grid = random_columns(random, 7, 5);
    surrogate::GridPoints points(7);
    QCOMPARE(points.columns(), std::size_t{7});
    for (int repeat = 0; repeat < 2; ++repeat) {
      QCOMPARE(points.size(), std::size_t{0});
      const std::vector<base::GridPoint> added = random_points(random, grid, 1 + drawn_below(random, 30));
      for (const base::GridPoint& point : added) points.add(point);
      QCOMPARE(points.size(), added.size());
      for (std::size_t i = 0; i < added.size(); ++i) {
        QCOMPARE(points.at(i), added[i]);
        for (std::size_t column = 0; column < 7; ++column)
          QCOMPARE(points.levels(column)[i], added[i][column]);
      }
      points.clear();
      QCOMPARE(points.columns(), std::size_t{7});
    }
  }
};

KERNELSCAPE_PLAIN_TEST(SurrogateProductKernelTest)

}  // namespace kernelscape::surrogate_product_kernel_test
#include "surrogate_product_kernel_test.moc"
