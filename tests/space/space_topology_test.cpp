#include <QtTest>
#include <set>

#include "core/space/features.h"
#include "core/space/topology.h"
#include "tests/loop_nest/random_seed.h"
#include "tests/space/chi_squared.h"
#include "tests/space/random_systems.h"
#include "tests/space/walk_reference.h"
#include "tests/test_program.h"

namespace kernelscape::space_topology_test {
using namespace kernelscape::testing;

namespace {

std::vector<KnobValue> numbers(std::int64_t count) {
  std::vector<KnobValue> values;
  for (std::int64_t i = 0; i < count; ++i) values.emplace_back(i);
  return values;
}

/** Three knobs whose elements are at most 6 in sum: no member has all its neighbours. */
SearchSpace bounded_space() {
  std::vector<Knob> knobs{*Knob::factorization("tile", 12, 2), *Knob::ordinal("step", numbers(4)),
                          *Knob::categorical("choice", numbers(3))};
  ConstraintSystem system;
  SumConstraint sum{};
  sum.terms = {system.add_element("tile.1", 0, 1), system.add_element("step", 1, 0),
               system.add_element("choice", 2, 0)};
  sum.result = system.add_derived("sum");
  const VariableId result = sum.result;
  system.add({sum, "the sum"});
  system.add({LeConstraint{result, system.add_constant("most", 6)}, "the sum's bound"});
  return *SearchSpace::make(std::move(knobs), system);
}

std::vector<Configuration> members_of(const SearchSpace& space) {
  std::vector<Configuration> members;
  for_each_configuration(space.knobs(), [&](const Configuration& configuration) {
    if (space.contains(configuration)) members.push_back(configuration);
  });
  return members;
}

std::size_t position_in(const std::vector<Configuration>& members, const Configuration& configuration) {
  return static_cast<std::size_t>(std::ranges::find(members, configuration) - members.begin());
}

/** What single moves lead to from a member, through members. */
std::set<Configuration> reachable(const SearchSpace& space, const Configuration& start) {
  std::set<Configuration> found{start};
  std::vector<Configuration> open{start};
  while (!open.empty()) {
    const Configuration from = open.back();
    open.pop_back();
    for (const Configuration& next : neighbours(space, from))
      if (found.insert(next).second) open.push_back(next);
  }
  return found;
}

}  // namespace

class SpaceTopologyTest : public QObject {
  Q_OBJECT

 private slots:
  void neighbours_are_the_members_one_move_away() {
    const std::uint64_t seed = 77;
    qInfo("seed %llu", static_cast<unsigned long long>(seed));
    Random random(seed);
    std::size_t all = 0;
    for (int i = 0; i < 200; ++i) {
      const RandomSystem drawn = random_system(random);
      const SearchSpace space = *SearchSpace::make(drawn.knobs, drawn.system);
      const auto start = space.random_member(random);
      if (!start) continue;
      std::set<Configuration> expected;
      for_each_configuration(drawn.knobs, [&](const Configuration& other) {
        int moved = 0;
        bool legal = true;
        for (std::size_t k = 0; k < drawn.knobs.size(); ++k) {
          if (other.indices[k] == start->indices[k]) continue;
          ++moved;
          const auto near = drawn.knobs[k].neighbours(start->indices[k]);
          legal = legal && std::ranges::find(near, other.indices[k]) != near.end();
        }
        if (moved == 1 && legal && reference_evaluation(drawn, other).violated.empty())
          expected.insert(other);
      });
      const auto found = neighbours(space, *start);
      QCOMPARE(std::set(found.begin(), found.end()), expected);
      QCOMPARE(found.size(), expected.size());
      all += found.size();
    }
    QVERIFY(all > 200);
  }

