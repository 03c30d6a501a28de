#include <cmath>
#include <set>

#include "core/space/topology.h"
#include "core/surrogate/expected_improvement.h"
#include "core/tuner/member_pool.h"
#include "tests/test_program.h"
#include "tests/tuner/model_of_space.h"
#include "tests/tuner/tuner_fixture.h"

namespace kernelscape::tuner_member_pool_test {
using namespace kernelscape::tuner_fixture;
using kernelscape::testing::ModelOfSpace;

namespace {

/** A session in a space, some of whose members fail, before its next proposal. */
struct PoolCase {
  PoolCase(space::SearchSpace searched, std::uint64_t seed)
      : space(std::move(searched)),
        coordinates(space, nullptr),
        visited(space, base::Random(seed).fork("visited")),
        model(coordinates, {}, base::Random(seed).fork("fit")) {
    for (int i = 0; i < 40; ++i) {
      const space::Configuration member = *visited.take_random();
      double slowness = 1;
      for (const std::uint32_t index : member.indices) slowness += std::abs(static_cast<double>(index) - 3);
      const bool valid = member.indices[0] + member.indices[1] < 9;
      model.observe({member, valid ? 100 / slowness : 0,
                     valid ? trial::ErrorCategory::NoError : trial::ErrorCategory::CompileHost});
      if (valid && elites.size() < 6) elites.push_back(member);
    }
    model.update();
  }

  tuner::MemberPool pool(const tuner::MemberPoolOptions& options, std::uint64_t seed) const {
    return {space, coordinates, visited, options, base::Random(seed)};
  }

  /** What the pool's next candidate is, taken. */
  std::optional<space::Configuration> take(tuner::MemberPool& pool) {
    std::optional<space::Configuration> pick = pool.best(model, nullptr);
    if (!pick) return pick;
    visited.insert(*pick);
    model.believe(coordinates.of(*pick));
    return pick;
  }

  double score(const space::Configuration& member) const {
    const base::GridPoint point = coordinates.of(member);
    const surrogate::Posterior posterior = model.performance().predict(point);
    const double gain =
        surrogate::expected_improvement(-posterior.mean, std::sqrt(posterior.variance), -model.incumbent());
    return (gain + 1e-30) * model.predict(point).feasibility;
  }

  space::SearchSpace space;
  space::GridCoordinates coordinates;
  tuner::Visited visited;
  ModelOfSpace model;
  std::vector<space::Configuration> elites;
};

space::SearchSpace pooled_space() { return sum_space({8, 7, 6, 1, 6, 5}, 20); }

std::set<space::Configuration> distinct_members(std::span<const space::Configuration> members) {
  return {members.begin(), members.end()};
}

/** The pool of sessions of before, step by step. */
std::vector<space::Configuration> pool_of_before(const PoolCase& session, base::Random random,
                                                 std::int64_t drawn, int climbs, std::ptrdiff_t parents) {
  std::vector<space::Configuration> pool;
  const auto add_neighbours = [&](const std::vector<space::Configuration>& of) {
    for (const space::Configuration& parent : of)
      for (const space::Configuration& neighbour : space::neighbours(session.space, parent))
        if (!session.visited.contains(neighbour)) pool.push_back(neighbour);
  };
  for (std::int64_t i = 0; i < drawn; ++i) {
    const auto member = session.space.random_member(random);
    if (member && !session.visited.contains(*member)) pool.push_back(*member);
  }
  add_neighbours(session.elites);
  for (int climb = 0; climb < climbs; ++climb) {
    tuner::ScoredMembers scored(pool, session.coordinates);
    pool = scored.best_members(session.model, session.visited, static_cast<std::size_t>(10 * parents));
    add_neighbours({pool.begin(), pool.begin() + std::ssize(pool) / 10});
  }
  return pool;
}

}  // namespace

/** Pools of spaces that are too large to be scored as a whole, and ties. */
class TunerMemberPoolTest : public QObject {
  Q_OBJECT

 private slots:
  static void holds_unseen_members_once_and_keeps_them() {
    const std::uint64_t seed = printed_seed();
    PoolCase session(pooled_space(), seed);
    tuner::MemberPool pool = session.pool({.random_members = 200}, seed);
    QVERIFY(pool.members().empty() && !pool.best(session.model, nullptr));
    for (int batch = 0; batch < 2; ++batch) {
      pool.draw(session.model, session.elites);
      std::set<space::Configuration> seen;
      for (const space::Configuration& member : pool.members()) QVERIFY(!session.visited.contains(member));
      for (int candidate = 0; candidate < 4; ++candidate) {
        const std::size_t before = pool.members().size();
        const auto pick = session.take(pool);
        QVERIFY(pick && seen.insert(*pick).second);
        QVERIFY(pool.members().size() >= before);
        for (const space::Configuration& member : pool.members().subspan(before))
          QVERIFY(!seen.contains(member) || member == *pick);
      }
      const std::set<space::Configuration> members = distinct_members(pool.members());
      QCOMPARE(members.size(), pool.members().size());
      for (const space::Configuration& member : members) QVERIFY(session.space.contains(member));
      QVERIFY(std::ranges::includes(members, seen));
      session.model.take_back_beliefs();
    }
  }

