#include <array>
#include <cmath>

#include "core/surrogate/expected_improvement.h"
#include "core/tuner/forest_model.h"
#include "tests/test_program.h"
#include "tests/tuner/tuner_fixture.h"

namespace kernelscape::tuner_adatune_test {
using namespace kernelscape::tuner_fixture;

namespace {

using SettingTexts = std::map<std::string, std::string>;

double smooth_fitness(const space::Configuration& configuration) {
  double fitness = 100;
  for (const std::uint32_t index : configuration.indices) fitness -= std::abs(static_cast<double>(index) - 9);
  return fitness;
}

/** A batch as the tuner described it. */
struct Batch {
  std::vector<space::Configuration> candidates;
  std::vector<std::map<std::string, double>> series;  ///< per candidate
};

Batch next_batch(tuner::Tuner& tuner, std::size_t n, const Fitness& fitness) {
  Batch batch{propose(tuner, n), {}};
  for (std::size_t i = 0; i < batch.candidates.size(); ++i) {
    batch.series.emplace_back();
    for (const trial::SeriesValue& value : tuner.series(i)) batch.series.back()[value.series] = value.value;
  }
  tuner.observe(measure(batch.candidates, fitness));
  return batch;
}

std::vector<trial::Observation> random_trials(const space::SearchSpace& space, std::size_t count,
                                              std::uint64_t seed, const Fitness& fitness) {
  base::Random random(seed);
  std::vector<space::Configuration> configurations;
  for (std::size_t i = 0; i < count; ++i) configurations.push_back(*space.random_member(random));
  return measure(configurations, fitness);
}

tuner::ForestModel make_model(const space::SearchSpace& space, std::uint64_t seed,
                              std::size_t features_per_split = 10) {
  return tuner::ForestModel(std::make_shared<space::KnobFeatures>(space), {.seed = seed}, features_per_split);
}

/** A forest of the trials, made without the tuner. */
surrogate::RandomForest forest_of(const space::SearchSpace& space,
                                  const std::vector<trial::Observation>& trials,
                                  const surrogate::ForestOptions& options) {
  const space::KnobFeatures features(space);
  std::vector<float> rows;
  std::vector<double> labels;
  for (const trial::Observation& trial : trials) {
    for (const float value : features.compute(trial.configuration)) rows.push_back(value);
    labels.push_back(trial.fitness);
  }
  return *surrogate::RandomForest::train({rows, features.names().size(), labels}, options);
}

}  // namespace

class TunerAdatuneTest : public QObject {
  Q_OBJECT

  const space::SearchSpace space_ = plain_space({20, 20, 20, 20});

  std::unique_ptr<tuner::Tuner> tuner(std::uint64_t seed, const SettingTexts& settings = {}) const {
    return make_tuner("adatune", make_context("adatune", space_, seed, settings));
  }

 private slots:
  void epsilon_by_hand() {
    const std::vector<surrogate::ForestEstimate> estimates{{50, 1}, {0, 2}, {7, 3}};
    QCOMPARE(tuner::contextual_epsilon(estimates, 10), 0.2);
    QCOMPARE(tuner::contextual_epsilon(estimates, 2), 1.0);
    QCOMPARE(tuner::contextual_epsilon(estimates, 1), 1.0);
    QCOMPARE(tuner::contextual_epsilon(estimates, 0), 1.0);
    QCOMPARE(tuner::contextual_epsilon(std::vector<surrogate::ForestEstimate>{{5, 0}, {6, 0}}, 10), 0.0);
    QCOMPARE(tuner::contextual_epsilon({}, 10), 0.0);
  }

  void defaults_are_the_published_ones() {
    const tuner::Declaration& declaration = **tuner::find_tuner("adatune");
    QCOMPARE(declaration.default_batch, std::int64_t{32});
    const tuner::SettingValues settings = *tuner::parse_settings(declaration, {});
    QCOMPARE(space::to_string(settings.at("plan_size")), std::string("32"));
    QCOMPARE(space::to_string(settings.at("chains")), std::string("64"));
    QCOMPARE(space::to_string(settings.at("trees")), std::string("10"));
    QCOMPARE(space::to_string(settings.at("features_per_split")), std::string("10"));
    QCOMPARE(space::to_string(settings.at("epsilon_samples")), std::string("20"));
    QCOMPARE(space::to_string(settings.at("epsilon_rule")), std::string("contextual"));
    QCOMPARE(space::to_string(settings.at("score_unit")), std::string("flops"));
    QCOMPARE(space::to_string(settings.at("features")), std::string("automatic"));
  }

