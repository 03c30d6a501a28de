#include <cmath>

#include "core/space/topology.h"
#include "core/tuner/good_forest.h"
#include "tests/test_program.h"
#include "tests/tuner/tuner_fixture.h"

namespace kernelscape::tuner_lfbo_test {
using namespace kernelscape::tuner_fixture;

namespace {

double additive(const space::Configuration& one) {
  double sum = 1;
  for (const std::uint32_t index : one.indices) sum += index;
  return sum;
}

}  // namespace

class TunerLfboTest : public QObject {
  Q_OBJECT

 private slots:
  void good_trials_weigh_by_their_distance_to_the_quantile() {
    // Times 1 to 11 and a failure: the quantile .2 lies at 3, and 1 weighs as much as twice 2.
    std::vector<trial::Observation> trials;
    for (int time = 1; time <= 11; ++time) trials.push_back({{{0}}, 1.0 / time});
    trials.push_back({{{0}}, 0, trial::ErrorCategory::RuntimeDevice});
    const std::vector<tuner::GoodLabel> labels = tuner::good_labels(trials, 0.2);
    for (std::size_t i = 0; i < labels.size(); ++i) QCOMPARE(labels[i].good, i < 3);
    QVERIFY(std::abs(labels[0].weight - 2) < 1e-3);
    QVERIFY(std::abs(labels[1].weight - 1) < 1e-3);
    QVERIFY(labels[2].weight < 1e-3);
    for (std::size_t i = 3; i < labels.size(); ++i) QCOMPARE(labels[i].weight, 1.0);
    for (const tuner::GoodLabel& label : tuner::good_labels({&trials.back(), 1}, 0.2)) QVERIFY(!label.good);
  }

  void a_penalty_selects_what_differs() {
    // The first knob decides: without a penalty all that are good come first, with one they are spread.
    const space::SearchSpace space = plain_space({2, 30});
    const std::vector<space::Configuration> members = all_members(space);
    tuner::GoodForest forest(std::make_shared<space::KnobFeatures>(space), 50, printed_seed());
    base::Random random(1);
    QVERIFY(forest.fit(measure(members, [](const space::Configuration& one) { return 1.0 + one.indices[0]; }),
                       0.5));
    const auto first_knobs = [&](double penalty) {
      int good = 0;
      for (const std::size_t i : forest.select(members, 10, penalty, random))
        good += members[i].indices[0] == 1 ? 1 : 0;
      return good;
    };
    QCOMPARE(first_knobs(0), 10);
    QVERIFY(first_knobs(100) < 10);
  }

  void generations_are_neighbours_of_the_best() {
    const space::SearchSpace space = plain_space({50, 50, 50, 50, 50, 50});
    const std::uint64_t seed = printed_seed();
    for (std::uint64_t run = 0; run < 5; ++run) {
      const auto tuner = make_tuner(
          "lfbo",
          make_context("lfbo", space, seed + run, {{"population", "40"}, {"copies", "2"}, {"trees", "10"}}));
      auto start = propose(*tuner, 40);
      QCOMPARE(start.size(), std::size_t{40});
      tuner->observe(measure(start, additive));
      std::ranges::stable_sort(start, std::greater{}, additive);
      const auto next = propose(*tuner, 1000);
      QVERIFY(next.size() > 2 && next.size() <= 60);
      for (const space::Configuration& one : next) {
        // One knob moves up to two steps, and up to two others one step.
        const bool near = std::ranges::any_of(start, [&](const space::Configuration& parent) {
          if (additive(parent) < additive(start[1])) return false;
          int steps = 0;
          int longest = 0;
          for (std::size_t knob = 0; knob < one.indices.size(); ++knob) {
            const int move =
                std::abs(static_cast<int>(one.indices[knob]) - static_cast<int>(parent.indices[knob]));
            steps += move;
            longest = std::max(longest, move);
          }
          return steps <= 4 && longest <= 2 && differing_knobs(one, parent) <= 3;
        });
        QVERIFY(near);
      }
    }
  }
};

KERNELSCAPE_PLAIN_TEST(TunerLfboTest)

}  // namespace kernelscape::tuner_lfbo_test
#include "tuner_lfbo_test.moc"
