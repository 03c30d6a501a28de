#include <QTest>
#include <limits>

#include "core/surrogate/kernel_fit.h"
#include "tests/surrogate/dense_process.h"
#include "tests/surrogate/printed_seed.h"
#include "tests/test_program.h"

namespace kernelscape::surrogate_kernel_fit_test {
using namespace kernelscape::testing;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

struct Case {
  surrogate::ProductKernel kernel;
  std::vector<base::GridPoint> points;
  std::vector<double> values;

  double likelihood(double nugget) const {
    return surrogate::log_restricted_likelihood(kernel, nugget, points, values);
  }
  surrogate::KernelFit fit(const surrogate::KernelFit& start, std::uint64_t seed,
                           const surrogate::KernelPrior& prior = {},
                           const surrogate::FitSteps& steps = {}) const {
    base::Random random(seed);
    return surrogate::fit_kernel(kernel, start, prior, steps, points, values, random);
  }
};

Case random_case(base::Random& random, std::size_t count) {
  const std::vector<base::GridColumn> grid = random_columns(random, 4, 7);
  return {random_kernel(random, grid), random_points(random, grid, count), random_values(random, count)};
}

/** Values drawn from the process itself. */
Case case_of_process(base::Random& random, const surrogate::ProductKernel& kernel, double nugget,
                     std::size_t count) {
  Case drawn{kernel, random_points(random, kernel.columns(), count), random_values(random, count)};
  const DenseProcess dense(kernel, nugget + 1e-9, drawn.points, drawn.values);
  Eigen::VectorXd noise(static_cast<Eigen::Index>(count));
  for (double& number : noise) number = random.normal();
  const Eigen::VectorXd values = dense.covariance().llt().matrixL() * noise;
  drawn.values.assign(values.begin(), values.end());
  return drawn;
}

surrogate::KernelFit random_start(base::Random& random, std::size_t columns) {
  return {random_lengthscales(random, columns), std::exp(std::log(1e-6) * random.uniform())};
}

/** The logarithm of the posterior density of the parameters' logarithms, up to a constant. */
double density(const Case& given, const surrogate::KernelFit& fit, const surrogate::KernelPrior& prior) {
  const surrogate::ProductKernel kernel(given.kernel.columns(), given.kernel.correlation(),
                                        given.kernel.damping(), fit.lengthscales);
  double log_prior = -std::pow(std::log(fit.nugget / prior.nugget) / prior.nugget_deviation, 2) / 2;
  for (const double lengthscale : fit.lengthscales)
    log_prior -= std::pow(std::log(lengthscale) / prior.lengthscale_deviation, 2) / 2;
  return log_prior + DenseProcess(kernel, fit.nugget, given.points, given.values).log_restricted_likelihood();
}

surrogate::KernelFit brought_into(const surrogate::KernelPrior& prior, surrogate::KernelFit fit) {
  for (double& lengthscale : fit.lengthscales)
    lengthscale = std::clamp(lengthscale, prior.min_lengthscale, prior.max_lengthscale);
  fit.nugget = std::clamp(fit.nugget, prior.min_nugget, prior.max_nugget);
  return fit;
}

/** The slack is what a logarithm and an exponential may cost. */
bool respects(const surrogate::KernelPrior& prior, const surrogate::KernelFit& fit) {
  const auto is_between = [](double value, double least, double most) {
    return value >= least * (1 - 1e-12) && value <= most * (1 + 1e-12);
  };
  return is_between(fit.nugget, prior.min_nugget, prior.max_nugget) &&
         std::ranges::all_of(fit.lengthscales, [&](double lengthscale) {
           return is_between(lengthscale, prior.min_lengthscale, prior.max_lengthscale);
         });
}

}  // namespace

/** The restricted likelihood against whole matrices, and what a fit promises. */
class SurrogateKernelFitTest : public QObject {
  Q_OBJECT

 private slots:
  void likelihood_equals_whole_matrices() {
    base::Random random(printed_seed());
    for (const std::size_t count : {std::size_t{2}, std::size_t{5}, std::size_t{60}}) {
      for (int repeat = 0; repeat < 20; ++repeat) {
        Case given = random_case(random, count);
        std::optional<double> constant;
        for (const double nugget : {1e-4, 1e-2, 0.3, 1.0}) {
          const DenseProcess dense(given.kernel, nugget, given.points, given.values);
          const double difference = given.likelihood(nugget) - dense.log_restricted_likelihood();
          if (!constant) constant = difference;
          QVERIFY(near(difference, *constant, 1e-7));
          given.values = random_values(random, count);
          given.points = random_points(random, given.kernel.columns(), count);
          const std::size_t columns = given.kernel.columns().size();
          for (std::size_t column = 0; column < columns; ++column)
            given.kernel.set_lengthscale(column, 0.05 + random.uniform());
        }
      }
    }
  }