  void first_plan_is_random_the_others_predicted() {
    const auto made = tuner(printed_seed());
    for (const auto& values : next_batch(*made, 32, smooth_fitness).series) QVERIFY(values.empty());
    for (const std::size_t n : {32U, 20U, 12U, 40U}) {
      const Batch batch = next_batch(*made, n, smooth_fitness);
      for (const auto& values : batch.series) {
        QCOMPARE(values.size(), std::size_t{5});
        QCOMPARE(values.at("epsilon"), batch.series.front().at("epsilon"));
        QVERIFY(values.at("epsilon") >= 0 && values.at("epsilon") <= 1);
        QVERIFY(values.at("predicted_deviation") >= 0);
      }
    }
  }

  void predictions_are_those_of_a_forest_of_the_trials() {
    // All that is unmeasured is sampled for epsilon.
    const space::SearchSpace space = plain_space({4, 4, 4});
    const std::uint64_t seed = printed_seed();
    const SettingTexts settings{{"epsilon_samples", "1000"}, {"trees", "7"}, {"features_per_split", "2"}};
    const auto made = make_tuner("adatune", make_context("adatune", space, seed, settings));
    const Batch first = next_batch(*made, 32, rough_fitness);
    const Batch second = next_batch(*made, 32, rough_fitness);
    const std::vector<trial::Observation> trials = measure(first.candidates, rough_fitness);
    double best = 0;
    for (const trial::Observation& trial : trials) best = std::max(best, trial.fitness);
    const surrogate::RandomForest forest = forest_of(space, trials,
                                                     {.trees = 7,
                                                      .features_per_split = 2.0 / 3,
                                                      .constant_columns = surrogate::ConstantColumns::Counted,
                                                      .seed = base::Random(seed).fork("forest").seed()});
    double deviations = 0;
    QCOMPARE(second.candidates.size(), std::size_t{32});
    for (std::size_t i = 0; i < 32; ++i) {
      const surrogate::ForestEstimate estimate =
          forest.estimate(space::KnobFeatures(space).compute(second.candidates[i]));
      QCOMPARE(second.series[i].at("predicted_mean"), estimate.mean);
      QCOMPARE(second.series[i].at("predicted_deviation"), estimate.deviation);
      QCOMPARE(second.series[i].at("expected_improvement"),
               surrogate::expected_improvement(estimate.mean, estimate.deviation, best));
      deviations += estimate.deviation;
    }
    QVERIFY(deviations > 0);
    QVERIFY(std::abs(second.series[0].at("epsilon") - deviations / 32 / best) < 1e-12);
  }

  void plan_ends_with_its_random_share_data() {
    QTest::addColumn<QString>("epsilon");
    QTest::addColumn<std::size_t>("random");
    QTest::addRow("0.01") << "0.01" << std::size_t{0};
    QTest::addRow("0.05") << "0.05" << std::size_t{1};
    QTest::addRow("0.1") << "0.1" << std::size_t{3};
    QTest::addRow("0.5") << "0.5" << std::size_t{16};
    QTest::addRow("1") << "1" << std::size_t{32};
  }
  void plan_ends_with_its_random_share() {
    // A tuner that takes nothing random plans the same: the plans part where the random share begins.
    QFETCH(QString, epsilon);
    QFETCH(std::size_t, random);
    const std::uint64_t seed = printed_seed();
    const auto mixed = tuner(seed, {{"epsilon_rule", "fixed"}, {"epsilon", epsilon.toStdString()}});
    const auto pure = tuner(seed, {{"epsilon_rule", "fixed"}, {"epsilon", "0"}});
    next_batch(*mixed, 32, smooth_fitness);
    next_batch(*pure, 32, smooth_fitness);
    const Batch with = next_batch(*mixed, 32, smooth_fitness);
    const Batch without = next_batch(*pure, 32, smooth_fitness);
    QCOMPARE(with.series[0].at("epsilon"), epsilon.toDouble());
    for (std::size_t i = 0; i < 32; ++i)
      QCOMPARE(with.candidates[i] == without.candidates[i], i < 32 - random);
  }

