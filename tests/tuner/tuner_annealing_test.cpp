#include <cmath>

#include "core/tuner/annealing.h"
#include "tests/test_program.h"
#include "tests/tuner/tuner_fixture.h"

namespace kernelscape::tuner_annealing_test {
using namespace kernelscape::tuner_fixture;

namespace {

float slope(const space::Configuration& configuration) {
  float sum = 0;
  for (const std::uint32_t index : configuration.indices) sum += static_cast<float>(index);
  return sum;
}

Result<std::vector<float>> slopes(std::span<const space::Configuration> configurations) {
  std::vector<float> scores;
  for (const space::Configuration& configuration : configurations) scores.push_back(slope(configuration));
  return scores;
}

/** A chain in a space so large that one move away there is always something new. */
class Chain {
 public:
  explicit Chain(const std::map<std::string, std::string>& settings)
      : tuner_(make_tuner("sa",
                          make_context("sa", plain_space({1000, 1000, 1000}), printed_seed(), settings))) {}

  space::Configuration propose() { return tuner_fixture::propose(*tuner_, 1).front(); }
  double temperature() const { return tuner_->series(0).at(0).value; }
  void observe(const space::Configuration& candidate, double fitness) {
    tuner_->observe(std::vector<trial::Observation>{{candidate, fitness, trial::ErrorCategory::NoError}});
  }

 private:
  std::unique_ptr<tuner::Tuner> tuner_;
};

}  // namespace

class TunerAnnealingTest : public QObject {
  Q_OBJECT

 private slots:
  void acceptance_by_hand() {
    QCOMPARE(tuner::annealing_acceptance(-0.1, 0.5), std::exp(-0.1 / 0.50001));
    QCOMPARE(tuner::annealing_acceptance(0, 0.5), 1.0);
    QCOMPARE(tuner::annealing_acceptance(5, 0.5), std::exp(1.0));  // certain
    QCOMPARE(tuner::annealing_acceptance(-1, 0), std::exp(-1e5));  // impossible
  }

  void optimizer_finds_the_best_unvisited() {
    const space::SearchSpace space = plain_space({12, 12, 12});
    const std::uint64_t seed = printed_seed();
    tuner::Visited visited(space, base::Random(seed));
    visited.insert({{11, 11, 11}});
    tuner::AnnealingOptimizer optimizer(space, {}, base::Random(seed));
    const auto maximums = optimizer.find_maximums(slopes, 10, visited);
    QVERIFY(maximums.has_value());
    std::vector<float> scores;
    for (const tuner::ScoredConfiguration& maximum : *maximums) {
      QVERIFY(!visited.contains(maximum.configuration));
      QCOMPARE(maximum.score, slope(maximum.configuration));
      scores.push_back(maximum.score);
    }
    // Three configurations lose 1, six lose 2, ten lose 3.
    QCOMPARE(scores, (std::vector<float>{32, 32, 32, 31, 31, 31, 31, 31, 31, 30}));
  }

  void optimizer_gives_what_there_is() {
    const space::SearchSpace space = sum_space({5, 5}, 1);
    const std::uint64_t seed = printed_seed();
    tuner::AnnealingOptimizer optimizer(space, {}, base::Random(seed));
    const auto maximums = optimizer.find_maximums(slopes, 64, tuner::Visited(space, base::Random(seed)));
    QCOMPARE(maximums->size(), std::size_t{3});
    QVERIFY((maximums->back().configuration == space::Configuration{{0, 0}}));
  }

  void optimizer_hands_on_the_error_of_its_model() {
    tuner::AnnealingOptimizer optimizer(plain_space({5, 5}), {}, base::Random(1));
    const auto broken = [](std::span<const space::Configuration>) -> Result<std::vector<float>> {
      return fail(ErrorCode::Internal, "broken");
    };
    const auto maximums =
        optimizer.find_maximums(broken, 1, tuner::Visited(plain_space({5, 5}), base::Random(1)));
    QVERIFY(!maximums);
    QCOMPARE(maximums.error().message, std::string("broken"));
  }

