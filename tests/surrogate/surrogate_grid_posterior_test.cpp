#include <QTest>

#include "core/surrogate/grid_posterior.h"
#include "tests/surrogate/grid_cases.h"
#include "tests/surrogate/printed_seed.h"
#include "tests/test_program.h"

namespace kernelscape::surrogate_grid_posterior_test {
using namespace kernelscape::testing;

namespace {

/** What single precision costs: its rounding, as often as there are points, magnified by the factor. */
double tolerance_of(const surrogate::GaussianProcess& process) {
  return 1e-7 * static_cast<double>(process.size() + 10) / std::sqrt(process.nugget());
}

/** How a posterior of a grid differs from the process at each point. Empty: not. */
QString difference(const surrogate::GridPosterior& posterior, const surrogate::GaussianProcess& process) {
  const Eigen::VectorXf means = posterior.means(process);
  const Eigen::VectorXf variances = posterior.variances(process);
  if (means.size() != variances.size() || static_cast<std::size_t>(means.size()) != posterior.size())
    return "number of points";
  const double tolerance = tolerance_of(process);
  const double deviation = std::sqrt(process.scale());
  for (std::size_t i = 0; i < posterior.size(); ++i) {
    const surrogate::Posterior expected = process.predict(posterior.points().at(i));
    const auto mean = double{means[static_cast<Eigen::Index>(i)]};
    const auto variance = double{variances[static_cast<Eigen::Index>(i)]};
    if (std::abs(mean - expected.mean) > tolerance * (deviation + std::abs(expected.mean)))
      return QString("mean %1 instead of %2").arg(mean).arg(expected.mean);
    if (variance < 0 || std::abs(variance - expected.variance) > tolerance * process.scale())
      return QString("variance %1 instead of %2").arg(variance).arg(expected.variance);
  }
  return {};
}

struct Case {
  std::vector<base::GridColumn> grid;
  surrogate::GaussianProcess process;
  surrogate::GridPosterior posterior;

  void grow(base::Random& random, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) process.add(random_point(random, grid), random.normal());
  }
};

Case random_case(base::Random& random, std::size_t asked, double nugget = 1e-3) {
  const std::vector<base::GridColumn> grid = random_columns(random, 5, 7);
  return {grid, surrogate::GaussianProcess(random_kernel(random, grid), nugget),
          surrogate::GridPosterior(together(grid, random_points(random, grid, asked)))};
}

}  // namespace

/** The posterior at many points against the process at each. */
class SurrogateGridPosteriorTest : public QObject {
  Q_OBJECT

  static void verify(const Case& tested) {
    const QString found = difference(tested.posterior, tested.process);
    QVERIFY2(found.isEmpty(), qPrintable(found));
  }

 private slots:
  void without_points() {
    base::Random random(printed_seed());
    Case tested = random_case(random, 20);
    verify(tested);  // nothing was followed yet
    tested.posterior.follow(tested.process);
    verify(tested);
    tested.process.fix_mean(2.5);
    tested.posterior.follow(tested.process);
    verify(tested);
    Case nobody_asks = random_case(random, 0);
    nobody_asks.grow(random, 5);
    nobody_asks.posterior.follow(nobody_asks.process);
    QCOMPARE(nobody_asks.posterior.means(nobody_asks.process).size(), Eigen::Index{0});
  }