  /** Random members first, as they are drawn, then the elites' neighbours, then what is bred of them. */
  static void is_made_of_random_members_and_what_is_near_the_best() {
    const std::uint64_t seed = printed_seed();
    const PoolCase session(pooled_space(), seed);
    tuner::MemberPool pool = session.pool({.random_members = 150}, seed);
    pool.draw(session.model, session.elites);
    std::vector<space::Configuration> expected;
    std::set<space::Configuration> known;
    const auto expect = [&](const space::Configuration& member) {
      if (!session.visited.contains(member) && known.insert(member).second) expected.push_back(member);
    };
    base::Random random(seed);
    for (int i = 0; i < 150; ++i) expect(*session.space.random_member(random));
    for (const space::Configuration& elite : session.elites)
      for (const space::Configuration& neighbour : space::neighbours(session.space, elite)) expect(neighbour);
    QVERIFY(pool.members().size() > expected.size());
    QVERIFY(std::ranges::equal(pool.members().first(expected.size()), expected));
    std::size_t far = 0;
    for (const space::Configuration& bred : pool.members().subspan(expected.size())) {
      std::size_t nearest = bred.indices.size();
      for (const space::Configuration& elite : session.elites)
        nearest = std::min(nearest, differing_knobs(bred, elite));
      const bool recombined = std::ranges::any_of(session.elites, [&](const space::Configuration& first) {
        return std::ranges::any_of(session.elites, [&](const space::Configuration& second) {
          for (std::size_t knob = 0; knob < bred.indices.size(); ++knob) {
            const std::uint32_t index = bred.indices[knob];
            if (index != first.indices[knob] && index != second.indices[knob]) return false;
          }
          return true;
        });
      });
      QVERIFY(recombined || nearest <= 3);
      far += nearest > 1 ? 1 : 0;
    }
    QVERIFY(far > 0);
  }

  /** It climbs until nothing is left to climb to: for every candidate, with what was believed before it. */
  static void candidates_are_the_best_of_the_pool_and_of_their_neighbours() {
    const std::uint64_t seed = printed_seed();
    PoolCase session(pooled_space(), seed);
    tuner::MemberPool pool = session.pool({.random_members = 60, .climbs = 1000, .parents = 3}, seed);
    pool.draw(session.model, session.elites);
    for (int candidate = 0; candidate < 5; ++candidate) {
      const auto pick = pool.best(session.model, nullptr);
      QVERIFY(pick && !session.visited.contains(*pick));
      const std::set<space::Configuration> members = distinct_members(pool.members());
      double greatest = 0;
      for (const space::Configuration& member : members)
        if (!session.visited.contains(member)) greatest = std::max(greatest, session.score(member));
      // Pools are scored in single precision.
      QVERIFY(session.score(*pick) >= 0.95 * greatest - 1e-9);
      for (const space::Configuration& neighbour : space::neighbours(session.space, *pick))
        QVERIFY(session.visited.contains(neighbour) || members.contains(neighbour));
      session.visited.insert(*pick);
      session.model.believe(session.coordinates.of(*pick));
    }
  }

  static void sessions_of_before_have_their_pools() {
    const std::uint64_t seed = printed_seed();
    PoolCase session(pooled_space(), seed);
    for (const int climbs : {0, 1, 3}) {
      tuner::MemberPool pool =
          session.pool({.random_members = 120, .climbs = climbs, .parents = 4, .once = true}, seed);
      pool.draw(session.model, session.elites);
      const std::vector<space::Configuration> expected =
          pool_of_before(session, base::Random(seed), 120, climbs, 4);
      QVERIFY(std::ranges::equal(pool.members(), expected));
      for (int candidate = 0; candidate < 3; ++candidate) QVERIFY(session.take(pool));
      QVERIFY(std::ranges::equal(pool.members(), expected));
      session.model.take_back_beliefs();
    }
  }

  static void a_pool_runs_dry() {
    PoolCase session(sum_space({9, 8, 3}, 12), printed_seed());
    tuner::MemberPool pool = session.pool({.random_members = 10, .climbs = 0}, 1);
    pool.draw(session.model, {});
    const std::size_t members = pool.members().size();
    for (std::size_t i = 0; i < members; ++i) QVERIFY(session.take(pool));
    QVERIFY(!session.take(pool));
  }

  /** Nothing is known, so that all members are alike. */
  static void ties_are_drawn_from() {
    const std::uint64_t seed = printed_seed();
    const space::SearchSpace space = plain_space({7, 6});
    const space::GridCoordinates coordinates(space, nullptr);
    const surrogate::SpaceModel model(coordinates.columns(), {}, base::Random(seed));
    const std::vector<space::Configuration> members = all_members(space);
    tuner::Visited visited(space, base::Random(seed));
    visited.insert(members[0]);
    visited.insert(members[5]);
    tuner::ScoredMembers scored({members.begin(), members.begin() + 20}, coordinates);
    scored.add({members.begin() + 20, members.end()}, coordinates);
    QVERIFY(scored.members() == members);
    QCOMPARE(*scored.best(model, visited), std::size_t{1});
    std::set<std::size_t> drawn;
    for (std::uint64_t i = 0; i < 60; ++i) {
      base::Random ties(seed + i);
      base::Random same(seed + i);
      const auto number = scored.best(model, visited, &ties);
      QVERIFY(number && !visited.contains(members[*number]));
      QCOMPARE(scored.best(model, visited, &same), number);
      drawn.insert(*number);
    }
    // Of 40 members 60 draws meet 31 on average, and 10 hardly ever.
    QVERIFY(drawn.size() > 10);
    for (const space::Configuration& member : members) visited.insert(member);
    QVERIFY(!scored.best(model, visited));
  }
};

KERNELSCAPE_PLAIN_TEST(TunerMemberPoolTest)

}  // namespace kernelscape::tuner_member_pool_test
#include "tuner_member_pool_test.moc"