  void illegal_children_are_redrawn_up_to_100_times() {
    const std::vector<Knob> knobs{*Knob::factorization("tile", 64, 2)};
    ConstraintSystem system;
    system.add({LeConstraint{system.add_element("tile.1", 0, 1), system.add_constant("most", 8)}, ""});
    const SearchSpace space = *SearchSpace::make(knobs, system);
    Random random(1);
    int draws = 0;
    const auto late =
        draw_member(space, random, [&](Random&) { return Configuration{{++draws == 100 ? 2U : 6U}}; });
    QCOMPARE(*late, (Configuration{{2}}));
    QCOMPARE(draws, 100);
    draws = 0;
    for (int i = 0; i < 20; ++i) {
      const auto replaced = draw_member(space, random, [&](Random&) { return ++draws, Configuration{{6}}; });
      QVERIFY(replaced && space.contains(*replaced));
    }
    QCOMPARE(draws, 2000);
    system.add({LeConstraint{system.add_constant("one", 1), system.add_constant("zero", 0)}, ""});
    const SearchSpace empty = *SearchSpace::make(knobs, system);
    QVERIFY(!draw_member(empty, random, [](Random&) { return Configuration{{0}}; }));
  }

  void random_neighbours_are_equally_likely_data() {
    QTest::addColumn<QString>("name");
    for (const char* name : {"factorization", "bounded", "ordinal", "categorical", "permutation"})
      QTest::newRow(name) << QString(name);
  }
  void random_neighbours_are_equally_likely() {
    QFETCH(QString, name);
    const Knob knob = name == "factorization" ? *Knob::factorization("k", 60, 3)
                      : name == "bounded"     ? *Knob::factorization("k", 60, 3, 3)
                      : name == "ordinal"     ? *Knob::ordinal("k", numbers(5))
                      : name == "categorical" ? *Knob::categorical("k", numbers(9))
                                              : *Knob::permutation("k", {"a", "b", "c", "d"});
    Random random(random_seed());
    const Matrix steps = knob_steps(knob);
    ChiSquared all;
    for (std::uint32_t start = 0; start < knob.count(); ++start) {
      std::vector<std::int64_t> counts(knob.count());
      for (int i = 0; i < 1000; ++i) ++counts[random_neighbour(knob, start, random)];
      QCOMPARE(counts[start], std::int64_t{0});
      all.add(counts, steps[start]);
    }
    QVERIFY(all.p() > min_p);
  }

  void a_value_without_neighbours_stays() {
    Random random(1);
    QCOMPARE(random_neighbour(*Knob::factorization("k", 12, 1), 0, random), 0U);
    QCOMPARE(random_neighbour(*Knob::ordinal("k", numbers(1)), 0, random), 0U);
    QCOMPARE(random_neighbour(*Knob::categorical("k", numbers(1)), 0, random), 0U);
    QCOMPARE(random_neighbour(*Knob::permutation("k", {"a"}), 0, random), 0U);
    const Knob apart = *Knob::factorization("k", 64, 2)->restricted({0, 3, 6});
    for (std::uint32_t value = 0; value < 3; ++value) QCOMPARE(random_neighbour(apart, value, random), value);
  }

  void member_neighbours_are_equally_likely() {
    const SearchSpace space = bounded_space();
    const std::vector<Configuration> members = members_of(space);
    Random random(random_seed());
    ChiSquared all;
    for (std::size_t knob = 0; knob < 3; ++knob) {
      const Matrix steps = configuration_steps(space.knobs(), members, knob);
      for (std::size_t start = 0; start < members.size(); ++start) {
        std::vector<std::int64_t> counts(members.size());
        for (int i = 0; i < 1000; ++i) {
          Configuration moved = members[start];
          moved.indices[knob] = random_member_neighbour(space, moved, knob, random);
          QVERIFY(space.contains(moved));
          ++counts[position_in(members, moved)];
        }
        all.add(counts, steps[start]);
      }
    }
    QVERIFY(all.freedom() > 20);
    QVERIFY(all.p() > min_p);
  }

  void member_walks_are_the_sum_over_members_alone() {
    const SearchSpace space = bounded_space();
    const std::vector<Configuration> members = members_of(space);
    QVERIFY(members.size() > 20 && uint128{members.size()} < space.size());
    constexpr double q = 0.7;
    const Matrix mutation = mutation_matrix(space.knobs(), members, q);
    Random random(random_seed());
    ChiSquared all;
    for (std::size_t start = 0; start < members.size(); ++start) {
      std::vector<std::int64_t> counts(members.size());
      for (int i = 0; i < 4000; ++i) {
        Configuration walker = members[start];
        for (std::size_t knob = 0; knob < 3; ++knob)
          walker.indices[knob] = q_random_member_walk(space, walker, knob, q, random).index;
        const std::size_t end = position_in(members, walker);
        QVERIFY(end < members.size());
        ++counts[end];
      }
      all.add(counts, mutation[start]);
    }
    QVERIFY(all.p() > min_p);
  }

