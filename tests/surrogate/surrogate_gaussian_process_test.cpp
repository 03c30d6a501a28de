#include <QTest>
#include <numeric>

#include "core/surrogate/gaussian_process.h"
#include "tests/surrogate/dense_process.h"
#include "tests/surrogate/printed_seed.h"
#include "tests/test_program.h"

namespace kernelscape::surrogate_gaussian_process_test {
using namespace kernelscape::testing;

namespace {

struct Sample {
  std::vector<base::GridPoint> points;
  std::vector<double> values;
  std::optional<double> fixed_mean;

  surrogate::GaussianProcess process(const surrogate::ProductKernel& kernel, double nugget) const {
    surrogate::GaussianProcess made(kernel, nugget);
    if (fixed_mean) made.fix_mean(*fixed_mean);
    for (std::size_t i = 0; i < points.size(); ++i) made.add(points[i], values[i]);
    return made;
  }
};

Sample random_sample(base::Random& random, const std::vector<base::GridColumn>& columns, std::size_t count) {
  return {random_points(random, columns, count), random_values(random, count), {}};
}

/** What two ways of solving may differ by: the covariance's condition is at most n / nugget + 1. */
double tolerance_of(std::size_t points, double nugget) {
  return std::max(1e-9, 1e-14 * static_cast<double>(points) / nugget);
}

/** How a process differs from the dense one of the same points. Empty: not. */
QString difference(const surrogate::GaussianProcess& process, const Sample& sample, base::Random& random) {
  if (process.points() != sample.points) return "points";
  if (!std::ranges::equal(process.values(), sample.values)) return "values";
  const DenseProcess dense(process.kernel(), process.nugget(), sample.points, sample.values,
                           sample.fixed_mean);
  const double tolerance = tolerance_of(sample.points.size(), process.nugget());
  if (!near(process.mean(), dense.mean(), tolerance)) return "mean";
  if (!sample.fixed_mean && !near(process.scale(), dense.scale(), tolerance, 1e-6)) return "scale";
  std::vector<base::GridPoint> asked = random_points(random, process.kernel().columns(), 5);
  asked.insert(asked.end(), sample.points.begin(), sample.points.end());
  const std::vector<double> means = process.means_at_points();
  if (means.size() != sample.points.size()) return "number of means";
  for (std::size_t i = 0; i < asked.size(); ++i) {
    const surrogate::Posterior posterior = process.predict(asked[i]);
    if (!near(posterior.mean, dense.mean_at(asked[i]), tolerance)) return "predicted mean";
    if (i >= 5 && !near(means[i - 5], posterior.mean, tolerance)) return "mean at a point";
    const double variance = process.scale() * std::max(0.0, dense.variance_at(asked[i]));
    if (std::abs(posterior.variance - variance) > tolerance * process.scale()) return "predicted variance";
    if (posterior.variance < 0) return "variance below 0";
  }
  return {};
}

}  // namespace

/** A process that grows and shrinks against whole matrices. */
class SurrogateGaussianProcessTest : public QObject {
  Q_OBJECT

 private slots:
  void no_one_and_two_points() {
    const std::vector<base::GridColumn> columns{{.positions = {0, 0.5, 1}}};
    const surrogate::ProductKernel kernel(columns, surrogate::Correlation::Exponential, 0.2, {1});
    surrogate::GaussianProcess process(kernel, 0.1);
    process.set_values({});
    QVERIFY(process.mean() == 0 && process.scale() == 0 && process.means_at_points().empty());
    QVERIFY(process.predict({2}).mean == 0 && process.predict({2}).variance == 0);
    process.add({0}, 7);
    QVERIFY(near(process.mean(), 7, 1e-12) && process.scale() == 0);
    QVERIFY(near(process.predict({2}).mean, 7, 1e-12) && process.predict({2}).variance == 0);
    process.add({2}, 9);
    // By hand: the residuals are -1 and 1, so that y' K^-1 y is 2 / (1 + nugget - k).
    const double k = 0.2 + 0.8 * std::exp(-1);
    QVERIFY(near(process.mean(), 8, 1e-12));
    QVERIFY(near(process.scale(), 2 / (1.1 - k), 1e-12));
    QVERIFY(near(process.predict({1}).mean, 8, 1e-12));
    QVERIFY(near(process.predict({0}).mean, 8 - (1 - k) / (1.1 - k), 1e-12));
    process.remove_last(2);
    QVERIFY(process.size() == 0 && process.mean() == 0 && process.scale() == 0);
    process.fix_mean(0.75);
    QCOMPARE(process.mean(), 0.75);
    QCOMPARE(process.predict({1}).mean, 0.75);
  }

