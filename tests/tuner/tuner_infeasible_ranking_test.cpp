#include <algorithm>
#include <limits>
#include <set>

#include "core/tuner/genes.h"
#include "core/tuner/infeasible_ranking.h"
#include "tests/test_program.h"
#include "tests/tuner/tuner_fixture.h"

namespace kernelscape::tuner_infeasible_ranking_test {
using namespace kernelscape::tuner_fixture;

namespace {

tuner::Individual individual(double prediction, std::vector<double> violations = {}) {
  return {{}, prediction, std::move(violations)};
}

std::vector<tuner::Individual> some(base::Random& random, std::size_t count) {
  std::vector<tuner::Individual> drawn;
  for (std::size_t i = 0; i < count; ++i) {
    const auto prediction = static_cast<double>(random.below(20));
    if (random.chance(0.5))
      drawn.push_back(individual(prediction));
    else
      drawn.push_back(individual(
          prediction, {static_cast<double>(1 + random.below(9)), static_cast<double>(random.below(4))}));
  }
  return drawn;
}

/** Front by front, each those that nobody left dominates: straight from the definition. */
std::vector<std::set<std::size_t>> fronts_of(const std::vector<double>& scores,
                                             const std::vector<double>& costs) {
  std::set<std::size_t> left;
  for (std::size_t i = 0; i < scores.size(); ++i) left.insert(i);
  std::vector<std::set<std::size_t>> fronts;
  while (!left.empty()) {
    std::set<std::size_t> front;
    for (const std::size_t a : left) {
      const bool dominated = std::ranges::any_of(left, [&](std::size_t b) {
        return scores[b] >= scores[a] && costs[b] <= costs[a] &&
               (scores[b] > scores[a] || costs[b] < costs[a]);
      });
      if (!dominated) front.insert(a);
    }
    for (const std::size_t number : front) left.erase(number);
    fronts.push_back(std::move(front));
  }
  return fronts;
}

}  // namespace

class TunerInfeasibleRankingTest : public QObject {
  Q_OBJECT

 private slots:
  void stochastic_ranking_at_its_ends() {
    base::Random random(printed_seed());
    for (int repeat = 0; repeat < 50; ++repeat) {
      const std::vector<tuner::Individual> drawn = some(random, 30);
      // Always by prediction: sorted by it. Never: members first, by prediction, then by violation.
      const auto by_prediction = tuner::stochastic_ranking(drawn, 30, 1, random);
      const auto by_violation = tuner::stochastic_ranking(drawn, 30, 0, random);
      for (std::size_t i = 0; i + 1 < drawn.size(); ++i) {
        QVERIFY(drawn[by_prediction[i]].prediction >= drawn[by_prediction[i + 1]].prediction);
        const tuner::Individual& before = drawn[by_violation[i]];
        const tuner::Individual& after = drawn[by_violation[i + 1]];
        QVERIFY(tuner::total_violation(before) <= tuner::total_violation(after));
        if (before.member() && after.member()) QVERIFY(before.prediction >= after.prediction);
      }
      QCOMPARE(std::set<std::size_t>(by_violation.begin(), by_violation.end()).size(), drawn.size());
    }
  }

  void few_sweeps_move_little() {
    base::Random random(1);
    const std::vector<tuner::Individual> ascending{individual(1), individual(2), individual(3),
                                                   individual(4)};
    QCOMPARE(tuner::stochastic_ranking(ascending, 0, 0.45, random), (std::vector<std::size_t>{0, 1, 2, 3}));
    QCOMPARE(tuner::stochastic_ranking(ascending, 1, 0.45, random), (std::vector<std::size_t>{1, 2, 3, 0}));
    QCOMPARE(tuner::stochastic_ranking(ascending, 10, 0.45, random), (std::vector<std::size_t>{3, 2, 1, 0}));
  }

  void measures_are_places_among_violations_of_each_constraint() {
    const std::vector<tuner::Individual> drawn{individual(1, {5, 0}), individual(1, {7, 1}),
                                               individual(1, {5, 100}), individual(1)};
    QCOMPARE(tuner::violation_measures(drawn), (std::vector<double>{1, 3, 3, 0}));
  }

  void fronts_are_those_of_the_definition() {
    base::Random random(printed_seed());
    for (int repeat = 0; repeat < 100; ++repeat) {
      std::vector<double> scores;
      std::vector<double> costs;
      for (int i = 0; i < 40; ++i) {
        scores.push_back(static_cast<double>(random.below(12)));
        costs.push_back(static_cast<double>(random.below(12)));
      }
      const std::vector<std::size_t> order = tuner::nondominated_order(scores, costs);
      auto next = order.begin();
      for (const std::set<std::size_t>& front : fronts_of(scores, costs)) {
        const auto end = next + static_cast<std::ptrdiff_t>(front.size());
        QCOMPARE(std::set<std::size_t>(next, end), front);
        next = end;
      }
      QVERIFY(next == order.end());
    }
  }

  void a_fifth_of_the_survivors_is_infeasible_and_comes_first() {
    std::vector<tuner::Individual> drawn;
    for (int i = 0; i < 50; ++i) {
      drawn.push_back(individual(i));
      drawn.push_back(individual(i, {static_cast<double>(1 + i)}));
    }
    const auto survivors = tuner::infeasibility_driven_ranking(drawn, 20, 0.2);
    QCOMPARE(survivors.size(), std::size_t{20});
    for (std::size_t i = 0; i < 20; ++i) QCOMPARE(drawn[survivors[i]].member(), i >= 4);
    for (std::size_t i = 4; i < 20; ++i)
      QCOMPARE(drawn[survivors[i]].prediction, 49.0 - static_cast<double>(i - 4));
  }

  void who_is_missing_is_replaced() {
    base::Random random(printed_seed());
    for (int repeat = 0; repeat < 100; ++repeat) {
      const std::vector<tuner::Individual> drawn = some(random, 1 + random.below(30));
      const std::size_t count = 1 + random.below(40);
      const auto survivors = tuner::infeasibility_driven_ranking(drawn, count, 0.2);
      QCOMPARE(survivors.size(), std::min(count, drawn.size()));
      QCOMPARE(std::set<std::size_t>(survivors.begin(), survivors.end()).size(), survivors.size());
    }
  }

  void real_coded_operators_keep_their_middles_and_bounds() {
    QCOMPARE(tuner::simulated_binary_spread(15, 0.5), 1.0);
    QCOMPARE(tuner::polynomial_step(20, 0.5), 0.0);
    QCOMPARE(tuner::polynomial_step(20, 0), -1.0);
    base::Random random(printed_seed());
    double spread = 0;
    double step = -1;
    for (double uniform = 0.01; uniform < 1; uniform += 0.01) {
      QVERIFY(tuner::simulated_binary_spread(15, uniform) >
              std::exchange(spread, tuner::simulated_binary_spread(15, uniform)));
      QVERIFY(tuner::polynomial_step(20, uniform) > std::exchange(step, tuner::polynomial_step(20, uniform)));
      QVERIFY(step < 1);
    }
  }
};

KERNELSCAPE_PLAIN_TEST(TunerInfeasibleRankingTest)

}  // namespace kernelscape::tuner_infeasible_ranking_test
#include "tuner_infeasible_ranking_test.moc"