  void member_walks_never_leave_by_a_step() {
    // Wherever a walk ends, single moves through members lead there: it jumped over nothing.
    Random random(random_seed());
    std::size_t walked = 0;
    for (int i = 0; i < 300; ++i) {
      const RandomSystem drawn = random_system(random, false);
      const SearchSpace space = *SearchSpace::make(drawn.knobs, drawn.system);
      const auto start = space.random_member(random);
      if (!start) continue;
      const std::set<Configuration> legal = reachable(space, *start);
      Configuration walker = *start;
      for (int round = 0; round < 20; ++round) {
        for (std::size_t knob = 0; knob < drawn.knobs.size(); ++knob) {
          const WalkEnd end = q_random_member_walk(space, walker, knob, 0.8, random);
          QVERIFY(end.steps > 0 || end.index == walker.indices[knob]);
          walker.indices[knob] = end.index;
          QVERIFY(legal.contains(walker));
          QVERIFY(reference_evaluation(drawn, walker).violated.empty());
          walked += end.steps > 0 ? 1U : 0U;
        }
      }
    }
    QVERIFY(walked > 1000);
  }

  void member_walks_stay_on_their_side_of_a_gap() {
    ConstraintSystem system;
    system.add({InConstraint{system.add_element("step", 0, 0), {0, 1, 2, 4, 5, 6}}, "no bridge"});
    const SearchSpace space = *SearchSpace::make({*Knob::ordinal("step", numbers(7))}, system);
    Random random(random_seed());
    for (int i = 0; i < 2000; ++i) {
      QVERIFY(q_random_member_walk(space, {{1}}, 0, 0.9, random).index < 3);
      QVERIFY(q_random_member_walk(space, {{4}}, 0, 0.9, random).index > 3);
    }
  }

  void without_restrictions_member_walks_are_walks() {
    const SearchSpace space = *SearchSpace::make(
        {*Knob::factorization("tile", 24, 3), *Knob::permutation("order", {"a", "b", "c"})});
    const std::uint64_t seed = random_seed();
    Random one(seed);
    Random other(seed);
    for (std::uint32_t tile = 0; tile < space.knobs()[0].count(); ++tile) {
      const Configuration start{{tile, 2}};
      const WalkEnd inside = q_random_member_walk(space, start, 0, 0.8, one);
      const WalkEnd anywhere = q_random_walk(space.knobs()[0], tile, 0.8, other);
      QCOMPARE(inside.index, anywhere.index);
      QCOMPARE(inside.steps, anywhere.steps);
    }
  }

  void knob_features_are_autotvms() {
    const SearchSpace space = *SearchSpace::make(
        {*Knob::factorization("tile_f", 64, 3),
         *Knob::ordinal("unroll", {KnobValue(std::int64_t{0}), KnobValue(std::int64_t{1500})}),
         *Knob::permutation("order", {"ic", "oh", "oc"}),
         *Knob::ordinal("scale", {KnobValue(0.25), KnobValue(2.5)}),
         *Knob::categorical("axis", {KnobValue("x"), KnobValue("y")}),
         *Knob::categorical("explicit", {KnobValue(true), KnobValue(false)})});
    const KnobFeatures features(space);
    QCOMPARE(features.names(),
             (std::vector<std::string>{"tile_f.0", "tile_f.1", "tile_f.2", "unroll", "order.ic", "order.oh",
                                       "order.oc", "scale", "axis", "explicit"}));
    const auto configuration = space.configuration_from_json(
        R"({"tile_f":[4,2,8],"unroll":1500,"order":["oc","ic","oh"],"scale":2.5,"axis":"y","explicit":true})");
    QCOMPARE(features.compute(*configuration), (std::vector<float>{4, 2, 8, 1500, 1, 2, 0, 2.5F, 1, 1}));
  }
};

KERNELSCAPE_PLAIN_TEST(SpaceTopologyTest)

}  // namespace kernelscape::space_topology_test
#include "space_topology_test.moc"