  void likelihood_of_two_points_by_hand() {
    const std::vector<base::GridColumn> grid{{.positions = {0, 1}}};
    const auto of = [&](double lengthscale, double nugget) {
      const surrogate::ProductKernel kernel(grid, surrogate::Correlation::Exponential, 0, {lengthscale});
      return surrogate::log_restricted_likelihood(kernel, nugget, std::vector<base::GridPoint>{{0}, {1}},
                                                  std::vector<double>{3, 7});
    };
    // s^2 is 8 / (1 + nugget - k), |K| (1 + nugget)^2 - k^2, 1' K^-1 1 2 / (1 + nugget + k): all but k
    // cancel.
    QVERIFY(near(of(1, 0.1), of(0.3, 0.1), 1e-10));
    QVERIFY(near(of(1, 0.1), of(20, 0.7), 1e-10));
  }

  void likelihood_follows_its_laws() {
    base::Random random(printed_seed());
    for (int repeat = 0; repeat < 20; ++repeat) {
      const std::size_t count = 2 + drawn_below(random, 40);
      const Case given = random_case(random, count);
      const double likelihood = given.likelihood(1e-2);
      Case changed = given;
      for (double& value : changed.values) value += 100;
      QVERIFY(near(changed.likelihood(1e-2), likelihood, 1e-8));
      changed = given;
      for (double& value : changed.values) value *= -3;
      QVERIFY(
          near(changed.likelihood(1e-2), likelihood - static_cast<double>(count - 1) * std::log(3), 1e-8));
      changed = given;
      std::ranges::reverse(changed.points);
      std::ranges::reverse(changed.values);
      QVERIFY(near(changed.likelihood(1e-2), likelihood, 1e-8));
    }
  }

  void likelihood_of_nothing_to_tell() {
    base::Random random(printed_seed());
    Case given = random_case(random, 30);
    for (int repeat = 0; repeat < 200; ++repeat) {
      given.values.assign(30, std::exp(20 * random.normal()));
      QCOMPARE(given.likelihood(1e-3), -infinity);
    }
    given.points.resize(1);
    given.values.resize(1);
    QCOMPARE(given.likelihood(1e-3), -infinity);
    given.points.clear();
    given.values.clear();
    QCOMPARE(given.likelihood(1e-3), -infinity);
  }

  void likelihood_of_singular_covariances() {
    base::Random random(printed_seed());
    Case given = random_case(random, 6);
    given.points[1] = given.points[0];
    QCOMPARE(given.likelihood(0), -infinity);
    QVERIFY(std::isfinite(given.likelihood(1e-6)));
    given.points.assign(6, given.points[0]);
    QCOMPARE(given.likelihood(0), -infinity);
    QVERIFY(std::isfinite(given.likelihood(1e-6)));
  }

  void fit_is_never_worse_than_its_start() {
    base::Random random(printed_seed());
    for (int repeat = 0; repeat < 60; ++repeat) {
      const Case given = random_case(random, 2 + drawn_below(random, 40));
      surrogate::KernelPrior prior;
      prior.nugget = random.chance(0.5) ? 1e-3 : 0.05;
      prior.lengthscale_deviation = 0.3 + random.uniform();
      prior.nugget_deviation = 0.3 + 2 * random.uniform();
      const surrogate::KernelFit start = random_start(random, 4);
      const surrogate::KernelFit fit = given.fit(start, random.bits(), prior);
      QVERIFY(respects(prior, fit));
      QVERIFY(density(given, fit, prior) >= density(given, start, prior) - 1e-6);
    }
  }

  void fit_finds_more_than_its_start() {
    // A search that moves nothing is never worse either.
    base::Random random(printed_seed());
    double gained = 0;
    for (int repeat = 0; repeat < 20; ++repeat) {
      const Case given = random_case(random, 40);
      const surrogate::KernelFit start = random_start(random, 4);
      gained += density(given, given.fit(start, random.bits()), {}) - density(given, start, {});
    }
    QVERIFY(gained > 20);
  }