  void equals_whole_matrices_data() {
    QTest::addColumn<std::size_t>("columns");
    QTest::addColumn<std::size_t>("max_levels");
    QTest::addColumn<double>("nugget");
    QTest::addColumn<std::size_t>("points");
    QTest::newRow("usual") << std::size_t{6} << std::size_t{8} << 1e-3 << std::size_t{60};
    QTest::newRow("little noise") << std::size_t{4} << std::size_t{6} << 1e-6 << std::size_t{60};
    QTest::newRow("much noise") << std::size_t{3} << std::size_t{5} << 1.0 << std::size_t{60};
    QTest::newRow("many repeated points") << std::size_t{1} << std::size_t{4} << 1e-2 << std::size_t{40};
    QTest::newRow("more columns than points") << std::size_t{30} << std::size_t{3} << 1e-2 << std::size_t{9};
    QTest::newRow("no column") << std::size_t{0} << std::size_t{1} << 0.1 << std::size_t{20};
    QTest::newRow("many points") << std::size_t{8} << std::size_t{9} << 1e-2 << std::size_t{300};
  }

  void equals_whole_matrices() {
    QFETCH(std::size_t, columns);
    QFETCH(std::size_t, max_levels);
    QFETCH(double, nugget);
    QFETCH(std::size_t, points);
    base::Random random(printed_seed());
    for (int repeat = 0; repeat < (points > 100 ? 2 : 20); ++repeat) {
      const std::vector<base::GridColumn> grid = random_columns(random, columns, max_levels);
      Sample sample = random_sample(random, grid, points);
      if (random.chance(0.3)) sample.fixed_mean = random.normal();
      const surrogate::GaussianProcess process = sample.process(random_kernel(random, grid), nugget);
      const QString found = difference(process, sample, random);
      QVERIFY2(found.isEmpty(), qPrintable(found));
    }
  }

  void factor_and_residuals_are_what_they_say() {
    base::Random random(printed_seed());
    for (int repeat = 0; repeat < 20; ++repeat) {
      const std::vector<base::GridColumn> grid = random_columns(random, 4, 6);
      const Sample sample = random_sample(random, grid, 30);
      const surrogate::GaussianProcess process = sample.process(random_kernel(random, grid), 1e-3);
      Eigen::MatrixXd factor = Eigen::MatrixXd::Zero(30, 30);
      for (Eigen::Index i = 0; i < 30; ++i) {
        const auto row = process.factor_row(static_cast<std::size_t>(i));
        QCOMPARE(row.size(), static_cast<std::size_t>(i + 1));
        factor.row(i).head(i + 1) = Eigen::Map<const Eigen::RowVectorXd>(row.data(), i + 1);
      }
      const DenseProcess dense(process.kernel(), 1e-3, sample.points, sample.values);
      QVERIFY((factor * factor.transpose() - dense.covariance()).cwiseAbs().maxCoeff() < 1e-12);
      QVERIFY((factor * process.whitened_residuals() - dense.residuals()).cwiseAbs().maxCoeff() < 1e-9);
    }
  }

  void how_it_came_about_does_not_matter() {
    base::Random random(printed_seed());
    for (int repeat = 0; repeat < 30; ++repeat) {
      const std::vector<base::GridColumn> grid = random_columns(random, 3, 6);
      surrogate::GaussianProcess process(random_kernel(random, grid), 1e-2);
      Sample sample;
      for (int step = 0; step < 60; ++step) {
        if (random.chance(0.7)) {
          sample.points.push_back(random_point(random, grid));
          sample.values.push_back(random.normal());
          process.add(sample.points.back(), sample.values.back());
        } else if (random.chance(0.6)) {
          const std::size_t count = drawn_below(random, random.chance(0.1) ? sample.points.size() + 1 : 4);
          const std::size_t kept = sample.points.size() - std::min(count, sample.points.size());
          process.remove_last(sample.points.size() - kept);
          sample.points.resize(kept);
          sample.values.resize(kept);
        } else if (random.chance(0.9)) {
          sample.values = random_values(random, sample.points.size());
          process.set_values(sample.values);
        } else {
          sample.fixed_mean = random.normal();
          process.fix_mean(*sample.fixed_mean);
        }
        if (sample.points.empty()) continue;
        const QString found = difference(process, sample, random);
        QVERIFY2(found.isEmpty(), qPrintable(QString("%1 after step %2").arg(found).arg(step)));
      }
      const surrogate::GaussianProcess fresh = sample.process(process.kernel(), 1e-2);
      QVERIFY(near(fresh.mean(), process.mean(), 1e-12) && near(fresh.scale(), process.scale(), 1e-12));
    }
  }