  void temperature_is_geometric_over_the_budget() {
    tuner::Context context = make_context("sa", plain_space({1000, 1000}), printed_seed());
    context.trial_budget = 101;
    const auto tuner = make_tuner("sa", context);
    std::vector<double> temperatures;
    for (int trial = 0; trial < 103; ++trial) {
      const auto candidates = propose(*tuner, 1);
      temperatures.push_back(tuner->series(0).at(0).value);
      tuner->observe(measure(candidates, rough_fitness));
    }
    QCOMPARE(temperatures[0], 0.5);
    QCOMPARE(temperatures[50], std::sqrt(0.5 * 0.01));
    QCOMPARE(temperatures[100], 0.01);
    QCOMPARE(temperatures[102], 0.01);
    QVERIFY(tuner->series(1).empty());
  }

  /** A result that is read after 25 trials, of a schedule that ends there. */
  void cooling_may_end_before_the_budget() {
    tuner::Context context = make_context("sa", plain_space({1000, 1000}), printed_seed(),
                                          {{"cooling", "trials"}, {"cooling_trials", "25"}});
    context.trial_budget = 400;
    const auto tuner = make_tuner("sa", context);
    std::vector<double> temperatures;
    for (int trial = 0; trial < 30; ++trial) {
      const auto candidates = propose(*tuner, 1);
      temperatures.push_back(tuner->series(0).at(0).value);
      tuner->observe(measure(candidates, rough_fitness));
    }
    QCOMPARE(temperatures[0], 0.5);
    QCOMPARE(temperatures[12], std::sqrt(0.5 * 0.01));
    QCOMPARE(temperatures[24], 0.01);
    QCOMPARE(temperatures[29], 0.01);
  }

  void hot_chain_goes_anywhere() {
    Chain chain({{"start_temperature", "1000000"}, {"end_temperature", "1000000"}});
    space::Configuration last = chain.propose();
    for (int trial = 0; trial < 40; ++trial) {
      chain.observe(last, trial == 0 ? 100 : 1);
      const space::Configuration next = chain.propose();
      QCOMPARE(differing_knobs(next, last), std::size_t{1});
      last = next;
    }
  }

  void cold_chain_only_improves() {
    Chain chain({{"start_temperature", "0.000001"}, {"end_temperature", "0.000001"}});
    space::Configuration best = chain.propose();
    double best_fitness = 10;
    chain.observe(best, best_fitness);
    for (int trial = 1; trial < 120; ++trial) {
      const space::Configuration next = chain.propose();
      QCOMPARE(differing_knobs(next, best), std::size_t{1});
      const bool better = trial % 9 == 0;
      chain.observe(next, better ? best_fitness += 1 : 1);
      if (better) best = next;
    }
  }

  void goes_back_to_the_best_after_rejections() {
    // Hot for the first two trials, then cold: the second, hardly worse, is accepted, everything else is not.
    Chain chain({{"start_temperature", "1000000"},
                 {"end_temperature", "0.000001"},
                 {"cooling_trials", "3"},
                 {"patience", "3"}});
    const space::Configuration best = chain.propose();
    chain.observe(best, 10);
    const space::Configuration second = chain.propose();
    QCOMPARE(chain.temperature(), 1.0);
    chain.observe(second, 10 - 1e-9);
    for (int rejection = 0; rejection < 3; ++rejection) {
      const space::Configuration next = chain.propose();
      QCOMPARE(differing_knobs(next, second), std::size_t{1});
      chain.observe(next, 0);
    }
    std::size_t from_second = 0;
    for (int trial = 0; trial < 10; ++trial) {
      const space::Configuration next = chain.propose();
      QCOMPARE(differing_knobs(next, best), std::size_t{1});
      from_second += differing_knobs(next, second) == 1 ? 1U : 0U;
      chain.observe(next, 0);
    }
    QVERIFY(from_second < 10);
  }
};

KERNELSCAPE_PLAIN_TEST(TunerAnnealingTest)

}  // namespace kernelscape::tuner_annealing_test
#include "tuner_annealing_test.moc"
