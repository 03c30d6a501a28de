#include <QTest>
#include <algorithm>
#include <map>
#include <set>

#include "core/analysis/landscape/space_variables.h"
#include "tests/loop_nest/random_seed.h"
#include "tests/space/random_systems.h"
#include "tests/test_program.h"

namespace kernelscape::analysis_space_variables_test {
using namespace kernelscape::testing;

namespace {

bool always() { return true; }

analysis::ValidRegion region_of(const analysis::SpaceVariables& variables, space::VariableId x,
                                space::VariableId y, std::size_t sample = 1000) {
  const analysis::RegionMembers members =
      analysis::region_members(variables.space(), sample, base::Random(1), always);
  return analysis::valid_region(variables, x, y, members, always);
}

/** Every configuration, by the definition. */
analysis::ValidRegion naive_region(const analysis::SpaceVariables& variables,
                                   const space::ConstraintSystem* limits, space::VariableId x,
                                   space::VariableId y) {
  const space::SearchSpace& space = variables.space();
  std::map<std::pair<std::int64_t, std::int64_t>, bool> pairs;
  analysis::ValidRegion region{{}, 0, true, true};
  for (base::uint128 index = 0; index < space.size(); ++index) {
    const space::Configuration configuration = space.at(index);
    if (!space.contains(configuration)) continue;
    ++region.members;
    const space::Evaluation all = variables.system().evaluate(space.knobs(), configuration);
    bool& within = pairs[{all.values[x], all.values[y]}];
    if (limits == nullptr || limits->satisfied(space.knobs(), configuration)) within = true;
  }
  for (const auto& [pair, within] : pairs) region.pairs.push_back({pair.first, pair.second, within});
  return region;
}

/** Of a space that a random system restricts; none: it has no member. */
std::optional<space::SearchSpace> random_space(const RandomSystem& drawn) {
  Result<space::SearchSpace> space = space::SearchSpace::make(drawn.knobs, drawn.system);
  if (!space || space->size() > 50'000) return std::nullopt;
  return *space;
}

/** Tiles of 64 and 16; threads are at most 32, bytes at most 512, both limits of a target. */
struct Tiled {
  space::SearchSpace space = *space::SearchSpace::make(
      {*space::Knob::factorization("tile_y", 64, 3), *space::Knob::factorization("tile_x", 16, 2),
       *space::Knob::ordinal("unroll",
                             {space::KnobValue(std::int64_t{1}), space::KnobValue(std::int64_t{8})})});
  space::ConstraintSystem limits;

  Tiled() {
    const space::VariableId y = limits.add_element("tile_y.1", 0, 1);
    const space::VariableId inner = limits.add_element("tile_y.2", 0, 2);
    const space::VariableId x = limits.add_element("tile_x.1", 1, 1);
    const space::VariableId four = limits.add_constant("4", 4);
    const space::VariableId threads = limits.add_derived("threads");
    limits.add({space::ProdConstraint{threads, {y, x}}, "threads"});
    limits.add({space::LeConstraint{threads, limits.add_constant("32", 32)}, "threads per block"});
    const space::VariableId bytes = limits.add_derived("bytes");
    limits.add({space::ProdConstraint{bytes, {y, inner, x, four}}, "bytes"});
    limits.add({space::LeConstraint{bytes, limits.add_constant("512", 512)}, "shared memory of a block"});
    limits.add({space::LeConstraint{four, bytes}, "a word at least"});
  }
};

}  // namespace

class AnalysisSpaceVariablesTest : public QObject {
  Q_OBJECT

