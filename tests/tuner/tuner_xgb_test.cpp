#include <cmath>

#include "core/tuner/cost_model.h"
#include "tests/test_program.h"
#include "tests/tuner/tuner_fixture.h"

namespace kernelscape::tuner_xgb_test {
using namespace kernelscape::tuner_fixture;

namespace {

double smooth_fitness(const space::Configuration& configuration) {
  double fitness = 100;
  for (const std::uint32_t index : configuration.indices) fitness -= std::abs(static_cast<double>(index) - 9);
  return fitness;
}

std::vector<trial::Observation> random_trials(const space::SearchSpace& space, std::size_t count,
                                              std::uint64_t seed) {
  base::Random random(seed);
  std::vector<space::Configuration> configurations;
  for (std::size_t i = 0; i < count; ++i) configurations.push_back(*space.random_member(random));
  return measure(configurations, smooth_fitness);
}

std::vector<bool> predicted_candidates(tuner::Tuner& tuner, std::size_t n) {
  const auto candidates = propose(tuner, n);
  std::vector<bool> predicted;
  for (std::size_t i = 0; i < candidates.size(); ++i) predicted.push_back(!tuner.series(i).empty());
  tuner.observe(measure(candidates, smooth_fitness));
  return predicted;
}

std::vector<bool> predicted_then_random(std::size_t predicted, std::size_t random) {
  std::vector<bool> expected(predicted, true);
  expected.resize(predicted + random, false);
  return expected;
}

}  // namespace

class TunerXgbTest : public QObject {
  Q_OBJECT

  const space::SearchSpace space_ = plain_space({20, 20, 20, 20});

 private slots:
  void discount_by_hand() {
    QCOMPARE(tuner::transfer_discount(0), 1.0);
    QCOMPARE(tuner::transfer_discount(64), 0.5);
    QCOMPARE(tuner::transfer_discount(128), 0.25);
    QVERIFY(tuner::transfer_discount(276) > 0.05);
    QCOMPARE(tuner::transfer_discount(277), 0.0);
  }

  void first_plan_is_random_and_each_other_ends_so() {
    const auto tuner = make_tuner("xgb", make_context("xgb", space_, printed_seed()));
    QCOMPARE(predicted_candidates(*tuner, 64), predicted_then_random(0, 64));
    QCOMPARE(predicted_candidates(*tuner, 64), predicted_then_random(61, 3));
    // A plan in two pieces.
    QCOMPARE(predicted_candidates(*tuner, 40), predicted_then_random(40, 0));
    QCOMPARE(predicted_candidates(*tuner, 24), predicted_then_random(21, 3));
    QCOMPARE(predicted_candidates(*tuner, 64), predicted_then_random(61, 3));
  }

  void no_random_share_no_random_candidates() {
    const auto tuner = make_tuner(
        "xgb", make_context("xgb", space_, printed_seed(), {{"random_share", "0"}, {"plan_size", "20"}}));
    QCOMPARE(predicted_candidates(*tuner, 20), predicted_then_random(0, 20));
    QCOMPARE(predicted_candidates(*tuner, 20), predicted_then_random(20, 0));
  }

  void history_makes_the_first_plan() {
    tuner::Context context = make_context("xgb", space_, printed_seed());
    context.history = random_trials(space_, 500, printed_seed());
    QCOMPARE(predicted_candidates(*make_tuner("xgb", context), 64), predicted_then_random(61, 3));
    context.history.pop_back();
    QCOMPARE(predicted_candidates(*make_tuner("xgb", context), 64), predicted_then_random(0, 64));
  }

  void history_of_another_space_comes_with_its_features() {
    const space::SearchSpace other = plain_space({40, 40, 40, 40});
    const space::KnobFeatures features(other);
    tuner::Context context = make_context("xgb", space_, printed_seed());
    context.history = random_trials(other, 500, printed_seed());
    context.history_columns = features.names();
    for (const trial::Observation& trial : context.history) {
      context.history_features.push_back(features.compute(trial.configuration));
    }
    QCOMPARE(predicted_candidates(*make_tuner("xgb", context), 64), predicted_then_random(61, 3));
    tuner::Context of_other_columns = context;
    of_other_columns.history_columns.back() = "another variable";
    QCOMPARE(predicted_candidates(*make_tuner("xgb", of_other_columns), 64), predicted_then_random(0, 64));
    context.history_features.front().push_back(0);  // of another length: one too few is left
    QCOMPARE(predicted_candidates(*make_tuner("xgb", context), 64), predicted_then_random(0, 64));
  }

