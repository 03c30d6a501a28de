#include <QtTest>
#include <algorithm>
#include <ranges>

#include "core/space/feasibility.h"
#include "core/space/member_search.h"
#include "core/space/member_walk.h"
#include "tests/loop_nest/random_seed.h"
#include "tests/space/random_systems.h"
#include "tests/space/tied_levels.h"
#include "tests/test_program.h"

namespace kernelscape::space_sparse_members_test {
using namespace kernelscape::testing;

namespace {

std::vector<space::Configuration> members_of(const space::SearchSpace& space) {
  std::vector<space::Configuration> members;
  for_each_configuration(space.knobs(), [&](const space::Configuration& one) {
    if (space.contains(one)) members.push_back(one);
  });
  std::ranges::sort(members, {}, [&](const space::Configuration& one) { return space.index_of(one); });
  return members;
}

/** All members, each found by the solver, or also by steps of the walk. */
std::vector<space::Configuration> skipped_through(space::MemberWalk walk, base::Random& random, bool always) {
  std::vector<space::Configuration> members;
  while (!walk.done()) {
    space::SolverLimits limits;
    if ((always || random.chance(0.3)) && !walk.skip(limits)) qFatal("the solver gives up");
    if (auto member = walk.next(1)) members.push_back(std::move(*member));
  }
  return members;
}

/** Twelve knobs of 200 values, 4 * 10^27 combinations. */
struct Dozen {
  std::vector<space::Knob> knobs;
  space::ConstraintSystem system;
  std::vector<space::VariableId> variables;

  Dozen() {
    std::vector<space::KnobValue> values;
    for (std::int64_t value = 0; value < 200; ++value) values.emplace_back(value);
    for (std::uint32_t knob = 0; knob < 12; ++knob) {
      knobs.push_back(*space::Knob::ordinal("p" + std::to_string(knob), values));
      variables.push_back(system.add_element(knobs.back().name(), knob, 0));
    }
  }

  void require(space::Expression::Kind kind, space::Expression left, space::Expression right,
               std::string reason) {
    system.add({space::ExpressionConstraint{{.kind = kind, .operands = {std::move(left), std::move(right)}}},
                std::move(reason)});
  }
  space::Expression knob(std::size_t number) const {
    return {.kind = space::Expression::Kind::Variable, .variable = variables[number], .operands = {}};
  }
  space::SearchSpace space() const { return *space::SearchSpace::make(knobs, system); }
};

}  // namespace

/** What begins with the first members of a space, where these lie far apart or nowhere. */
class SpaceSparseMembersTest : public QObject {
  Q_OBJECT

 private slots:
  void skipping_finds_what_a_walk_finds() {
    base::Random random(random_seed());
    std::size_t all = 0;
    for (int round = 0; round < 150; ++round) {
      const RandomSystem drawn = random_system(random, round % 2 == 0);
      const space::SearchSpace space = *space::SearchSpace::make(drawn.knobs, drawn.system);
      const std::vector<space::Configuration> members = members_of(space);
      all += members.size();
      const bool always = random.chance(0.5);
      QCOMPARE(skipped_through(space::MemberWalk(space), random, always), members);
      std::vector<space::Configuration> around =
          skipped_through(space::MemberWalk(space, random), random, always);
      std::ranges::sort(around, {}, [&](const space::Configuration& one) { return space.index_of(one); });
      QCOMPARE(around, members);
      const std::size_t wanted = 1 + random.below(20);
      const space::FirstMembers first = space::first_members(space, wanted);
      QVERIFY(first.in_order);
      QVERIFY(std::ranges::equal(first.members, members | std::views::take(wanted)));
      QVERIFY(first.end ==
              (members.size() < wanted ? space::SearchEnd::Complete : space::SearchEnd::Stopped));
    }
    QVERIFY(all > 1000);
  }

  void skipping_passes_tied_knobs() {
    base::Random random(random_seed());
    for (const std::int64_t number : {12, 64, 210}) {
      const TiedLevels tied(number, 3);
      const space::SearchSpace space = *space::SearchSpace::make(tied.knobs, tied.system);
      QCOMPARE(skipped_through(space::MemberWalk(space), random, true), members_of(space));
      QCOMPARE(skipped_through(space::MemberWalk(space, random), random, true).size(),
               members_of(space).size());
    }
  }

