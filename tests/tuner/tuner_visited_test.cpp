#include "core/space/member_walk.h"
#include "core/tuner/visited.h"
#include "tests/test_program.h"
#include "tests/tuner/tuner_fixture.h"

namespace kernelscape::tuner_visited_test {
using namespace kernelscape::tuner_fixture;

namespace {

constexpr std::int64_t fixed_combinations = 4096;
constexpr std::int64_t free_combinations = 16'384;

/** The first knobs have one value each: 2^26 combinations, of which one in 4096 is a member. */
space::SearchSpace spread_members() {
  space::ConstraintSystem system;
  for (std::uint32_t knob = 0; knob < 3; ++knob)
    system.add({space::InConstraint{system.add_element("v" + std::to_string(knob), knob, 0), {7}}, ""});
  return *space::SearchSpace::make(knobs({16, 16, 16, 16, 16, 64}), system);
}

space::Configuration member_at(const space::SearchSpace& space, std::int64_t number) {
  const space::Configuration first{{7, 7, 7, 0, 0, 0}};
  return space.at(space.index_of(first) + static_cast<base::uint128>(number * fixed_combinations));
}

/** Draws, then lists what a walk of 2^24 configurations from a random start finds. */
class PlainTaking {
 public:
  PlainTaking(space::SearchSpace space, base::Random random)
      : space_(std::move(space)), random_(std::move(random)) {}

  bool insert(const space::Configuration& configuration) { return visited_.insert(configuration).second; }

  std::optional<space::Configuration> take() {
    for (int draw = 0; draw < 100 && listed_.empty(); ++draw) {
      const std::optional<space::Configuration> member = space_.random_member(random_);
      if (!member) break;
      if (insert(*member)) return member;
    }
    if (std::optional<space::Configuration> member = take_listed()) return member;
    space::MemberWalk walk(space_, random_);
    for (std::uint64_t step = 0; step < std::uint64_t{1} << 24 && listed_.size() < 65'536; ++step) {
      const std::optional<space::Configuration> member = walk.next(1);
      if (member && !visited_.contains(*member)) listed_.push_back(*member);
      if (walk.done()) break;
    }
    return take_listed();
  }

 private:
  std::optional<space::Configuration> take_listed() {
    while (!listed_.empty()) {
      std::swap(listed_[random_.below(listed_.size())], listed_.back());
      const space::Configuration member = listed_.back();
      listed_.pop_back();
      if (insert(member)) return member;
    }
    return std::nullopt;
  }

  space::SearchSpace space_;
  base::Random random_;
  std::set<space::Configuration> visited_;
  std::vector<space::Configuration> listed_;
};

}  // namespace

/** What tuners take where most members are visited. */
class TunerVisitedTest : public QObject {
  Q_OBJECT

 private slots:
  /** A session that is resumed goes on as it began. */
  void a_walk_that_finds_members_is_not_replaced_by_the_solver() {
    const space::SearchSpace space = spread_members();
    QVERIFY(!space.samples_uniformly());
    const std::uint64_t seed = printed_seed();
    tuner::Visited visited(space, base::Random(seed));
    PlainTaking plain(space, base::Random(seed));
    for (std::int64_t number = 0; number < free_combinations; ++number) {
      if (number % 256 == 255) continue;
      const space::Configuration member = member_at(space, number);
      QVERIFY(space.contains(member));
      QVERIFY(visited.insert(member) && plain.insert(member));
    }
    for (int taken = 0; taken < 12; ++taken) {
      const std::optional<space::Configuration> member = visited.take_random();
      QVERIFY(member);
      QCOMPARE(member, plain.take());
    }
  }
};

KERNELSCAPE_PLAIN_TEST(TunerVisitedTest)

}  // namespace kernelscape::tuner_visited_test
#include "tuner_visited_test.moc"
