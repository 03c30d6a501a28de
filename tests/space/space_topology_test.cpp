#include <QtTest>
#include <set>

#include "core/space/features.h"
#include "core/space/topology.h"
#include "tests/space/random_systems.h"

using namespace kernelscape;
using namespace kernelscape::testing;

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

QTEST_APPLESS_MAIN(SpaceTopologyTest)
#include "space_topology_test.moc"
