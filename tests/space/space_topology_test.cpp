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

std::vector<space::KnobValue> numbers(std::int64_t count) {
  std::vector<space::KnobValue> values;
  for (std::int64_t i = 0; i < count; ++i) values.emplace_back(i);
  return values;
}

/** Three knobs whose elements are at most 6 in sum: no member has all its neighbours. */
space::SearchSpace bounded_space() {
  std::vector<space::Knob> knobs{*space::Knob::factorization("tile", 12, 2),
                                 *space::Knob::ordinal("step", numbers(4)),
                                 *space::Knob::categorical("choice", numbers(3))};
  space::ConstraintSystem system;
  space::SumConstraint sum{};
  sum.terms = {system.add_element("tile.1", 0, 1), system.add_element("step", 1, 0),
               system.add_element("choice", 2, 0)};
  sum.result = system.add_derived("sum");
  const space::VariableId result = sum.result;
  system.add({sum, "the sum"});
  system.add({space::LeConstraint{result, system.add_constant("most", 6)}, "the sum's bound"});
  return *space::SearchSpace::make(std::move(knobs), system);
}

std::vector<space::Configuration> members_of(const space::SearchSpace& space) {
  std::vector<space::Configuration> members;
  for_each_configuration(space.knobs(), [&](const space::Configuration& configuration) {
    if (space.contains(configuration)) members.push_back(configuration);
  });
  return members;
}

std::size_t position_in(const std::vector<space::Configuration>& members,
                        const space::Configuration& configuration) {
  return static_cast<std::size_t>(std::ranges::find(members, configuration) - members.begin());
}