  void fit_respects_narrow_bounds() {
    base::Random random(printed_seed());
    const surrogate::KernelPrior prior{.min_lengthscale = 0.5,
                                       .max_lengthscale = 0.7,
                                       .nugget = 1e-3,
                                       .min_nugget = 1e-2,
                                       .max_nugget = 2e-2};
    for (int repeat = 0; repeat < 30; ++repeat) {
      const Case given = random_case(random, 20);
      surrogate::KernelFit start = random_start(random, 4);
      start.lengthscales[0] = 1e-9;
      start.lengthscales[1] = 1e9;
      start.nugget = random.chance(0.5) ? 0 : 1e6;
      const surrogate::KernelFit fit = given.fit(start, random.bits(), prior);
      QVERIFY(respects(prior, fit));
      const surrogate::KernelFit inside = brought_into(prior, start);
      QVERIFY(density(given, fit, prior) >= density(given, inside, prior) - 1e-6);
      const surrogate::KernelFit unmoved = given.fit(start, 1, prior, {.proposals = 0});
      for (std::size_t column = 0; column < 4; ++column)
        QVERIFY(near(unmoved.lengthscales[column], inside.lengthscales[column], 1e-12, 0));
      QVERIFY(near(unmoved.nugget, inside.nugget, 1e-12, 0));
    }
  }

  void fit_follows_from_its_seed() {
    base::Random random(printed_seed());
    const Case given = random_case(random, 40);
    const surrogate::KernelFit start{std::vector<double>(4, 1), 1e-3};
    const std::uint64_t seed = random.bits();
    const surrogate::KernelFit fit = given.fit(start, seed);
    QCOMPARE(given.fit(start, seed), fit);
    QVERIFY(given.fit(start, seed + 1) != fit);
    Case moved = given;
    for (double& value : moved.values) value *= 0x1p30;  // the unit is no part of what is fitted
    QCOMPARE(moved.fit(start, seed), fit);
  }

  void fit_of_nothing_to_tell() {
    base::Random random(printed_seed());
    const surrogate::KernelFit start{std::vector<double>(4, 1), 1e-3};
    Case given = random_case(random, 20);
    given.values.assign(20, random.normal());
    QVERIFY(respects({}, given.fit(start, random.bits())));
    given.points.resize(1);
    given.values.resize(1);
    QVERIFY(respects({}, given.fit(start, random.bits())));
    given.points.clear();
    given.values.clear();
    QVERIFY(respects({}, given.fit(start, random.bits())));
    const surrogate::ProductKernel no_columns({}, surrogate::Correlation::Exponential, 0.2, {});
    const Case nowhere{no_columns, std::vector<base::GridPoint>(20), random_values(random, 20)};
    QVERIFY(respects({}, nowhere.fit({{}, 1e-3}, random.bits())));
  }

  void fit_tells_which_column_matters() {
    base::Random random(printed_seed());
    const std::vector<double> steps{0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1};
    const std::vector<base::GridColumn> grid{{.positions = steps}, {.positions = steps}};
    int right = 0;
    for (int repeat = 0; repeat < 20; ++repeat) {
      const std::size_t matters = drawn_below(random, 2);
      std::vector<double> lengthscales{50, 50};
      lengthscales[matters] = 0.2;
      const surrogate::ProductKernel kernel(grid, surrogate::Correlation::Exponential, 0.2, lengthscales);
      const Case drawn = case_of_process(random, kernel, 1e-3, 80);
      const surrogate::KernelFit fit = drawn.fit({{1, 1}, 1e-3}, random.bits());
      if (fit.lengthscales[matters] < fit.lengthscales[1 - matters]) ++right;
    }
    qInfo("%d of 20", right);
    QVERIFY(right >= 15);
  }

  void fit_tells_noise() {
    base::Random random(printed_seed());
    int right = 0;
    for (int repeat = 0; repeat < 20; ++repeat) {
      const std::vector<base::GridColumn> grid = random_columns(random, 2, 8);
      const surrogate::ProductKernel kernel(grid, surrogate::Correlation::Matern32, 0.2, {1, 1});
      const auto nugget_of = [&](double noise) {
        return case_of_process(random, kernel, noise, 80).fit({{1, 1}, 1e-3}, random.bits()).nugget;
      };
      if (nugget_of(0.5) > nugget_of(1e-5)) ++right;
    }
    qInfo("%d of 20", right);
    QVERIFY(right >= 15);
  }
};

KERNELSCAPE_PLAIN_TEST(SurrogateKernelFitTest)

}  // namespace kernelscape::surrogate_kernel_fit_test
#include "surrogate_kernel_fit_test.moc"
