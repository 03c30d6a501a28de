#include <QTest>

#include "tests/test_program.h"
#include "tests/tuner/space_model_reference.h"

namespace kernelscape::tuner_space_model_test {
using namespace kernelscape::testing;
using namespace kernelscape::tuner_fixture;

namespace {

std::vector<trial::Observation> with_spread(std::vector<trial::Observation> observations, double spread) {
  for (trial::Observation& observation : observations)
    observation.spread = observation.fitness > 0 ? spread : 0;
  return observations;
}

}  // namespace

/** What the tuner gp knows of a space, against formulas over whole matrices. */
class TunerSpaceModelTest : public QObject {
  Q_OBJECT

 private slots:
  void follows_from_the_trials_data() {
    QTest::addColumn<double>("failing_share");
    QTest::addColumn<std::size_t>("block");
    QTest::addColumn<std::size_t>("trials");
    QTest::addColumn<bool>("defaults");
    const auto add = [](const char* name, double failing_share, std::size_t block, std::size_t trials,
                        bool defaults = false) {
      QTest::newRow(name) << failing_share << block << trials << defaults;
    };
    add("none fails, one by one", 0, 1, 95);
    add("some fail, one by one", 0.3, 1, 140);
    add("most fail, in batches", 0.8, 7, 95);
    add("some fail, at once", 0.2, 95, 95);
    add("beyond fits, in batches", 0.2, 40, 200);
    add("defaults", 0.2, 1, 95, true);
  }

  void follows_from_the_trials() {
    QFETCH(double, failing_share);
    QFETCH(std::size_t, block);
    QFETCH(std::size_t, trials);
    QFETCH(bool, defaults);
    base::Random random(printed_seed());
    const surrogate::SpaceModelOptions options = defaults ? surrogate::SpaceModelOptions{} : late_options();
    const space::SearchSpace space = usual_space();
    ModelOfSpace model = model_of(space, random.bits(), options);
    std::vector<trial::Observation> observations;
    while (observations.size() < trials) {
      for (const trial::Observation& observation : random_observations(random, space, block, failing_share)) {
        observations.push_back(observation);
        model.observe(observation);
      }
      model.update();
      QCOMPARE(model.fitted(), model.valid_trials() >= options.fit_from);
      const QString found = difference(model, observations, some_points(random, model, 5));
      QVERIFY2(found.isEmpty(),
               qPrintable(QString("%1 after %2 trials").arg(found).arg(observations.size())));
    }
  }

  void slow_trials_are_distinguished_less() {
    const space::SearchSpace space = plain_space({20});
    const std::vector<double> log_times{3, 1, 7, 2, 5};  // the median is 2 above the best
    ModelOfSpace model = model_of(space);
    for (std::uint32_t i = 0; i < 5; ++i) {
      model.observe({{{i}}, std::exp(-log_times[i])});
      model.update();
      const std::span<const double> values = model.performance().values();
      if (i == 3) QVERIFY(near(values[2] - values[1], 6, 1e-12));  // four trials are too few for a cap
    }
    const std::vector<double> above_best{2, 0, 2 + 0.2 * 4, 1, 2 + 0.2 * 2};
    const std::span<const double> values = model.performance().values();
    for (std::size_t i = 0; i < 5; ++i) {
      QVERIFY(near(values[i] - values[1], above_best[i], 1e-12));
      QVERIFY(near(model.fitness_at(values[i]), std::exp(-log_times[i]), 1e-12, 0));
    }
  }

  void the_cap_keeps_a_distance_from_the_best() {
    // All but the last are equal: the median is the best one.
    std::vector<trial::Observation> observations;
    for (std::uint32_t i = 0; i < 6; ++i) observations.push_back({{{i}}, 100});
    observations.push_back({{{6}}, 100 * std::exp(-1.05)});
    const ModelOfSpace model = model_of(plain_space({20}), observations);
    const std::span<const double> values = model.performance().values();
    QVERIFY(near(values[6] - values[0], 0.05 + 0.2, 1e-12));
    QVERIFY(near(model.fitness_at(values[6]), observations[6].fitness, 1e-12, 0));
  }