  void contextual_epsilon_parts_the_plan_too() {
    const std::uint64_t seed = printed_seed();
    const auto contextual = tuner(seed);
    const auto pure = tuner(seed, {{"epsilon_rule", "fixed"}, {"epsilon", "0"}});
    next_batch(*contextual, 32, rough_fitness);
    next_batch(*pure, 32, rough_fitness);
    const Batch with = next_batch(*contextual, 32, rough_fitness);
    const Batch without = next_batch(*pure, 32, rough_fitness);
    const auto random = static_cast<std::size_t>(32 * with.series[0].at("epsilon"));
    QVERIFY(random > 0);  // the fitness is noise: no forest is sure of it
    for (std::size_t i = 0; i < 32; ++i)
      QCOMPARE(with.candidates[i] == without.candidates[i], i < 32 - random);
  }

  void plans_climb_what_they_are_asked_to_data() {
    QTest::addColumn<QString>("acquisition");
    QTest::addColumn<QString>("score_unit");
    QTest::addColumn<QString>("series");
    for (const char* unit : {"flops", "relative to the best"}) {
      QTest::addRow("improvement, %s", unit) << "expected improvement" << unit << "expected_improvement";
      QTest::addRow("mean, %s", unit) << "mean" << unit << "predicted_mean";
    }
  }
  void plans_climb_what_they_are_asked_to() {
    QFETCH(QString, acquisition);
    QFETCH(QString, score_unit);
    QFETCH(QString, series);
    const auto made = tuner(printed_seed(), {{"acquisition", acquisition.toStdString()},
                                             {"score_unit", score_unit.toStdString()},
                                             {"epsilon_rule", "fixed"},
                                             {"epsilon", "0"}});
    next_batch(*made, 32, smooth_fitness);
    const Batch batch = next_batch(*made, 32, smooth_fitness);
    for (std::size_t i = 1; i < 32; ++i) {
      const double before = batch.series[i - 1].at(series.toStdString());
      // Scores are floats: they keep the order but for what they round away.
      QVERIFY(batch.series[i].at(series.toStdString()) <= before * (1 + 1e-6));
    }
  }

  void sure_forest_takes_nothing_at_random() {
    const auto made = tuner(printed_seed());
    const auto constant = [](const space::Configuration&) { return 3.0; };
    next_batch(*made, 32, constant);
    for (const auto& values : next_batch(*made, 32, constant).series) {
      QCOMPARE(values.at("epsilon"), 0.0);
      QCOMPARE(values.at("predicted_mean"), 3.0);
      QCOMPARE(values.at("predicted_deviation"), 0.0);
      QCOMPARE(values.at("expected_improvement"), 0.0);
    }
  }

  void errors_alone_teach_nothing() {
    const auto made = tuner(printed_seed());
    for (int plan = 0; plan < 3; ++plan) {
      for (const auto& values : next_batch(*made, 32, [](const space::Configuration&) { return 0.0; }).series)
        QVERIFY(values.empty());
    }
    for (const auto& values : next_batch(*made, 32, smooth_fitness).series) QVERIFY(values.empty());
    for (const auto& values : next_batch(*made, 32, smooth_fitness).series) QVERIFY(!values.empty());
  }

  void very_large_and_small_fitness_is_searched() {
    for (const double scale : {1e-5, 1e12, 1e40}) {
      const auto made = tuner(printed_seed());
      const auto fitness = [scale](const space::Configuration& c) { return scale * smooth_fitness(c); };
      next_batch(*made, 32, fitness);
      for (const auto& values : next_batch(*made, 32, fitness).series)
        QVERIFY(std::isfinite(values.at("expected_improvement")));
    }
  }

  void plans_get_better() {
    const auto steep_fitness = [](const space::Configuration& c) {
      return std::exp((smooth_fitness(c) - 64) / 8);
    };
    const auto made = tuner(printed_seed());
    double random = 0;
    double last_five = 0;  // one plan alone may explore
    for (int plan = 0; plan < 10; ++plan) {
      double mean = 0;
      for (const space::Configuration& candidate : next_batch(*made, 32, steep_fitness).candidates)
        mean += steep_fitness(candidate) / 32;
      if (plan == 0) random = mean;
      if (plan >= 5) last_five += mean / 5;
    }
    QVERIFY2(last_five > 1.3 * random, qPrintable(QString("%1 to %2").arg(random).arg(last_five)));
  }