 private slots:
  void values_are_those_of_an_evaluation() {
    base::Random random(random_seed());
    for (int round = 0; round < 100; ++round) {
      const RandomSystem drawn = random_system(random);
      const std::optional<space::SearchSpace> space = random_space(drawn);
      if (!space) continue;
      const analysis::SpaceVariables variables(*space);
      std::vector<std::int64_t> values(variables.system().variables().size());
      for (int i = 0; i < 20; ++i) {
        const space::Configuration configuration = space->at(random.below_wide(space->size()));
        variables.compute(configuration, values);
        QCOMPARE(values, variables.system().evaluate(space->knobs(), configuration).values);
      }
      std::set<std::string> names;
      for (const space::VariableId id : variables.offered()) {
        QVERIFY(!variables.system().variables()[id].constant);
        QVERIFY(names.insert(variables.system().variables()[id].name).second);
      }
    }
  }

  void regions_of_small_spaces_are_exact() {
    base::Random random(random_seed());
    int compared = 0;
    for (int round = 0; round < 200; ++round) {
      const RandomSystem drawn = random_system(random, false);
      const std::optional<space::SearchSpace> space = random_space(drawn);
      if (!space) continue;
      // Some of its own rules as limits beside it.
      const bool limited = random.chance(0.5);
      const space::SearchSpace free = *space::SearchSpace::make(drawn.knobs);
      const analysis::SpaceVariables variables =
          limited ? analysis::SpaceVariables(free, drawn.system) : analysis::SpaceVariables(*space);
      const std::vector<space::VariableId>& offered = variables.offered();
      const space::VariableId x = offered[random.below(offered.size())];
      const space::VariableId y = offered[random.below(offered.size())];
      QVERIFY(region_of(variables, x, y) == naive_region(variables, limited ? &drawn.system : nullptr, x, y));
      ++compared;
    }
    QVERIFY(compared > 50);
  }

  void explicit_members_are_their_own_region() {
    const Tiled tiled;
    const std::vector<space::Configuration> members{tiled.space.at(3), tiled.space.at(77),
                                                    tiled.space.at(200)};
    const space::SearchSpace listed = *space::SearchSpace::make_explicit(tiled.space.knobs(), members);
    const analysis::SpaceVariables variables(listed, tiled.limits);
    const space::VariableId threads = *variables.system().find("threads");
    const space::VariableId bytes = *variables.system().find("bytes");
    std::set<std::pair<std::int64_t, std::int64_t>> expected;
    for (const space::Configuration& member : members) {
      const space::Evaluation all = variables.system().evaluate(listed.knobs(), member);
      expected.emplace(all.values[threads], all.values[bytes]);
    }
    const analysis::ValidRegion region = region_of(variables, threads, bytes);
    QVERIFY(region.all);
    QCOMPARE(region.members, std::int64_t{3});
    QCOMPARE(region.pairs.size(), expected.size());
    for (const analysis::RegionPair& pair : region.pairs) QVERIFY(expected.contains({pair.x, pair.y}));
  }

  void large_spaces_are_sampled() {
    std::vector<space::Knob> knobs;
    for (const char* name : {"a", "b", "c", "d"})
      knobs.push_back(*space::Knob::factorization(name, 1 << 12, 3));
    space::ConstraintSystem system;
    const space::VariableId first = system.add_element("a.2", 0, 2);
    const space::VariableId second = system.add_element("b.2", 1, 2);
    system.add({space::LeConstraint{first, second}, "no wider than the next"});
    const space::SearchSpace space = *space::SearchSpace::make(std::move(knobs), std::move(system));
    QVERIFY(space.size() > 1 << 20);
    const analysis::SpaceVariables variables(space);
    const space::VariableId x = *variables.system().find("a.2");
    const space::VariableId y = *variables.system().find("b.2");
    const analysis::ValidRegion region = region_of(variables, x, y, 4000);
    QVERIFY(!region.all);
    QVERIFY(region.uniform);
    QCOMPARE(region.members, std::int64_t{4000});
    QVERIFY(region.pairs.size() > 40);
    for (const analysis::RegionPair& pair : region.pairs) QVERIFY(pair.x <= pair.y && pair.within_limits);
    QVERIFY(std::ranges::is_sorted(
        region.pairs, {}, [](const analysis::RegionPair& pair) { return std::pair(pair.x, pair.y); }));
    QVERIFY(region == region_of(variables, x, y, 4000));
    const analysis::RegionMembers given_up =
        analysis::region_members(space, 4000, base::Random(1), [] { return false; });
    QVERIFY(given_up.sample.empty());
  }

