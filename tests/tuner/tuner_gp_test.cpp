#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "core/surrogate/expected_improvement.h"
#include "core/tuner/declaration.h"
#include "tests/test_program.h"
#include "tests/tuner/model_of_space.h"
#include "tests/tuner/tuner_fixture.h"

namespace kernelscape::tuner_gp_test {
using namespace kernelscape::tuner_fixture;
using kernelscape::testing::ModelOfSpace;

namespace {

/** Smooth, with its best at index 4 of every knob. */
double smooth_fitness(const space::Configuration& configuration) {
  double slowness = 1;
  for (const std::uint32_t index : configuration.indices)
    slowness += std::abs(static_cast<double>(index) - 4);
  return 100 / slowness;
}

/** The same where a corner of the space fails. */
double failing_fitness(const space::Configuration& configuration) {
  return configuration.indices[0] + configuration.indices[1] > 9 ? 0 : smooth_fitness(configuration);
}

/** The tuner's model, made from its trials alone. */
ModelOfSpace model_of(const space::SearchSpace& space, const std::vector<space::Configuration>& members,
                      std::uint64_t seed, bool beliefs_gain = true) {
  const surrogate::SpaceModelOptions options{.beliefs_gain = beliefs_gain};
  return {space::GridCoordinates(space, &members), options, base::Random(seed).fork("fit")};
}

/** What the tuner did before it had settings for it. */
const std::map<std::string, std::string> settings_of_before{
    {"believer", "plain"}, {"pools", "once"}, {"ties", "first"}};

double score(const ModelOfSpace& model, const space::Configuration& member) {
  const base::GridPoint point = model.coordinates().of(member);
  const surrogate::Posterior posterior = model.performance().predict(point);
  const double improvement =
      surrogate::expected_improvement(-posterior.mean, std::sqrt(posterior.variance), -model.incumbent());
  return (improvement + 1e-30) * model.predict(point).feasibility;
}

double greatest_unvisited_score(const ModelOfSpace& model, const std::vector<space::Configuration>& members,
                                const std::set<space::Configuration>& visited) {
  double greatest = 0;
  for (const space::Configuration& member : members)
    if (!visited.contains(member)) greatest = std::max(greatest, score(model, member));
  return greatest;
}

std::map<std::string, double> series_at(const tuner::Tuner& tuner, std::size_t position) {
  std::map<std::string, double> series;
  for (const trial::SeriesValue& value : tuner.series(position)) series[value.series] = value.value;
  return series;
}

double relative_difference(double a, double b) {
  return std::abs(a - b) / std::max(std::abs(a), std::abs(b));
}

}  // namespace

class TunerGpTest : public QObject {
  Q_OBJECT

 private slots:
  /** Every pick, also the later ones of a batch, which believe in those before them. */
  static void picks_the_greatest_score_data() {
    QTest::addColumn<bool>("gain");
    QTest::newRow("beliefs are gains") << true;
    QTest::newRow("as sessions of before") << false;
  }

  static void picks_the_greatest_score() {
    QFETCH(bool, gain);
    const std::uint64_t seed = printed_seed();
    const space::SearchSpace space = sum_space({9, 8, 7}, 14);
    const std::vector<space::Configuration> members = all_members(space);
    const auto tuner = make_tuner(
        "gp",
        make_context("gp", space, seed, gain ? std::map<std::string, std::string>{} : settings_of_before));
    ModelOfSpace model = model_of(space, members, seed, gain);
    std::set<space::Configuration> visited;
    for (int batch = 0; batch < 16; ++batch) {
      const std::vector<space::Configuration> candidates = propose(*tuner, 4);
      model.update();
      for (const space::Configuration& candidate : candidates) {
        if (batch > 0) {
          // The tuner scores in single precision.
          const double greatest = greatest_unvisited_score(model, members, visited);
          QVERIFY2(score(model, candidate) >= 0.98 * greatest - 1e-9, qPrintable(QString::number(greatest)));
          model.believe(model.coordinates().of(candidate));
        }
        visited.insert(candidate);
      }
      const std::vector<trial::Observation> trials = measure(candidates, failing_fitness);
      tuner->observe(trials);
      for (const trial::Observation& trial : trials) model.observe(trial);
    }
  }

  /** Sessions that were stored without the settings go on with what was before them. */
  static void later_settings_say_what_was_before() {
    const std::map<std::string, std::string> earlier = tuner::earlier_settings(**tuner::find_tuner("gp"));
    const tuner::SettingValues today = *tuner::parse_settings(**tuner::find_tuner("gp"), {});
    for (const auto& [name, value] : settings_of_before) {
      QVERIFY(earlier.contains(name));
      QCOMPARE(earlier.at(name), value);
      QVERIFY(space::to_string(today.at(name)) != value);
    }
  }