  void history_makes_the_first_plan() {
    tuner::Context context = make_context("adatune", space_, printed_seed());
    context.history = random_trials(space_, 32, printed_seed(), smooth_fitness);
    const Batch first = next_batch(*make_tuner("adatune", context), 32, smooth_fitness);
    for (const auto& values : first.series) QCOMPARE(values.at("epsilon"), 0.05);
    // Nothing is measured yet, so that any speed improves on it.
    QVERIFY(first.series[0].at("expected_improvement") >= first.series[0].at("predicted_mean"));
    tuner::Context short_of_one = context;
    short_of_one.history.pop_back();
    short_of_one.history.push_back({{{99, 0, 0, 0}}, 50, trial::ErrorCategory::NoError});  // of another space
    QVERIFY(next_batch(*make_tuner("adatune", short_of_one), 32, smooth_fitness).series[0].empty());
    tuner::Context errors = context;
    for (trial::Observation& trial : errors.history) trial.fitness = 0;
    QVERIFY(next_batch(*make_tuner("adatune", errors), 32, smooth_fitness).series[0].empty());
    context.history_features.assign(32, std::vector<float>(4));
    QVERIFY(next_batch(*make_tuner("adatune", context), 32, smooth_fitness).series[0].empty());
  }

  void history_of_a_faster_machine_is_outgrown() {
    const std::uint64_t seed = printed_seed();
    tuner::Context context = make_context("adatune", space_, seed);
    context.history = random_trials(space_, 300, seed,
                                    [](const space::Configuration& c) { return 1000 * smooth_fitness(c); });
    tuner::ForestModel model = make_model(space_, seed);
    QVERIFY(model.learn_history(context, 300));
    QCOMPARE(model.size(), std::size_t{0});
    QCOMPARE(model.best_fitness(), 0.0);
    const std::vector<trial::Observation> own = random_trials(space_, 277, seed + 1, smooth_fitness);
    const auto greatest_prediction = [&] {
      double greatest = 0;
      for (const trial::Observation& trial : own)
        greatest = std::max(greatest, model.estimates(std::array{trial.configuration})[0].mean);
      return greatest;
    };
    for (std::size_t i = 0; i < 276; ++i) model.add(own[i]);
    QVERIFY(model.fit());
    QVERIFY(model.greatest_label() > 1000 && greatest_prediction() > 1000);
    model.add(own[276]);
    QVERIFY(model.fit());
    QCOMPARE(model.greatest_label(), model.best_fitness());
    QVERIFY(greatest_prediction() <= 100);
    const surrogate::RandomForest expected = forest_of(space_, own, {.seed = seed});
    QCOMPARE(model.estimates(std::array{own[5].configuration})[0],
             expected.estimate(space::KnobFeatures(space_).compute(own[5].configuration)));
  }

  void faster_history_makes_a_plan_all_random() {
    tuner::Context context = make_context("adatune", space_, printed_seed());
    context.history = random_trials(space_, 100, printed_seed(),
                                    [](const space::Configuration& c) { return 1e6 * rough_fitness(c); });
    const auto made = make_tuner("adatune", context);
    next_batch(*made, 32, smooth_fitness);
    QCOMPARE(next_batch(*made, 32, smooth_fitness).series[0].at("epsilon"), 1.0);
  }

  void same_trials_same_forest() {
    const std::uint64_t seed = printed_seed();
    tuner::ForestModel first = make_model(space_, seed, 2);
    tuner::ForestModel second = make_model(space_, seed, 2);
    QVERIFY(!first.ready());
    for (const trial::Observation& trial : random_trials(space_, 200, seed, smooth_fitness)) {
      first.add(trial);
      second.add(trial);
    }
    QVERIFY(first.fit() && second.fit() && second.fit());
    std::vector<space::Configuration> asked;
    for (const trial::Observation& trial : random_trials(space_, 50, seed + 1, smooth_fitness))
      asked.push_back(trial.configuration);
    QVERIFY(first.estimates(asked) == second.estimates(asked));
  }
};

KERNELSCAPE_PLAIN_TEST(TunerAdatuneTest)

}  // namespace kernelscape::tuner_adatune_test
#include "tuner_adatune_test.moc"
