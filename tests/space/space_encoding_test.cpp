#include <QtTest>

#include "core/space/encoding.h"
#include "core/space/features.h"
#include "core/space/grid_coordinates.h"
#include "core/space/member_walk.h"
#include "tests/loop_nest/random_seed.h"
#include "tests/space/random_systems.h"
#include "tests/test_program.h"

namespace kernelscape::space_encoding_test {
using namespace kernelscape::testing;

namespace {

/** Larger products are sampled. */
constexpr base::uint128 max_walked = 100'000;
constexpr int samples = 2000;

std::vector<space::KnobValue> integers(const std::vector<std::int64_t>& values) {
  return {values.begin(), values.end()};
}

std::vector<std::string> names_of(const space::SearchSpace& space) {
  std::vector<std::string> names;
  for (const space::Knob& knob : space.knobs()) names.push_back(knob.name());
  return names;
}

std::vector<std::int64_t> integers_of(const space::Knob& knob) {
  std::vector<std::int64_t> values;
  for (std::uint32_t index = 0; index < knob.count(); ++index) values.push_back(knob.element(index, 0));
  return values;
}

/** All configurations of a small space, some of a large one. */
template <typename Visit>
void for_some_configurations(const space::SearchSpace& space, base::Random& random, const Visit& visit) {
  if (space.size() <= max_walked) {
    for_each_configuration(space.knobs(), visit);
    return;
  }
  for (int i = 0; i < samples; ++i) {
    space::Configuration drawn;
    for (const space::Knob& knob : space.knobs())
      drawn.indices.push_back(static_cast<std::uint32_t>(random.below(knob.count())));
    visit(drawn);
  }
}

std::vector<space::Configuration> members_of(const space::SearchSpace& space) {
  std::vector<space::Configuration> members;
  for_each_configuration(space.knobs(), [&](const space::Configuration& one) {
    if (space.contains(one)) members.push_back(one);
  });
  return members;
}

std::vector<space::Configuration> encoded_all(const space::EncodedSpace& encoded,
                                              const std::vector<space::Configuration>& all) {
  std::vector<space::Configuration> mapped;
  for (const space::Configuration& one : all) mapped.push_back(*encoded.encode(one));
  return mapped;
}

std::vector<space::Configuration> walked(space::MemberWalk walk) {
  std::vector<space::Configuration> members;
  while (const auto member = walk.next(~std::uint64_t{0})) members.push_back(*member);
  return members;
}

/** Both ways between a space and its levels, member or not. */
void check_encoding(const space::SearchSpace& original, base::Random& random) {
  const space::EncodedSpace encoded = *space::EncodedSpace::make(original);
  const space::SearchSpace& levels = encoded.space();
  const space::ConstraintSystem& before = original.constraints();
  const space::ConstraintSystem& after = levels.constraints();
  for (std::size_t i = 0; i < before.constraints().size(); ++i) {
    QCOMPARE(after.describe(i), before.describe(i));
    QCOMPARE(after.constraints()[i].reason, before.constraints()[i].reason);
  }
  for_some_configurations(original, random, [&](const space::Configuration& one) {
    const space::Configuration mapped = *encoded.encode(one);
    QCOMPARE(*encoded.decode(mapped), one);
    QCOMPARE(levels.contains(mapped), original.contains(one));
    if (original.explicit_members() != nullptr) return;
    const space::Evaluation own = before.evaluate(original.knobs(), one);
    const space::Evaluation other = after.evaluate(levels.knobs(), mapped);
    QCOMPARE(other.violated, own.violated);
    for (std::size_t id = 0; id < own.values.size(); ++id) QCOMPARE(other.values[id], own.values[id]);
    for (const std::size_t violated : own.violated)
      QCOMPARE(after.explain(violated, other), before.explain(violated, own));
  });
  for_some_configurations(levels, random, [&](const space::Configuration& one) {
    const std::optional<space::Configuration> decoded = encoded.decode(one);
    QCOMPARE(levels.contains(one), decoded && original.contains(*decoded));
    if (decoded) QCOMPARE(*encoded.encode(*decoded), one);
  });
  QCOMPARE(walked(space::MemberWalk(levels)), encoded_all(encoded, walked(space::MemberWalk(original))));
  // A tie of the original's own may have taken a level before.
  const bool tied = std::ranges::any_of(before.constraints(), [](const space::Constraint& constraint) {
    return std::holds_alternative<space::ProdConstraint>(constraint.rule);
  });
  if (!tied) QVERIFY(space::MemberWalk(levels).length() == space::MemberWalk(original).length());
}

}  // namespace

class SpaceEncodingTest : public QObject {
  Q_OBJECT