  /** Until lengthscales are fitted, the kernel follows from the settings alone. */
  void settings_hold_until_the_first_fit() {
    base::Random random(printed_seed());
    const space::SearchSpace space = usual_space();
    for (int repeat = 0; repeat < 5; ++repeat) {
      surrogate::SpaceModelOptions options;
      options.damping = 0.9 * random.uniform();
      options.prior.nugget = 1e-5 + 0.1 * random.uniform();
      options.exponential_from = static_cast<std::int64_t>(random.below(40));
      options.fit_from = 2 + static_cast<std::int64_t>(random.below(40));
      ModelOfSpace model = model_of(space, random.bits(), options);
      for (const trial::Observation& observation : random_observations(random, space, 45, 0)) {
        model.observe(observation);
        model.update();
        QCOMPARE(model.fitted(), model.valid_trials() >= options.fit_from);
        const surrogate::ProductKernel& kernel = model.performance().kernel();
        QCOMPARE(kernel.damping(), options.damping);
        QCOMPARE(kernel.correlation() == surrogate::Correlation::Exponential,
                 model.valid_trials() >= options.exponential_from);
        if (model.fitted()) continue;
        QCOMPARE(kernel.lengthscales(), std::vector<double>(3, 1));
        QCOMPARE(model.performance().nugget(), options.prior.nugget);
      }
    }
  }

  void fits_again_when_trials_have_grown() {
    base::Random random(printed_seed());
    const space::SearchSpace space = usual_space();
    int moved = 0;
    for (int repeat = 0; repeat < 4; ++repeat) {
      std::vector<trial::Observation> observations = random_observations(random, space, 150, 0);
      ModelOfSpace model = model_of(space, {observations.begin(), observations.begin() + 99}, random.bits());
      surrogate::KernelFit last{std::vector<double>(3, 1), 1e-3};
      for (std::size_t i = 99; i < 150; ++i) {
        model.observe(observations[i]);
        model.update();
        const surrogate::KernelFit fit{model.performance().kernel().lengthscales(),
                                       model.performance().nugget()};
        // 100 is the first; 1.15 times as many are 115, and then 133 rounded up.
        const bool due = i + 1 == 100 || i + 1 == 115 || i + 1 == 133;
        QVERIFY(model.fitted() && (due || fit == last));
        moved += fit == last ? 0 : 1;
        last = fit;
      }
      const surrogate::KernelPrior prior;
      for (const double lengthscale : last.lengthscales)
        QVERIFY(lengthscale >= prior.min_lengthscale && lengthscale <= prior.max_lengthscale);
    }
    QVERIFY(moved >= 8);  // a search may find nothing better than what the last one found
  }

  void a_fit_tells_what_matters() {
    base::Random random(printed_seed());
    const space::SearchSpace space = plain_space({12, 12});
    int right = 0;
    for (int repeat = 0; repeat < 10; ++repeat) {
      ModelOfSpace model = model_of(space, random.bits());
      for (int i = 0; i < 130; ++i) {
        space::Configuration configuration = *space.random_member(random);
        model.observe({configuration, 100 * std::exp(std::sin(2.0 * configuration.indices[1]))});
      }
      model.update();
      const std::vector<double>& lengthscales = model.performance().kernel().lengthscales();
      if (lengthscales[1] < lengthscales[0]) ++right;
    }
    QVERIFY2(right >= 8, qPrintable(QString("%1 of 10").arg(right)));
  }

  void failures_are_learnt() {
    // The half with a greater knob fails: nothing else is said of where.
    base::Random random(printed_seed());
    const space::SearchSpace space = plain_space({10, 10});
    ModelOfSpace model = model_of(space);
    for (int i = 0; i < 60; ++i) {
      const space::Configuration configuration = *space.random_member(random);
      const bool fails = configuration.indices[0] >= 5;
      model.observe({configuration, fails ? 0.0 : 50.0 + configuration.indices[1],
                     fails ? trial::ErrorCategory::RunTimeout : trial::ErrorCategory::NoError});
    }
    model.update();
    double good = 0;
    double bad = 0;
    for (std::uint32_t second = 0; second < 10; ++second) {
      good += model.predict({1, second}).feasibility / 10;
      bad += model.predict({8, second}).feasibility / 10;
    }
    QVERIFY2(good > 0.8 && bad < 0.2, qPrintable(QString("%1 and %2").arg(good).arg(bad)));
  }