  /** Also once the trials are known: it learns of them at the next proposal. */
  static void reports_what_it_believes() {
    const std::uint64_t seed = printed_seed();
    const space::SearchSpace space = plain_space({9, 8, 1, 7});
    const std::vector<space::Configuration> members = all_members(space);
    const auto tuner = make_tuner("gp", make_context("gp", space, seed));
    ModelOfSpace model = model_of(space, members, seed);
    bool failed = false;
    std::size_t valid = 0;
    for (int batch = 0; batch < 12; ++batch) {
      const std::vector<space::Configuration> candidates = propose(*tuner, 4);
      model.update();
      std::vector<std::map<std::string, double>> reported;
      for (std::size_t i = 0; i < candidates.size(); ++i) {
        const std::map<std::string, double> series = series_at(*tuner, i);
        reported.push_back(series);
        QCOMPARE(series.contains("predicted_mean"), batch > 0);
        QCOMPARE(series.contains("feasibility"), batch > 0 && failed);
        // The third knob has a single value: it is no column.
        QCOMPARE(series.contains("lengthscale knob1"), valid >= 20);
        QVERIFY(!series.contains("lengthscale knob2"));
        if (batch == 0) continue;
        const surrogate::Belief belief = model.predict(model.coordinates().of(candidates[i]));
        QVERIFY(relative_difference(series.at("predicted_mean"), belief.fitness) < 1e-9);
        QVERIFY(relative_difference(series.at("predicted_deviation"), belief.deviation) < 1e-6);
      }
      for (const trial::Observation& trial : measure(candidates, failing_fitness)) {
        failed = failed || trial.category != trial::ErrorCategory::NoError;
        valid += trial.category == trial::ErrorCategory::NoError ? 1 : 0;
        model.observe(trial);
        tuner->observe({&trial, 1});
      }
      for (std::size_t i = 0; i < candidates.size(); ++i) QVERIFY(series_at(*tuner, i) == reported[i]);
    }
    QVERIFY(failed);
    QVERIFY(valid >= 20);
  }

  static void starts_with_as_many_points_as_asked() {
    const auto tuner = make_tuner(
        "gp", make_context("gp", plain_space({9, 8, 7}), 3, {{"start_points", "8"}, {"start", "farthest"}}));
    QCOMPARE(propose(*tuner, 20).size(), 8U);
    QVERIFY(tuner->series(0).empty());
  }

  static void random_members_until_two_are_valid() {
    const space::SearchSpace space = plain_space({9, 8, 7});
    const auto tuner = make_tuner("gp", make_context("gp", space, printed_seed()));
    for (int batch = 0; batch < 8; ++batch) {
      const std::vector<space::Configuration> candidates = propose(*tuner, 4);
      QCOMPARE(candidates.size(), 4U);
      QVERIFY(tuner->series(0).empty());
      tuner->observe(measure(candidates, [](const space::Configuration&) { return 0.0; }));
    }
    tuner->observe(measure(propose(*tuner, 2), smooth_fitness));
    propose(*tuner, 4);
    QVERIFY(!tuner->series(0).empty());
  }

  /** A space that is too large to be scored as a whole: pools find the way to the best all the same. */
  static void pools_find_the_best_of_a_large_space() {
    const space::SearchSpace space = plain_space({40, 40, 40, 40, 40});
    const std::uint64_t seed = printed_seed();
    const auto tuner = make_tuner("gp", make_context("gp", space, seed, {{"pool_members", "200"}}));
    double best = 0;
    for (const space::Configuration& candidate : run_tuner(*tuner, smooth_fitness, 120, always(4)))
      best = std::max(best, smooth_fitness(candidate));
    double random_best = 0;
    base::Random random(seed);
    for (int i = 0; i < 120; ++i)
      random_best = std::max(random_best, smooth_fitness(*space.random_member(random)));
    QVERIFY2(best > random_best, qPrintable(QString("%1 against %2").arg(best).arg(random_best)));
  }

  static void the_seed_decides() {
    const space::SearchSpace space = sum_space({9, 9, 9, 9}, 20);
    const std::uint64_t seed = printed_seed();
    const auto visited = [&](std::uint64_t seed_of_run, const char* pools) {
      const auto tuner = make_tuner(
          "gp", make_context("gp", space, seed_of_run,
                             {{"whole_space_members", "0"}, {"pool_members", "50"}, {"pools", pools}}));
      return run_tuner(*tuner, failing_fitness, 60, always(5));
    };
    for (const char* pools : {"climbing", "once"}) {
      QVERIFY(visited(seed, pools) == visited(seed, pools));
      QVERIFY(visited(seed, pools) != visited(seed + 1, pools));
    }
  }

  /** Small pools of a small space run dry before the space does. */
  static void pools_visit_every_member() {
    const space::SearchSpace space = sum_space({5, 4, 3}, 6);
    const auto tuner = make_tuner("gp", make_context("gp", space, printed_seed(),
                                                     {{"whole_space_members", "0"}, {"pool_members", "2"}}));
    const std::vector<space::Configuration> visited = run_tuner(*tuner, failing_fitness, 1000, always(4));
    QCOMPARE(std::set<space::Configuration>(visited.begin(), visited.end()).size(),
             all_members(space).size());
    QCOMPARE(visited.size(), all_members(space).size());
  }

  /** More trials than the model holds. */
  static void a_small_model_is_enough() {
    const space::SearchSpace space = plain_space({9, 8, 7});
    const auto tuner = make_tuner("gp", make_context("gp", space, printed_seed(), {{"model_trials", "20"}}));
    QCOMPARE(run_tuner(*tuner, failing_fitness, 1000, always(4)).size(), 504U);
  }

  static void settings_that_contradict_each_other_are_refused() {
    const space::SearchSpace space = plain_space({3, 3});
    for (const std::map<std::string, std::string>& settings :
         {std::map<std::string, std::string>{{"least_nugget", "0.5"}, {"most_nugget", "0.1"}},
          std::map<std::string, std::string>{{"least_step_size", "2"}, {"most_step_size", "1"}}}) {
      const auto tuner = (*tuner::find_tuner("gp"))->make(make_context("gp", space, 1, settings));
      QVERIFY(!tuner);
      QVERIFY(QString::fromStdString(tuner.error().message)
                  .contains(settings.begin()->first == "least_nugget" ? "most_nugget" : "most_step_size"));
    }
  }
};

KERNELSCAPE_TEST(TunerGpTest, QCoreApplication)

}  // namespace kernelscape::tuner_gp_test
#include "tuner_gp_test.moc"
