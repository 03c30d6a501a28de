#include <QtTest>
#include <algorithm>
#include <set>

#include "core/space/member_walk.h"
#include "core/space/tied_knobs.h"
#include "tests/loop_nest/random_seed.h"
#include "tests/space/random_systems.h"
#include "tests/space/tied_levels.h"
#include "tests/test_program.h"

namespace kernelscape::space_tied_knobs_test {
using namespace kernelscape::testing;

namespace {

std::vector<space::KnobValue> integers(const std::vector<std::int64_t>& values) {
  return {values.begin(), values.end()};
}

std::vector<space::Configuration> members_of(const space::SearchSpace& space) {
  std::vector<space::Configuration> members;
  for_each_configuration(space.knobs(), [&](const space::Configuration& one) {
    if (space.contains(one)) members.push_back(one);
  });
  return members;
}

std::vector<space::Configuration> walked(space::MemberWalk walk) {
  std::vector<space::Configuration> members;
  while (const auto member = walk.next(~std::uint64_t{0})) members.push_back(*member);
  return members;
}

}  // namespace

/** Knobs of their own that a product ties, and the walk that looks at nothing else of them. */
class SpaceTiedKnobsTest : public QObject {
  Q_OBJECT

 private slots:
  void ties_are_what_has_the_product() {
    for (const std::int64_t number : {1, 2, 12, 64, 210}) {
      for (int count = 1; count <= 4; ++count) {
        const TiedLevels tied(number, count);
        const space::SearchSpace space = *space::SearchSpace::make(tied.knobs, tied.system);
        const std::vector<space::TiedKnobs> ties = space::tied_knobs(space);
        QCOMPARE(ties.size(), std::size_t{1});
        const std::vector<space::Configuration> members = members_of(space);
        QCOMPARE(ties[0].rows(), members.size());
        QCOMPARE(walked(space::MemberWalk(space)), members);
        base::Random random(random_seed());
        const std::vector<space::Configuration> around = walked(space::MemberWalk(space, random));
        QCOMPARE(around.size(), members.size());
        QCOMPARE(std::set<space::Configuration>(around.begin(), around.end()).size(), members.size());
      }
    }
  }

  void other_products_tie_nothing() {
    const std::vector<space::Knob> knobs{
        *space::Knob::ordinal("a", integers({1, 2, 4})), *space::Knob::ordinal("b", integers({1, 2, 4})),
        *space::Knob::ordinal("c", integers({-2, 1, 2})), *space::Knob::factorization("d", 4, 2)};
    const auto ties_of = [&](const std::vector<std::pair<std::uint32_t, int>>& factors, std::int64_t number) {
      space::ConstraintSystem system;
      space::ProdConstraint rule{system.add_constant("number", number), {}};
      for (const auto& [knob, position] : factors)
        rule.factors.push_back(system.add_element("f" + std::to_string(rule.factors.size()), knob, position));
      system.add({rule, ""});
      const space::SearchSpace space = *space::SearchSpace::make(knobs, system);
      if (walked(space::MemberWalk(space)) != members_of(space)) qFatal("the walk leaves members out");
      return space::tied_knobs(space).size();
    };
    QCOMPARE(ties_of({{0, 0}, {1, 0}}, 4), std::size_t{1});
    QCOMPARE(ties_of({{1, 0}, {0, 0}}, 4), std::size_t{1});
    QCOMPARE(ties_of({{0, 0}}, 2), std::size_t{1});
    QCOMPARE(ties_of({{0, 0}, {0, 0}}, 4), std::size_t{0});  // one knob twice
    QCOMPARE(ties_of({{0, 0}, {2, 0}}, 4), std::size_t{0});  // not in a row
    QCOMPARE(ties_of({{1, 0}, {2, 0}}, 4), std::size_t{0});  // a value below 1
    QCOMPARE(ties_of({{3, 0}, {3, 1}}, 4), std::size_t{0});  // factors of one knob
    QCOMPARE(ties_of({{0, 0}, {1, 0}}, -4), std::size_t{0});
    QCOMPARE(ties_of({{0, 0}, {1, 0}}, 3), std::size_t{1});  // and no member
  }

  void walks_with_ties_and_without_go_by_index() {
    base::Random random(random_seed());
    for (int i = 0; i < 20; ++i) {
      // A tie among knobs that are not, and constraints across them.
      std::vector<space::Knob> knobs{
          *space::Knob::ordinal("a", integers({1, 2, 3})), *space::Knob::factorization("f", 6, 2),
          *space::Knob::ordinal("x", integers({1, 2, 3, 6})),
          *space::Knob::ordinal("y", integers({1, 2, 3, 6})),
          *space::Knob::categorical("z", {space::KnobValue(false), space::KnobValue(true)})};
      space::ConstraintSystem system;
      const space::VariableId x = system.add_element("x", 2, 0);
      const space::VariableId y = system.add_element("y", 3, 0);
      system.add({space::ProdConstraint{system.add_constant("six", 6), {y, x}}, ""});
      if (random.chance(0.5)) system.add({space::LeConstraint{x, system.add_element("a", 0, 0)}, ""});
      if (random.chance(0.5)) system.add({space::LeConstraint{system.add_element("f.1", 1, 1), y}, ""});
      const space::SearchSpace space = *space::SearchSpace::make(knobs, system);
      const std::vector<space::Configuration> members = members_of(space);
      QCOMPARE(walked(space::MemberWalk(space)), members);
      QVERIFY(space::MemberWalk(space).length() == 3 * 4 * 4 * 2);
      std::vector<space::Configuration> around = walked(space::MemberWalk(space, random));
      QVERIFY(std::ranges::is_permutation(around, members));
      QCOMPARE(*space::listed_members(space, members.size()), members);
    }
  }
};

KERNELSCAPE_PLAIN_TEST(SpaceTiedKnobsTest)

}  // namespace kernelscape::space_tied_knobs_test
#include "space_tied_knobs_test.moc"