  void grows_with_the_process_data() {
    QTest::addColumn<std::size_t>("asked");
    QTest::addColumn<std::size_t>("block");
    QTest::addColumn<int>("blocks");
    QTest::newRow("one by one") << std::size_t{50} << std::size_t{1} << 80;
    QTest::newRow("in blocks") << std::size_t{50} << std::size_t{17} << 6;
    QTest::newRow("at once") << std::size_t{50} << std::size_t{150} << 1;
    QTest::newRow("one point is asked") << std::size_t{1} << std::size_t{7} << 8;
    QTest::newRow("more than a tile of points") << std::size_t{20'001} << std::size_t{3} << 2;
  }

  void grows_with_the_process() {
    QFETCH(std::size_t, asked);
    QFETCH(std::size_t, block);
    QFETCH(int, blocks);
    base::Random random(printed_seed());
    Case tested = random_case(random, asked);
    for (int i = 0; i < blocks; ++i) {
      tested.grow(random, block);
      tested.posterior.follow(tested.process);
      verify(tested);
    }
  }

  void follows_whatever_happens() {
    base::Random random(printed_seed());
    for (int repeat = 0; repeat < 10; ++repeat) {
      Case tested = random_case(random, 30, 1e-2);
      for (int step = 0; step < 50; ++step) {
        switch (random.below(6)) {
          case 0:
            tested.process.remove_last(drawn_below(random, tested.process.size() + 1));
            break;
          case 1:
            tested.process.set_values(random_values(random, tested.process.size()));
            break;
          case 2:
            // Others in the place of the last: the same number of points.
            if (tested.process.size() > 0) {
              const std::size_t replaced = 1 + drawn_below(random, tested.process.size());
              tested.process.remove_last(replaced);
              tested.grow(random, replaced);
            }
            break;
          default:
            tested.grow(random, 1 + drawn_below(random, 4));
        }
        if (random.chance(0.7)) {
          tested.posterior.follow(tested.process);
          verify(tested);
        }
      }
    }
  }

  void beliefs_taken_back_leave_nothing() {
    base::Random random(printed_seed());
    Case tested = random_case(random, 60);
    tested.grow(random, 40);
    tested.posterior.follow(tested.process);
    const Eigen::VectorXf means = tested.posterior.means(tested.process);
    const Eigen::VectorXf variances = tested.posterior.variances(tested.process);
    tested.grow(random, 12);
    tested.posterior.follow(tested.process);
    tested.process.remove_last(12);
    tested.posterior.follow(tested.process);
    const auto tolerance = static_cast<float>(tolerance_of(tested.process));
    QVERIFY((tested.posterior.means(tested.process) - means).cwiseAbs().maxCoeff() <= tolerance);
    QVERIFY((tested.posterior.variances(tested.process) - variances).cwiseAbs().maxCoeff() <=
            tolerance * static_cast<float>(tested.process.scale()));
    verify(tested);
  }

  void learns_another_process_anew() {
    base::Random random(printed_seed());
    Case tested = random_case(random, 40);
    const std::vector<double> lengthscales(5, 0.3);
    const std::vector<double> others{0.3, 0.3, 0.3, 0.3, 0.7};
    using enum surrogate::Correlation;
    const std::vector<base::GridPoint> points = random_points(random, tested.grid, 30);
    // Each differs from the one before in one respect only, the last two in all points and in most of them.
    const std::vector<std::pair<surrogate::ProductKernel, double>> models{
        {{tested.grid, Matern32, 0.2, lengthscales}, 1e-3},
        {{tested.grid, Exponential, 0.2, lengthscales}, 1e-3},
        {{tested.grid, Exponential, 0.2, others}, 1e-3},
        {{tested.grid, Exponential, 0.2, others}, 1e-2},
        {{tested.grid, Exponential, 0.4, others}, 1e-2},
    };
    for (const auto& [kernel, nugget] : models) {
      tested.process = surrogate::GaussianProcess(kernel, nugget);
      for (const base::GridPoint& point : points) tested.process.add(point, random.normal());
      tested.posterior.follow(tested.process);
      verify(tested);
    }
    for (const std::size_t kept : {std::size_t{0}, std::size_t{3}}) {
      tested.process = surrogate::GaussianProcess(models.back().first, models.back().second);
      for (std::size_t i = 0; i < kept; ++i) tested.process.add(points[i], random.normal());
      tested.grow(random, 30 - kept);
      tested.posterior.follow(tested.process);
      verify(tested);
    }
  }

  void repeated_points_and_little_noise_stay_numbers() {
    base::Random random(printed_seed());
    for (const double nugget : {0.0, 1e-12, 1e-6}) {
      Case tested = random_case(random, 30, nugget);
      const base::GridPoint point = tested.posterior.points().at(0);
      for (int i = 0; i < 50; ++i) tested.process.add(point, random.normal());
      tested.grow(random, 20);
      tested.posterior.follow(tested.process);
      QVERIFY(tested.posterior.means(tested.process).allFinite());
      const Eigen::VectorXf variances = tested.posterior.variances(tested.process);
      QVERIFY(variances.allFinite() && variances.minCoeff() >= 0);
    }
  }
};

KERNELSCAPE_PLAIN_TEST(SurrogateGridPosteriorTest)

}  // namespace kernelscape::surrogate_grid_posterior_test
#include "surrogate_grid_posterior_test.moc"