  void bounds_have_their_reasons() {
    const Tiled tiled;
    const analysis::SpaceVariables variables(tiled.space, tiled.limits);
    const space::ConstraintSystem& system = variables.system();
    const space::VariableId threads = *system.find("threads");
    const space::VariableId bytes = *system.find("bytes");
    using enum analysis::VariableBound::Kind;
    QVERIFY(variables.bounds(bytes, threads) ==
            (std::vector<analysis::VariableBound>{{YAtMost, 32, "threads per block"},
                                                  {XAtMost, 512, "shared memory of a block"},
                                                  {XAtLeast, 4, "a word at least"}}));
    QVERIFY(variables.bounds(*system.find("tile_y.1"), *system.find("tile_x.1")).empty());
    QVERIFY(variables.has_limits());
    for (base::uint128 index = 0; index < tiled.space.size(); ++index) {
      const space::Configuration configuration = tiled.space.at(index);
      QCOMPARE(variables.within_limits(configuration),
               tiled.limits.satisfied(tiled.space.knobs(), configuration));
    }
    space::ConstraintSystem ordered;
    const space::VariableId first = ordered.add_element("first", 0, 1);
    const space::VariableId second = ordered.add_element("second", 1, 1);
    ordered.add({space::LeConstraint{first, second}, "ascending"});
    const analysis::SpaceVariables between(*space::SearchSpace::make(tiled.space.knobs(), ordered));
    const space::VariableId x = *between.system().find("first");
    const space::VariableId y = *between.system().find("second");
    QVERIFY(between.bounds(x, y) == (std::vector<analysis::VariableBound>{{XAtMostY, 0, "ascending"}}));
    QVERIFY(between.bounds(y, x) == (std::vector<analysis::VariableBound>{{YAtMostX, 0, "ascending"}}));
  }

  /** A session that respects limits derives again what its limits derive. */
  void what_is_derived_twice_is_offered_once() {
    const Tiled tiled;
    const analysis::SpaceVariables variables(*tiled.space.restricted_by(tiled.limits), tiled.limits);
    const auto named = [&](const std::string& name) {
      return std::ranges::count_if(variables.offered(), [&](space::VariableId id) {
        return variables.system().variables()[id].name == name;
      });
    };
    QCOMPARE(named("threads"), std::ptrdiff_t{1});
    QCOMPARE(named("bytes"), std::ptrdiff_t{1});
    const space::VariableId threads = *variables.system().find("threads");
    const space::VariableId bytes = *variables.system().find("bytes");
    QCOMPARE(variables.bounds(threads, bytes).size(), std::size_t{3});
  }

  void the_first_pair_is_what_limits_most() {
    const Tiled tiled;
    using Names = std::pair<std::string, std::string>;
    const auto names = [](const analysis::SpaceVariables& variables) {
      const auto pair = variables.first_pair();
      if (!pair) return Names();
      return Names(variables.system().variables()[pair->first].name,
                   variables.system().variables()[pair->second].name);
    };
    QVERIFY(names(analysis::SpaceVariables(tiled.space, tiled.limits)) == Names("bytes", "threads"));
    // Without bounds: the innermost factors of the knob with the most values.
    QVERIFY(names(analysis::SpaceVariables(tiled.space)) == Names("tile_y.2", "tile_y.1"));
    const space::SearchSpace one = *space::SearchSpace::make({tiled.space.knobs()[2]});
    QVERIFY(!analysis::SpaceVariables(one).first_pair());
  }
};

KERNELSCAPE_PLAIN_TEST(AnalysisSpaceVariablesTest)

}  // namespace kernelscape::analysis_space_variables_test
#include "analysis_space_variables_test.moc"
