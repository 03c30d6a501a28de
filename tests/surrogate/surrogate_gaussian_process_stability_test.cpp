#include <QTest>
#include <numeric>

#include "core/surrogate/gaussian_process.h"
#include "tests/surrogate/grid_cases.h"
#include "tests/surrogate/printed_seed.h"
#include "tests/test_program.h"

namespace kernelscape::surrogate_gaussian_process_stability_test {
using namespace kernelscape::testing;

namespace {

/** Three places far from each other. */
surrogate::ProductKernel three_places() {
  return {{{.positions = {0, 0.5, 1}}}, surrogate::Correlation::Exponential, 0.2, {1}};
}

/** Whether all that a process says are numbers, and its variances are at least 0. */
bool is_finite(const surrogate::GaussianProcess& process, const std::vector<base::GridPoint>& asked) {
  const auto finite = [](double number) { return std::isfinite(number); };
  bool all = finite(process.mean()) && finite(process.scale()) && process.scale() >= 0;
  for (const base::GridPoint& point : asked) {
    const surrogate::Posterior posterior = process.predict(point);
    all = all && finite(posterior.mean) && finite(posterior.variance) && posterior.variance >= 0;
  }
  for (std::size_t i = 0; i < process.size(); ++i)
    all = all && std::ranges::all_of(process.factor_row(i), finite) && process.factor_row(i).back() > 0;
  return all && std::ranges::all_of(process.means_at_points(), finite) &&
         process.whitened_residuals().allFinite();
}

}  // namespace

/** Points that come again, values that are equal, no noise: what covariances are nearly singular by. */
class SurrogateGaussianProcessStabilityTest : public QObject {
  Q_OBJECT

 private slots:
  void stays_finite_data() {
    QTest::addColumn<double>("nugget");
    QTest::newRow("no nugget") << 0.0;
    QTest::newRow("1e-300") << 1e-300;
    QTest::newRow("1e-12") << 1e-12;
    QTest::newRow("1e-6") << 1e-6;
    QTest::newRow("1") << 1.0;
  }

  void stays_finite() {
    QFETCH(double, nugget);
    base::Random random(printed_seed());
    for (int repeat = 0; repeat < 40; ++repeat) {
      const std::vector<base::GridColumn> grid = random_columns(random, drawn_below(random, 4), 4);
      surrogate::GaussianProcess process(random_kernel(random, grid), nugget);
      const std::vector<base::GridPoint> places = random_points(random, grid, 1 + drawn_below(random, 60));
      const bool repeated = random.chance(0.3);  // the same place only
      const bool equal = random.chance(0.3);
      for (int i = 0; i < 50; ++i) {
        process.add(places[repeated ? 0 : drawn_below(random, places.size())], equal ? 3.7 : random.normal());
        QVERIFY(is_finite(process, {places.front(), places.back(), random_point(random, grid)}));
      }
      process.remove_last(20);
      process.set_values(random_values(random, 30));
      QVERIFY(is_finite(process, places));
    }
  }

  void nearly_equal_points_stay_finite() {
    base::Random random(printed_seed());
    for (const double nugget : {0.0, 1e-12, 1e-6}) {
      base::GridColumn column;
      for (int i = 0; i < 60; ++i) column.positions.push_back(i < 59 ? i * 1e-9 : 1);
      surrogate::GaussianProcess process(
          surrogate::ProductKernel({column}, surrogate::Correlation::Matern32, 0, {50}), nugget);
      for (std::uint32_t level = 0; level < 60; ++level) process.add({level}, random.normal());
      QVERIFY(is_finite(process, {{0}, {30}, {59}}));
    }
  }

  void repeated_values_average() {
    base::Random random(printed_seed());
    for (const double nugget : {1e-3, 1e-2, 0.1}) {
      surrogate::GaussianProcess process(three_places(), nugget);
      process.add({0}, 5);
      const std::vector<double> values = random_values(random, 50);
      for (const double value : values) process.add({1}, value);
      process.add({2}, -5);
      const double average = std::accumulate(values.begin(), values.end(), 0.0) / 50;
      // They are 50 times as sure as one of them, and the other places are half of what is known at most.
      QVERIFY(near(process.predict({1}).mean, average, 4 * nugget / 50, 20));
      QVERIFY(near(process.means_at_points()[17], average, 4 * nugget / 50, 20));
      QVERIFY(process.predict({1}).variance <= process.scale() * nugget / 50 * (1 + 1e-9));
    }
  }

  void values_at_one_place_average_exactly() {
    base::Random random(printed_seed());
    for (const double nugget : {1e-4, 1e-2, 1.0}) {
      surrogate::GaussianProcess process(three_places(), nugget);
      const std::vector<double> values = random_values(random, 50);
      for (const double value : values) process.add({1}, value);
      const double average = std::accumulate(values.begin(), values.end(), 0.0) / 50;
      QVERIFY(near(process.mean(), average, 1e-9));
      QVERIFY(near(process.predict({1}).mean, average, 1e-9));
      QVERIFY(near(process.predict({0}).mean, average, 1e-9));
    }
  }

  void equal_values_are_certain() {
    base::Random random(printed_seed());
    for (int repeat = 0; repeat < 40; ++repeat) {
      const std::vector<base::GridColumn> grid = random_columns(random, 3, 5);
      surrogate::GaussianProcess process(random_kernel(random, grid), 1e-3);
      const double value = random.normal();
      for (const base::GridPoint& point : random_points(random, grid, 30)) process.add(point, value);
      QVERIFY(near(process.mean(), value, 1e-12, 0));
      QVERIFY(process.scale() <= 1e-20 * value * value);
      const surrogate::Posterior posterior = process.predict(random_point(random, grid));
      QVERIFY(near(posterior.mean, value, 1e-9, 0));
      QVERIFY(posterior.variance >= 0 && posterior.variance <= process.scale());
    }
  }

  void a_measured_point_without_noise_is_known() {
    base::Random random(printed_seed());
    for (int repeat = 0; repeat < 20; ++repeat) {
      std::vector<base::GridColumn> grid = random_columns(random, 2, 9);
      surrogate::GaussianProcess process(
          surrogate::ProductKernel(grid, surrogate::Correlation::Exponential, 0.2, {0.5, 0.5}), 0);
      std::vector<base::GridPoint> points = random_points(random, grid, 20);
      std::ranges::sort(points);
      points.erase(std::ranges::unique(points).begin(), points.end());
      const std::vector<double> values = random_values(random, points.size());
      for (std::size_t i = 0; i < points.size(); ++i) process.add(points[i], values[i]);
      for (std::size_t i = 0; i < points.size(); ++i) {
        QVERIFY(near(process.predict(points[i]).mean, values[i], 1e-6));
        QVERIFY(process.predict(points[i]).variance <= 1e-6 * process.scale());
      }
    }
  }
};

KERNELSCAPE_PLAIN_TEST(SurrogateGaussianProcessStabilityTest)

}  // namespace kernelscape::surrogate_gaussian_process_stability_test
#include "surrogate_gaussian_process_stability_test.moc"