  /** Of 89,600 rows with the product, the row of each member is found again. */
  void skipping_passes_many_tied_rows() {
    base::Random random(random_seed());
    const TiedLevels tied(720'720, 4);
    const space::SearchSpace space = *space::SearchSpace::make(tied.knobs, tied.system);
    space::MemberWalk skipped(space);
    space::MemberWalk walked(space);
    QVERIFY(walked.length() == 89'600);
    for (int i = 0; i < 300; ++i) {
      const std::uint64_t passed = random.below(200);
      for (std::uint64_t step = 0; step < passed; ++step) {
        skipped.next(1);
        walked.next(1);
      }
      space::SolverLimits limits;
      QVERIFY(skipped.skip(limits));
      QCOMPARE(skipped.next(1), walked.next(1));
    }
  }

  /** One configuration in 10^25 is feasible. */
  void members_far_apart_are_found_in_order() {
    base::Random random(random_seed());
    const auto least = static_cast<std::int64_t>(random.below(190));
    Dozen dozen;
    for (std::size_t i = 0; i + 1 < 12; ++i)
      dozen.require(space::Expression::Kind::Equal, dozen.knob(i), dozen.knob(i + 1), "");
    dozen.require(space::Expression::Kind::LessEqual, {.constant = least, .operands = {}}, dozen.knob(4), "");
    const space::FirstMembers first = space::first_members(dozen.space(), 1000);
    QCOMPARE(first.members.size(), static_cast<std::size_t>(200 - least));
    QVERIFY(first.in_order && first.end == space::SearchEnd::Complete);
    for (std::size_t i = 0; i < first.members.size(); ++i)
      QCOMPARE(first.members[i].indices, std::vector<std::uint32_t>(12, static_cast<std::uint32_t>(least) +
                                                                            static_cast<std::uint32_t>(i)));
    QCOMPARE(space::first_members(dozen.space(), 3).members.size(), std::size_t{3});
  }

  void looking_for_members_can_be_stopped() {
    const Dozen dozen;
    int asked = 0;
    const space::FirstMembers first = space::first_members(dozen.space(), 1000, [&] { return ++asked > 5; });
    QCOMPARE(first.members.size(), std::size_t{5});
    QVERIFY(first.in_order && first.end == space::SearchEnd::Stopped);
    QVERIFY(std::ranges::equal(first.members, space::first_members(dozen.space(), 5).members));
    const space::FirstMembers none = space::first_members(dozen.space(), 1000, [] { return true; });
    QVERIFY(none.members.empty() && none.in_order && none.end == space::SearchEnd::Stopped);
  }

  void conditions_that_contradict_each_other_are_named() {
    Dozen dozen;
    for (std::size_t i = 0; i + 1 < 12; ++i)
      dozen.require(space::Expression::Kind::Less, dozen.knob(i), dozen.knob(i + 1),
                    "link " + std::to_string(i));
    dozen.require(space::Expression::Kind::Less, dozen.knob(6), dozen.knob(4), "back");
    const space::FirstMembers first = space::first_members(dozen.space(), 10);
    QVERIFY(first.members.empty() && first.end == space::SearchEnd::Complete);
    const std::string message = space::no_feasible_configuration(dozen.space()).message;
    for (const char* link : {"link 4", "link 5", "back"}) QVERIFY2(message.contains(link), message.c_str());
    QVERIFY2(!message.contains("link 7"), message.c_str());
  }

  void random_members_are_drawn_one_after_the_other() {
    Dozen dozen;
    for (std::size_t i = 0; i + 1 < 12; ++i)
      dozen.require(space::Expression::Kind::Equal, dozen.knob(i), dozen.knob(i + 1), "");
    const std::uint64_t seed = random_seed();
    base::Random together(seed);
    base::Random single(seed);
    const space::SearchSpace space = dozen.space();
    const std::vector<space::Configuration> members = space.random_members(20, together);
    QCOMPARE(members.size(), std::size_t{20});
    for (const space::Configuration& member : members) QCOMPARE(member, space.random_member(single));
    // Where there are none, eight draws say so.
    dozen.require(space::Expression::Kind::Less, dozen.knob(3), dozen.knob(3), "");
    QVERIFY(dozen.space().random_members(1000, together).empty());
    for (int draw = 0; draw < 8; ++draw) single.bits();
    QCOMPARE(together.bits(), single.bits());
  }

  /** Each of 262,144 combinations is a member, and most have to be tried, by a condition of 1200 names. */
  void few_combinations_are_counted_whatever_it_takes() {
    std::vector<space::KnobValue> values;
    for (std::int64_t value = 0; value < 8; ++value) values.emplace_back(value);
    std::vector<space::Knob> knobs;
    space::ConstraintSystem system;
    space::Expression sum{.kind = space::Expression::Kind::Add, .operands = {}};
    for (std::uint32_t knob = 0; knob < 6; ++knob) {
      knobs.push_back(*space::Knob::ordinal("p" + std::to_string(knob), values));
      const space::VariableId variable = system.add_element(knobs.back().name(), knob, 0);
      sum.operands.insert(sum.operands.end(), 200,
                          {.kind = space::Expression::Kind::Variable, .variable = variable, .operands = {}});
    }
    // The sum is even, which its range does not show.
    system.add(
        {space::ExpressionConstraint{{.kind = space::Expression::Kind::NotEqual,
                                      .operands = {std::move(sum), {.constant = 4201, .operands = {}}}}},
         ""});
    const space::SearchSpace space = *space::SearchSpace::make(knobs, system);
    QVERIFY(!space::counted_members(space, 20'000'000).complete);
    const space::MemberCount counted = space::counted_members(space);
    QVERIFY(counted.complete && counted.count == space.size());
  }

  void a_count_that_ends_early_is_a_lower_bound() {
    base::Random random(random_seed());
    int incomplete = 0;
    for (int round = 0; round < 300; ++round) {
      const RandomSystem drawn = random_system(random, false);
      const space::SearchSpace space = *space::SearchSpace::make(drawn.knobs, drawn.system);
      const auto exact = static_cast<std::uint64_t>(members_of(space).size());
      const space::MemberCount counted = space::counted_members(space, 1 + random.below(50));
      QVERIFY(counted.complete ? counted.count == exact : counted.count <= exact);
      incomplete += counted.complete ? 0 : 1;
    }
    QVERIFY(incomplete > 10);
  }
};

KERNELSCAPE_PLAIN_TEST(SpaceSparseMembersTest)

}  // namespace kernelscape::space_sparse_members_test
#include "space_sparse_members_test.moc"
