#include "core/tuner/knob_cube.h"
#include "tests/test_program.h"
#include "tests/tuner/tuner_fixture.h"

namespace kernelscape::tuner_de_test {
using namespace kernelscape::tuner_fixture;

namespace {

const std::vector<std::int64_t> many_values{1000, 1000, 1000};

/** How a child compares with best + 0.5 (plus - minus): a coordinate outside of the cube is random. */
enum class Match { Differs, PartlyRandom, Equal };

Match match(const space::SearchSpace& space, const space::Configuration& child, const tuner::CubePoint& best,
            const tuner::CubePoint& plus, const tuner::CubePoint& minus) {
  Match result = Match::Equal;
  for (std::size_t knob = 0; knob < best.size(); ++knob) {
    const double expected = best[knob] + 0.5 * (plus[knob] - minus[knob]);
    if (expected < 0 || expected > 1) {
      result = Match::PartlyRandom;
    } else {
      tuner::CubePoint point = best;
      point[knob] = expected;
      if (tuner::configuration_at(space, point).indices[knob] != child.indices[knob]) return Match::Differs;
    }
  }
  return result;
}

Match best_match(const space::SearchSpace& space, const space::Configuration& child, std::size_t parent,
                 const std::vector<tuner::CubePoint>& points, const tuner::CubePoint& best) {
  Match found = Match::Differs;
  for (std::size_t plus = 0; plus < points.size(); ++plus) {
    for (std::size_t minus = 0; minus < points.size(); ++minus) {
      if (plus == minus || plus == parent || minus == parent) continue;
      found = std::max(found, match(space, child, best, points[plus], points[minus]));
    }
  }
  return found;
}

}  // namespace

class TunerDeTest : public QObject {
  Q_OBJECT

 private slots:
  void cube_has_a_part_of_the_same_length_for_each_value() {
    const space::SearchSpace space = plain_space({1, 4, 7});
    for (const space::Configuration& member : all_members(space))
      QCOMPARE(tuner::configuration_at(space, tuner::cube_point(space, member)), member);
    QCOMPARE(tuner::configuration_at(space, {-3, 0.49, 2}), (space::Configuration{{0, 1, 6}}));
    QCOMPARE(tuner::configuration_at(space, {0, 0.5, 1}), (space::Configuration{{0, 2, 6}}));
  }

  void mutants_are_the_best_plus_half_a_difference() {
    const std::uint64_t seed = printed_seed();
    int equal = 0;
    for (std::uint64_t run = 0; run < 20; ++run) {
      const space::SearchSpace space = plain_space(many_values);
      const auto tuner = make_tuner("de", make_context("de", space, seed + run,
                                                       {{"method", "best1bin"},
                                                        {"population", "6"},
                                                        {"minimum_weight", "0.5"},
                                                        {"maximum_weight", "0.5"},
                                                        {"crossover_probability", "1"}}));
      const auto parents = propose(*tuner, 6);
      const std::size_t best = seed % 6;
      tuner->observe(measure(
          parents, [&](const space::Configuration& one) { return one == parents[best] ? 100.0 : 1.0; }));
      std::vector<tuner::CubePoint> points;
      for (const space::Configuration& parent : parents) points.push_back(tuner::cube_point(space, parent));
      const auto children = propose(*tuner, 6);
      if (children.size() < 6) continue;  // one of them is known
      for (std::size_t i = 0; i < 6; ++i) {
        const Match found = best_match(space, children[i], i, points, points[best]);
        QVERIFY(found != Match::Differs);
        equal += found == Match::Equal ? 1 : 0;
      }
    }
    QVERIFY(equal > 0);
  }

  void a_child_replaces_its_parent_only_if_it_is_as_good() {
    // Without crossover a child differs from its parent in the one knob that is certain.
    const std::uint64_t seed = printed_seed();
    const auto fitness = [](const space::Configuration& one) {
      return 1 + static_cast<double>(std::hash<space::Configuration>{}(one) % 1000);
    };
    int compared = 0;
    for (std::uint64_t run = 0; run < 20; ++run) {
      const auto tuner =
          make_tuner("de", make_context("de", plain_space(many_values), seed + run,
                                        {{"population", "8"}, {"crossover_probability", "0"}}));
      std::vector<space::Configuration> parents = propose(*tuner, 8);
      tuner->observe(measure(parents, fitness));
      for (int generation = 0; generation < 4; ++generation) {
        const auto children = propose(*tuner, 8);
        if (children.size() < 8) break;  // one of them is known
        tuner->observe(measure(children, fitness));
        for (std::size_t i = 0; i < 8; ++i) {
          QCOMPARE(differing_knobs(children[i], parents[i]), std::size_t{1});
          if (fitness(children[i]) >= fitness(parents[i])) parents[i] = children[i];
        }
        ++compared;
      }
    }
    QVERIFY(compared > 20);
  }

  void weights_in_the_wrong_order_are_refused() {
    const auto made = (*tuner::find_tuner("de"))
                          ->make(make_context("de", plain_space({4, 4}), 1, {{"minimum_weight", "1.5"}}));
    QVERIFY(!made);
    QVERIFY(made.error().message.find("minimum_weight") != std::string::npos);
  }
};

KERNELSCAPE_PLAIN_TEST(TunerDeTest)

}  // namespace kernelscape::tuner_de_test
#include "tuner_de_test.moc"