 private slots:
  void random_spaces_have_the_same_members_in_both() {
    base::Random random(random_seed());
    int differing = 0;
    for (int i = 0; i < 60; ++i) {
      const RandomSystem drawn = random_system(random, random.chance(0.5));
      const space::SearchSpace space = *space::SearchSpace::make(drawn.knobs, drawn.system);
      check_encoding(space, random);
      if (QTest::currentTestFailed()) return;
      differing += space::EncodedSpace::make(space)->differs() ? 1 : 0;
    }
    QVERIFY(differing > 20);
  }

  void the_solver_finds_members_alone() {
    base::Random random(random_seed());
    for (int i = 0; i < 30; ++i) {
      const RandomSystem drawn = random_system(random, false);
      const space::SearchSpace space = *space::SearchSpace::make(drawn.knobs, drawn.system);
      const space::EncodedSpace encoded = *space::EncodedSpace::make(space);
      const bool exists = !members_of(space).empty();
      for (int draw = 0; draw < 20; ++draw) {
        const auto member = encoded.space().random_member(random);
        QCOMPARE(member.has_value(), exists);
        if (!exists) break;
        QVERIFY(encoded.space().contains(*member));
        QVERIFY(space.contains(*encoded.decode(*member)));
      }
    }
  }

  void listed_members_are_mapped_one_by_one() {
    base::Random random(random_seed());
    for (int i = 0; i < 30; ++i) {
      std::vector<space::Knob> knobs = random_system(random, false).knobs;
      // Listed members need no tie: values that were taken away hinder nothing.
      knobs.push_back(*space::Knob::factorization("rest", 36, 2)->restricted({0, 3, 4}));
      const space::SearchSpace whole = *space::SearchSpace::make(knobs);
      std::vector<space::Configuration> members;
      for (int member = 0; member < 30; ++member) members.push_back(*whole.random_member(random));
      const space::SearchSpace space = *space::SearchSpace::make_explicit(knobs, members);
      check_encoding(space, random);
      if (QTest::currentTestFailed()) return;
      const space::EncodedSpace encoded = *space::EncodedSpace::make(space);
      QVERIFY(encoded.space().find_knob("rest[1]"));
      QCOMPARE(*encoded.space().explicit_members(), encoded_all(encoded, *space.explicit_members()));
    }
  }

  void levels_are_named_as_columns_and_have_the_values_of_their_factor() {
    const space::SearchSpace space = *space::SearchSpace::make(
        {*space::Knob::factorization("tile_oc", 12, 3), *space::Knob::factorization("tile_x", 48, 2, 6),
         *space::Knob::factorization("alone", 7, 1), *space::Knob::ordinal("unroll", integers({0, 4})),
         *space::Knob::permutation("order", {"a", "b"})});
    const space::EncodedSpace encoded = *space::EncodedSpace::make(space);
    const space::SearchSpace& levels = encoded.space();
    QCOMPARE(names_of(levels),
             (std::vector<std::string>{"tile_oc[0]", "tile_oc[1]", "tile_oc[2]", "tile_x[0]", "tile_x[1]",
                                       "alone", "unroll", "order"}));
    QCOMPARE(integers_of(levels.knobs()[1]), (std::vector<std::int64_t>{1, 2, 3, 4, 6, 12}));
    QCOMPARE(integers_of(levels.knobs()[3]), (std::vector<std::int64_t>{8, 12, 16, 24, 48}));
    QCOMPARE(integers_of(levels.knobs()[4]), (std::vector<std::int64_t>{1, 2, 3, 4, 6}));
    QVERIFY(levels.knobs()[0].kind() == space::KnobKind::Ordinal);
    QVERIFY(levels.knobs()[5].kind() == space::KnobKind::Factorization);
    QCOMPARE(space::GridCoordinates(levels, nullptr).names(), space::GridCoordinates(space, nullptr).names());
    base::Random random(random_seed());
    for (int i = 0; i < 100; ++i) {
      const space::Configuration member = *space.random_member(random);
      QCOMPARE(space::GridCoordinates(levels, nullptr).of(*encoded.encode(member)),
               space::GridCoordinates(space, nullptr).of(member));
      QCOMPARE(space::KnobFeatures(levels).compute(*encoded.encode(member)),
               space::KnobFeatures(space).compute(member));
    }
  }