/** What single moves lead to from a member, through members. */
std::set<space::Configuration> reachable(const space::SearchSpace& space, const space::Configuration& start) {
  std::set<space::Configuration> found{start};
  std::vector<space::Configuration> open{start};
  while (!open.empty()) {
    const space::Configuration from = open.back();
    open.pop_back();
    for (const space::Configuration& next : space::neighbours(space, from))
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
    base::Random random(seed);
    std::size_t all = 0;
    for (int i = 0; i < 200; ++i) {
      const RandomSystem drawn = random_system(random);
      const space::SearchSpace space = *space::SearchSpace::make(drawn.knobs, drawn.system);
      const auto start = space.random_member(random);
      if (!start) continue;
      std::set<space::Configuration> expected;
      for_each_configuration(drawn.knobs, [&](const space::Configuration& other) {
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
      const auto found = space::neighbours(space, *start);
      QCOMPARE(std::set(found.begin(), found.end()), expected);
      QCOMPARE(found.size(), expected.size());
      all += found.size();
    }
    QVERIFY(all > 200);
  }

  void illegal_children_are_redrawn_up_to_100_times() {
    const std::vector<space::Knob> knobs{*space::Knob::factorization("tile", 64, 2)};
    space::ConstraintSystem system;
    system.add({space::LeConstraint{system.add_element("tile.1", 0, 1), system.add_constant("most", 8)}, ""});
    const space::SearchSpace space = *space::SearchSpace::make(knobs, system);
    base::Random random(1);
    int draws = 0;
    const auto late = space::draw_member(
        space, random, [&](base::Random&) { return space::Configuration{{++draws == 100 ? 2U : 6U}}; });
    QCOMPARE(*late, (space::Configuration{{2}}));
    QCOMPARE(draws, 100);
    draws = 0;
    for (int i = 0; i < 20; ++i) {
      const auto replaced = space::draw_member(
          space, random, [&](base::Random&) { return ++draws, space::Configuration{{6}}; });
      QVERIFY(replaced && space.contains(*replaced));
    }
    QCOMPARE(draws, 2000);
    system.add({space::LeConstraint{system.add_constant("one", 1), system.add_constant("zero", 0)}, ""});
    const space::SearchSpace empty = *space::SearchSpace::make(knobs, system);
    QVERIFY(!space::draw_member(empty, random, [](base::Random&) { return space::Configuration{{0}}; }));
  }

  void random_neighbours_are_equally_likely_data() {
    QTest::addColumn<QString>("name");
    for (const char* name : {"factorization", "bounded", "ordinal", "categorical", "permutation"})
      QTest::newRow(name) << QString(name);
  }
  void random_neighbours_are_equally_likely() {
    QFETCH(QString, name);
    const space::Knob knob = name == "factorization" ? *space::Knob::factorization("k", 60, 3)
                             : name == "bounded"     ? *space::Knob::factorization("k", 60, 3, 3)
                             : name == "ordinal"     ? *space::Knob::ordinal("k", numbers(5))
                             : name == "categorical" ? *space::Knob::categorical("k", numbers(9))
                                                     : *space::Knob::permutation("k", {"a", "b", "c", "d"});
    base::Random random(random_seed());
    const Matrix steps = knob_steps(knob);
    ChiSquared all;
    for (std::uint32_t start = 0; start < knob.count(); ++start) {
      std::vector<std::int64_t> counts(knob.count());
      for (int i = 0; i < 1000; ++i) ++counts[space::random_neighbour(knob, start, random)];
      QCOMPARE(counts[start], std::int64_t{0});
      all.add(counts, steps[start]);
    }
    QVERIFY(all.p() > min_p);
  }

  void a_value_without_neighbours_stays() {
    base::Random random(1);
    QCOMPARE(space::random_neighbour(*space::Knob::factorization("k", 12, 1), 0, random), 0U);
    QCOMPARE(space::random_neighbour(*space::Knob::ordinal("k", numbers(1)), 0, random), 0U);
    QCOMPARE(space::random_neighbour(*space::Knob::categorical("k", numbers(1)), 0, random), 0U);
    QCOMPARE(space::random_neighbour(*space::Knob::permutation("k", {"a"}), 0, random), 0U);
    const space::Knob apart = *space::Knob::factorization("k", 64, 2)->restricted({0, 3, 6});
    for (std::uint32_t value = 0; value < 3; ++value)
      QCOMPARE(space::random_neighbour(apart, value, random), value);
  }

  void member_neighbours_are_equally_likely() {
    const space::SearchSpace space = bounded_space();
    const std::vector<space::Configuration> members = members_of(space);
    base::Random random(random_seed());
    ChiSquared all;
    for (std::size_t knob = 0; knob < 3; ++knob) {
      const Matrix steps = configuration_steps(space.knobs(), members, knob);
      for (std::size_t start = 0; start < members.size(); ++start) {
        std::vector<std::int64_t> counts(members.size());
        for (int i = 0; i < 1000; ++i) {
          space::Configuration moved = members[start];
          moved.indices[knob] = space::random_member_neighbour(space, moved, knob, random);
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
    const space::SearchSpace space = bounded_space();
    const std::vector<space::Configuration> members = members_of(space);
    QVERIFY(members.size() > 20 && base::uint128{members.size()} < space.size());
    constexpr double q = 0.7;
    const Matrix mutation = mutation_matrix(space.knobs(), members, q);
    base::Random random(random_seed());
    ChiSquared all;
    for (std::size_t start = 0; start < members.size(); ++start) {
      std::vector<std::int64_t> counts(members.size());
      for (int i = 0; i < 4000; ++i) {
        space::Configuration walker = members[start];
        for (std::size_t knob = 0; knob < 3; ++knob)
          walker.indices[knob] = space::q_random_member_walk(space, walker, knob, q, random).index;
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
    base::Random random(random_seed());
    std::size_t walked = 0;
    for (int i = 0; i < 300; ++i) {
      const RandomSystem drawn = random_system(random, false);
      const space::SearchSpace space = *space::SearchSpace::make(drawn.knobs, drawn.system);
      const auto start = space.random_member(random);
      if (!start) continue;
      const std::set<space::Configuration> legal = reachable(space, *start);
      space::Configuration walker = *start;
      for (int round = 0; round < 20; ++round) {
        for (std::size_t knob = 0; knob < drawn.knobs.size(); ++knob) {
          const space::WalkEnd end = space::q_random_member_walk(space, walker, knob, 0.8, random);
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
    space::ConstraintSystem system;
    system.add({space::InConstraint{system.add_element("step", 0, 0), {0, 1, 2, 4, 5, 6}}, "no bridge"});
    const space::SearchSpace space =
        *space::SearchSpace::make({*space::Knob::ordinal("step", numbers(7))}, system);
    base::Random random(random_seed());
    for (int i = 0; i < 2000; ++i) {
      QVERIFY(space::q_random_member_walk(space, {{1}}, 0, 0.9, random).index < 3);
      QVERIFY(space::q_random_member_walk(space, {{4}}, 0, 0.9, random).index > 3);
    }
  }

  void without_restrictions_member_walks_are_walks() {
    const space::SearchSpace space = *space::SearchSpace::make(
        {*space::Knob::factorization("tile", 24, 3), *space::Knob::permutation("order", {"a", "b", "c"})});
    const std::uint64_t seed = random_seed();
    base::Random one(seed);
    base::Random other(seed);
    for (std::uint32_t tile = 0; tile < space.knobs()[0].count(); ++tile) {
      const space::Configuration start{{tile, 2}};
      const space::WalkEnd inside = space::q_random_member_walk(space, start, 0, 0.8, one);
      const space::WalkEnd anywhere = space::q_random_walk(space.knobs()[0], tile, 0.8, other);
      QCOMPARE(inside.index, anywhere.index);
      QCOMPARE(inside.steps, anywhere.steps);
    }
  }

  void knob_features_are_autotvms() {
    const space::SearchSpace space = *space::SearchSpace::make(
        {*space::Knob::factorization("tile_f", 64, 3),
         *space::Knob::ordinal("unroll",
                               {space::KnobValue(std::int64_t{0}), space::KnobValue(std::int64_t{1500})}),
         *space::Knob::permutation("order", {"ic", "oh", "oc"}),
         *space::Knob::ordinal("scale", {space::KnobValue(0.25), space::KnobValue(2.5)}),
         *space::Knob::categorical("axis", {space::KnobValue("x"), space::KnobValue("y")}),
         *space::Knob::categorical("explicit", {space::KnobValue(true), space::KnobValue(false)})});
    const space::KnobFeatures features(space);
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