  void a_held_scale_follows_no_value() {
    base::Random random(printed_seed());
    const std::vector<base::GridColumn> grid = random_columns(random, 3, 6);
    Sample sample = random_sample(random, grid, 12);
    surrogate::GaussianProcess process = sample.process(random_kernel(random, grid), 1e-2);
    const double scale = process.scale();
    process.hold_scale();
    for (int i = 0; i < 5; ++i) {
      sample.points.push_back(random_point(random, grid));
      sample.values.push_back(random.normal());
      process.add(sample.points.back(), sample.values.back());
      QCOMPARE(process.scale(), scale);
    }
    process.release_scale();
    const QString found = difference(process, sample, random);
    QVERIFY2(found.isEmpty(), qPrintable(found));
    process.remove_last(5);
    QVERIFY(process.scale() == scale);
  }

  void copies_are_independent() {
    base::Random random(printed_seed());
    const std::vector<base::GridColumn> grid = random_columns(random, 3, 6);
    const Sample sample = random_sample(random, grid, 20);
    const surrogate::GaussianProcess process = sample.process(random_kernel(random, grid), 1e-2);
    surrogate::GaussianProcess copy = process;
    copy.remove_last(7);
    for (int i = 0; i < 30; ++i) copy.add(random_point(random, grid), random.normal());
    QVERIFY(difference(process, sample, random).isEmpty());
  }

  void order_of_points_does_not_matter() {
    base::Random random(printed_seed());
    const std::vector<base::GridColumn> grid = random_columns(random, 4, 6);
    const surrogate::ProductKernel kernel = random_kernel(random, grid);
    const Sample sample = random_sample(random, grid, 40);
    std::vector<std::size_t> order(40);
    std::iota(order.begin(), order.end(), std::size_t{0});
    random.shuffle(std::span(order));
    surrogate::GaussianProcess shuffled(kernel, 1e-2);
    for (const std::size_t i : order) shuffled.add(sample.points[i], sample.values[i]);
    const surrogate::GaussianProcess process = sample.process(kernel, 1e-2);
    for (const base::GridPoint& point : random_points(random, grid, 20)) {
      QVERIFY(near(process.predict(point).mean, shuffled.predict(point).mean, 1e-10));
      QVERIFY(near(process.predict(point).variance, shuffled.predict(point).variance, 1e-10));
    }
  }

  void unit_and_origin_of_values_do_not_matter() {
    base::Random random(printed_seed());
    const std::vector<base::GridColumn> grid = random_columns(random, 4, 6);
    const surrogate::ProductKernel kernel = random_kernel(random, grid);
    const Sample sample = random_sample(random, grid, 30);
    Sample other = sample;
    for (double& value : other.values) value = 1000 - 0x1p-20 * value;
    const surrogate::GaussianProcess process = sample.process(kernel, 1e-2);
    const surrogate::GaussianProcess moved = other.process(kernel, 1e-2);
    QVERIFY(near(moved.scale() * 0x1p40, process.scale(), 1e-5));
    for (const base::GridPoint& point : random_points(random, grid, 20)) {
      QVERIFY(near((1000 - moved.predict(point).mean) * 0x1p20, process.predict(point).mean, 1e-5));
      QVERIFY(near(moved.predict(point).variance * 0x1p40, process.predict(point).variance, 1e-5));
    }
  }
};

KERNELSCAPE_PLAIN_TEST(SurrogateGaussianProcessTest)

}  // namespace kernelscape::surrogate_gaussian_process_test
#include "surrogate_gaussian_process_test.moc"