  void nugget_follows_the_spread() {
    base::Random random(printed_seed());
    const space::SearchSpace space = usual_space();
    const std::vector<trial::Observation> observations = random_observations(random, space, 60, 0.2);
    double last = 0;
    for (const double spread : {0.0, 1e-6, 0.1, 0.3, 1.0, 1e3}) {
      ModelOfSpace model = model_of(space, with_spread(observations, spread));
      model.update();
      QVERIFY(model.nugget_median() >= last);
      QCOMPARE(model.performance().nugget(), model.nugget_median());
      if (spread <= 1e-6) QCOMPARE(model.nugget_median(), 1e-3);
      if (spread >= 0.3) QVERIFY(model.nugget_median() > 2e-3);
      last = model.nugget_median();
      QVERIFY(last <= 1);
      QVERIFY(difference(model, with_spread(observations, spread), some_points(random, model, 5)).isEmpty());
    }
  }

  void large_models_are_bounded() {
    base::Random random(printed_seed());
    const space::SearchSpace space = usual_space();
    ModelOfSpace model = model_of(space, random.bits(), {.fit_from = 30, .fit_trials = 12, .max_trials = 20});
    double best = 0;
    for (const trial::Observation& observation : random_observations(random, space, 150, 0.2)) {
      model.observe(observation);
      model.update();
      best = std::max(best, observation.fitness);
      QVERIFY(model.performance().size() <= 23 && std::isfinite(model.incumbent()));
      if (model.feasibility() != nullptr) QVERIFY(model.feasibility()->size() <= 23);
      if (best > 0)
        QVERIFY(near(model.fitness_at(std::ranges::min(model.performance().values())), best, 1e-9));
    }
    QCOMPARE(model.trials(), std::int64_t{150});
  }

  void follows_from_its_seed() {
    base::Random random(printed_seed());
    const space::SearchSpace space = usual_space();
    const std::vector<trial::Observation> observations = random_observations(random, space, 200, 0.1);
    const ModelOfSpace model = model_of(space, observations, 7);
    const ModelOfSpace again = model_of(space, observations, 7);
    QVERIFY(model.fitted());
    QCOMPARE(model.performance().kernel().lengthscales(), again.performance().kernel().lengthscales());
    QCOMPARE(model.performance().nugget(), again.performance().nugget());
  }

  void nothing_known_breaks_nothing_data() {
    QTest::addColumn<std::vector<trial::Observation>>("observations");
    const auto add = [](const char* name, std::vector<trial::Observation> observations) {
      QTest::newRow(name) << std::move(observations);
    };
    const trial::Observation failure{{{1, 1}}, 0, trial::ErrorCategory::UnknownError};
    const trial::Observation success{{{2, 3}}, 100};
    add("no trial", {});
    add("one failure", {failure});
    add("failures only", std::vector<trial::Observation>(30, failure));
    add("one success", {success});
    add("the same success", std::vector<trial::Observation>(130, success));
    add("built only", std::vector<trial::Observation>(9, {{{2, 3}}, 0}));
    add("extremes", {{{{0, 0}}, 1e-300}, {{{0, 1}}, 1e300}, {{{1, 0}}, 1}, {{{1, 1}}, 1}, {{{2, 2}}, 1}});
  }

  void nothing_known_breaks_nothing() {
    QFETCH(std::vector<trial::Observation>, observations);
    for (const space::SearchSpace& space : {plain_space({4, 5}), plain_space({1, 1})}) {
      ModelOfSpace model = model_of(space);
      for (trial::Observation observation : observations) {
        if (space.size() == 1) observation.configuration = {{0, 0}};
        model.observe(observation);
        model.update();
      }
      model.update();
      const base::GridPoint point = model.coordinates().of({{0, 0}});
      for (int repeat = 0; repeat < 3; ++repeat) {
        const surrogate::Belief belief = model.predict(point);
        QVERIFY(std::isfinite(belief.fitness) && belief.fitness >= 0);
        QVERIFY(std::isfinite(belief.deviation) && belief.deviation >= 0);
        QVERIFY(belief.feasibility >= 0.01 && belief.feasibility <= 1);
        QVERIFY(std::isfinite(model.incumbent()));
        model.believe(point);
      }
      model.update();
      QCOMPARE(model.performance().size(), static_cast<std::size_t>(model.valid_trials()));
    }
  }
};

KERNELSCAPE_PLAIN_TEST(TunerSpaceModelTest)

}  // namespace kernelscape::tuner_space_model_test
#include "tuner_space_model_test.moc"