  void a_broken_tie_is_reported_in_words() {
    const space::SearchSpace space = *space::SearchSpace::make({*space::Knob::factorization("tile", 8, 2)});
    const space::SearchSpace levels = space::EncodedSpace::make(space)->space();
    const space::Configuration wrong{{3, 3}};
    const space::Evaluation evaluation = levels.constraints().evaluate(levels.knobs(), wrong);
    QCOMPARE(evaluation.violated, (std::vector<std::size_t>{0}));
    QCOMPARE(levels.constraints().explain(0, evaluation),
             std::string("levels of tile multiply to 8: 8 is not equal to tile.0 * tile.1 = 8 * 8"));
    QVERIFY(!space::EncodedSpace::make(space)->decode(wrong));
  }

  void restricted_factorizations_are_levels_where_a_product_tells_their_values() {
    const space::Knob whole = *space::Knob::factorization("tile", 12, 3);
    base::Random random(random_seed());
    int reported = 0;
    int untold = 0;
    for (int i = 0; i < 200; ++i) {
      std::vector<std::uint32_t> kept;
      const double share = random.uniform();
      for (std::uint32_t index = 0; index < whole.count(); ++index)
        if (random.chance(share)) kept.push_back(index);
      if (kept.empty()) continue;
      const space::SearchSpace space =
          *space::SearchSpace::make({*whole.restricted(kept), *space::Knob::factorization("x", 4, 2)});
      check_encoding(space, random);
      if (QTest::currentTestFailed()) return;
      (space::EncodedSpace::make(space)->space().find_knob("tile") ? untold : reported) += 1;
    }
    QVERIFY(reported > 0 && untold > 0);
  }

  void what_is_no_factorization_stays_as_it_is() {
    const space::SearchSpace space = *space::SearchSpace::make(
        {*space::Knob::ordinal("a", integers({1, 2})), *space::Knob::factorization("one", 6, 1)});
    const space::EncodedSpace encoded = *space::EncodedSpace::make(space);
    QVERIFY(!encoded.differs());
    QCOMPARE(encoded.space().fingerprint(), space.fingerprint());
    QCOMPARE(*encoded.encode({{1, 0}}), (space::Configuration{{1, 0}}));
    QCOMPARE(*encoded.decode({{1, 0}}), (space::Configuration{{1, 0}}));
  }

  void configurations_of_other_spaces_have_no_levels() {
    const space::EncodedSpace encoded =
        *space::EncodedSpace::make(*space::SearchSpace::make({*space::Knob::factorization("tile", 8, 2)}));
    for (const space::Configuration& other :
         {space::Configuration{{4}}, space::Configuration{{0, 0}}, space::Configuration{}}) {
      const auto refused = encoded.encode(other);
      QVERIFY(!refused && !refused.error().hint.empty());
    }
    for (const space::Configuration& other :
         {space::Configuration{{0}}, space::Configuration{{0, 4}}, space::Configuration{}})
      QVERIFY(!encoded.decode(other));
  }

  void levels_that_no_space_can_hold_are_refused_with_the_way_out() {
    std::vector<space::Knob> many;
    for (int i = 0; i < 8; ++i)
      many.push_back(*space::Knob::factorization("tile" + std::to_string(i), 1LL << 20, 5));
    const std::vector<space::Knob> twins{*space::Knob::factorization("tile", 8, 2),
                                         *space::Knob::ordinal("tile[1]", integers({1, 2}))};
    for (const auto& knobs : {many, twins}) {
      const auto refused = space::EncodedSpace::make(*space::SearchSpace::make(knobs));
      QVERIFY(!refused);
      QVERIFY2(refused.error().message.contains("levels"), refused.error().message.c_str());
      QVERIFY2(refused.error().hint.contains("factorizations"), refused.error().hint.c_str());
    }
  }
};

KERNELSCAPE_PLAIN_TEST(SpaceEncodingTest)

}  // namespace kernelscape::space_encoding_test
#include "space_encoding_test.moc"