  void diversity_filter_keeps_the_plan_full() {
    const auto tuner =
        make_tuner("xgb", make_context("xgb", space_, printed_seed(), {{"diversity_ratio", "2"}}));
    QCOMPARE(predicted_candidates(*tuner, 64), predicted_then_random(0, 64));
    QCOMPARE(predicted_candidates(*tuner, 64), predicted_then_random(61, 3));
  }

  void model_ranks_unseen_configurations() {
    const std::uint64_t seed = printed_seed();
    tuner::CostModel model(std::make_shared<space::KnobFeatures>(space_), {}, base::Random(seed));
    QVERIFY(!model.ready());
    for (const trial::Observation& trial : random_trials(space_, 500, seed)) model.add(trial);
    QVERIFY(model.fit({}).has_value());
    QVERIFY(model.ready());
    const auto predicted =
        model.predict(std::vector<space::Configuration>{{{9, 9, 9, 9}}, {{9, 9, 0, 0}}, {{0, 0, 19, 19}}});
    QVERIFY(predicted.has_value());
    QVERIFY((*predicted)[0] > (*predicted)[1] && (*predicted)[1] > (*predicted)[2]);
  }

  void transferred_model_fades() {
    // History prefers small values, the trials large ones: what is predicted changes as trials come in.
    const std::uint64_t seed = printed_seed();
    const std::vector<space::Configuration> ends{{{0, 0, 0, 0}}, {{19, 19, 19, 19}}};
    tuner::Context context = make_context("xgb", space_, seed);
    const auto falling = [](const space::Configuration& c) { return 100.0 - c.indices[0] - c.indices[1]; };
    const auto rising = [](const space::Configuration& c) { return 1.0 + c.indices[0] + c.indices[1]; };
    std::vector<space::Configuration> past;
    for (const trial::Observation& trial : random_trials(space_, 600, seed))
      past.push_back(trial.configuration);
    context.history = measure(past, falling);

    tuner::CostModel model(std::make_shared<space::KnobFeatures>(space_), {}, base::Random(seed));
    QVERIFY(*model.transfer(context, 500, 64));
    QVERIFY(model.ready());
    const auto at_first = model.predict(ends);
    QVERIFY((*at_first)[0] > (*at_first)[1]);
    std::vector<space::Configuration> now;
    for (const trial::Observation& trial : random_trials(space_, 320, seed + 1))
      now.push_back(trial.configuration);
    for (const trial::Observation& trial : measure(now, rising)) model.add(trial);
    QVERIFY(model.fit({}).has_value());
    const auto at_last = model.predict(ends);
    QVERIFY((*at_last)[0] < (*at_last)[1]);
  }

  void a_predictor_that_it_improves_on_fades() {
    // After 64 trials half of what is expected counts. Half of this is right: there is nothing to add to it.
    const std::uint64_t seed = printed_seed();
    const auto predictor = std::make_shared<ToldPredictor>(
        [](const space::Configuration& one) { return 2 * smooth_fitness(one); });
    tuner::CostModel model(std::make_shared<space::KnobFeatures>(space_),
                           {.objective = surrogate::BoostingObjective::Regression}, base::Random(seed));
    model.improve_on(predictor);
    for (const trial::Observation& trial : random_trials(space_, 64, seed)) model.add(trial);
    QVERIFY(model.fit({}).has_value());
    const std::vector<space::Configuration> points{{{9, 9, 9, 9}}, {{0, 19, 3, 7}}, {{18, 2, 11, 5}}};
    const std::vector<float> predicted = model.predict(points).value();
    for (std::size_t i = 0; i < points.size(); ++i)
      QVERIFY(std::abs(predicted[i] * model.label_unit() - smooth_fitness(points[i])) < 0.01);
    for (const trial::Observation& trial : random_trials(space_, 213, seed + 1)) model.add(trial);
    predictor->asked.clear();
    QVERIFY(model.fit({}).has_value());
    QVERIFY(model.predict(points).has_value());
    QVERIFY(predictor->asked.empty());
  }
};

KERNELSCAPE_PLAIN_TEST(TunerXgbTest)

}  // namespace kernelscape::tuner_xgb_test
#include "tuner_xgb_test.moc"
