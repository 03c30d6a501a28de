#include <QtTest>

#include "core/space/contradiction.h"
#include "tests/loop_nest/random_seed.h"
#include "tests/space/random_systems.h"
#include "tests/space/tied_levels.h"
#include "tests/test_program.h"

namespace kernelscape::space_contradiction_test {
using namespace kernelscape::testing;

class SpaceContradictionTest : public QObject {
  Q_OBJECT

 private slots:
  void contradicting_constraints_are_as_few_as_possible() {
    base::Random random(random_seed());
    int contradictions = 0;
    int of_several = 0;
    for (int i = 0; i < 300; ++i) {
      const RandomSystem drawn = random_system(random, i % 2 == 0);
      const std::vector<std::size_t> named = space::contradicting_constraints(
          drawn.knobs, drawn.system, space::SolverLimits{.nodes = 1'000'000});
      QCOMPARE(named.empty(), !solutions_of(drawn).empty());
      contradictions += named.empty() ? 0 : 1;
      of_several += named.size() > 1 ? 1 : 0;
      for (std::size_t without = 0; without < named.size(); ++without) {
        std::vector<std::size_t> others = named;
        others.erase(others.begin() + static_cast<std::ptrdiff_t>(without));
        QVERIFY(satisfiable(drawn, others));
      }
      if (!named.empty()) QVERIFY(!satisfiable(drawn, named));
    }
    QVERIFY(contradictions > 20 && of_several > 1);
  }

  void two_of_many_constraints_contradict_each_other() {
    TiedLevels tied(1024, 4);
    const auto add = [&](space::VariableId low, space::VariableId high, const char* reason) {
      tied.system.add({space::LeConstraint{low, high}, reason});
      return tied.system.constraints().size() - 1;
    };
    const auto inner = tied.system.add_derived("inner");
    const auto bound = tied.system.add_constant("bound", 64);
    const auto least = tied.system.add_constant("least", 65);
    for (const space::VariableId level : tied.levels)
      add(level, tied.system.add_constant("large", 512), "a level");
    tied.system.add({space::ProdConstraint{inner, {tied.levels[1], tied.levels[2]}}, ""});
    const std::size_t small = add(inner, bound, "it fits");
    add(tied.levels[3], bound, "another level");
    const std::size_t large = add(least, inner, "it is worth it");
    QCOMPARE(space::contradicting_constraints(tied.knobs, tied.system),
             (std::vector<std::size_t>{small, large}));
    QCOMPARE(space::describe_constraints(tied.system, {small, large}),
             std::string("inner <= 64 (it fits); 65 <= inner (it is worth it)"));
    QVERIFY(space::contradicting_constraints(tied.knobs, TiedLevels(1024, 4).system).empty());
  }

 private:
  /** Whether a configuration violates none of these constraints of a system. */
  static bool satisfiable(const RandomSystem& drawn, const std::vector<std::size_t>& constraints) {
    bool exists = false;
    for_each_configuration(drawn.knobs, [&](const space::Configuration& one) {
      const auto violated = reference_evaluation(drawn, one).violated;
      // A SELECT that a named one rests on counts with it, whether it is named or not.
      exists = exists || std::ranges::none_of(violated, [&](std::size_t number) {
                 return std::ranges::count(rests_on(drawn, constraints), number) > 0;
               });
    });
    return exists;
  }

  /** These constraints, and the definitions behind them. */
  static std::vector<std::size_t> rests_on(const RandomSystem& drawn, std::vector<std::size_t> constraints) {
    for (std::size_t i = 0; i < constraints.size(); ++i) {
      const space::Constraint& constraint = drawn.system.constraints()[constraints[i]];
      std::vector<space::VariableId> needed = space::operands(constraint);
      if (const auto left = space::left_side(constraint); left && !drawn.defines[constraints[i]])
        needed.push_back(*left);
      for (std::size_t other = 0; other < constraints[i]; ++other)
        if (drawn.defines[other] &&
            std::ranges::count(needed, *space::left_side(drawn.system.constraints()[other])) > 0 &&
            std::ranges::count(constraints, other) == 0)
          constraints.push_back(other);
    }
    return constraints;
  }
};

KERNELSCAPE_PLAIN_TEST(SpaceContradictionTest)

}  // namespace kernelscape::space_contradiction_test
#include "space_contradiction_test.moc"
