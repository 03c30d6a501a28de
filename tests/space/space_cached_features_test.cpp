#include <QTest>
#include <atomic>
#include <random>
#include <thread>

#include "core/space/cached_features.h"
#include "tests/test_program.h"

namespace kernelscape::space_cached_features_test {

namespace {

/** Counts what it is asked for; the numbers tell every configuration from every other. */
class CountingFeatures final : public space::FeatureExtractor {
 public:
  explicit CountingFeatures(space::SearchSpace space) : knobs_(std::move(space)) {
    for (std::size_t i = 0; i < 40; ++i) names_.push_back("number " + std::to_string(i));
  }
  std::string name() const override { return "counting"; }
  int version() const override { return 7; }
  const std::vector<std::string>& names() const override { return names_; }
  void write(const space::Configuration& configuration, std::span<float> row) const override {
    ++computed;
    const std::vector<float> values = knobs_.compute(configuration);
    for (std::size_t i = 0; i < row.size(); ++i)
      row[i] = values[i % values.size()] * static_cast<float>(1 + i / values.size());
  }

  mutable std::atomic<std::int64_t> computed = 0;

 private:
  space::KnobFeatures knobs_;
  std::vector<std::string> names_;
};

std::uint64_t printed_seed() {
  const std::uint64_t seed = std::random_device{}();
  qInfo("seed %llu", static_cast<unsigned long long>(seed));
  return seed;
}

space::SearchSpace small_space() {
  return *space::SearchSpace::make(
      {*space::Knob::factorization("tile", 720, 3), *space::Knob::permutation("order", {"a", "b", "c"})});
}

/** More than 2^64 configurations. */
space::SearchSpace huge_space() {
  std::vector<space::Knob> knobs;
  for (const char* name : {"a", "b", "c", "d", "e", "f"})
    knobs.push_back(*space::Knob::factorization(name, std::int64_t{1} << 30, 4));
  return *space::SearchSpace::make(std::move(knobs));
}

std::vector<space::Configuration> random_members(const space::SearchSpace& space, std::size_t count,
                                                 base::Random random) {
  std::vector<space::Configuration> members;
  while (members.size() < count) members.push_back(*space.random_member(random));
  return members;
}

/** Whether all rows are as they are without a cache, asked for by several threads in different orders. */
bool equal_from_threads(const space::FeatureExtractor& cached, const space::FeatureExtractor& plain,
                        const std::vector<space::Configuration>& members, std::uint64_t seed) {
  std::atomic<int> wrong = 0;
  const auto ask = [&](std::uint64_t thread) {
    base::Random random = base::Random(seed).fork(std::to_string(thread));
    std::vector<space::Configuration> order = members;
    random.shuffle(std::span(order));
    for (const space::Configuration& member : order)
      if (cached.compute(member) != plain.compute(member)) ++wrong;
  };
  {
    std::vector<std::jthread> threads;
    for (std::uint64_t thread = 0; thread < 4; ++thread) threads.emplace_back(ask, thread);
  }
  return wrong == 0;
}

}  // namespace

class SpaceCachedFeaturesTest : public QObject {
  Q_OBJECT

 private slots:
  void options_leave_factorizations_out() {
    const space::SearchSpace space = small_space();
    const space::KnobFeatures all(space);
    const space::KnobFeatures options(space, space::KnobSelection::Options);
    QCOMPARE(options.names(), (std::vector<std::string>{"order.a", "order.b", "order.c"}));
    base::Random random(printed_seed());
    for (const space::Configuration& member : random_members(space, 20, random)) {
      const std::vector<float> row = all.compute(member);
      QCOMPARE(options.compute(member), std::vector<float>(row.begin() + 3, row.end()));
    }
  }

  void it_is_what_it_was_made_around() {
    const space::SearchSpace space = small_space();
    const auto plain = std::make_shared<CountingFeatures>(space);
    const space::CachedFeatures cached(plain, space);
    QCOMPARE(cached.name(), std::string("counting"));
    QCOMPARE(cached.version(), 7);
    QCOMPARE(cached.names(), plain->names());
  }

  void a_small_space_is_computed_once() {
    const space::SearchSpace space = small_space();
    const auto plain = std::make_shared<CountingFeatures>(space);
    const space::CachedFeatures cached(plain, space);
    QCOMPARE(cached.places(), static_cast<std::size_t>(space.size()));
    const CountingFeatures reference(space);
    for (int round = 0; round < 3; ++round)
      for (base::uint128 index = 0; index < space.size(); ++index)
        QCOMPARE(cached.compute(space.at(index)), reference.compute(space.at(index)));
    QCOMPARE(plain->computed.load(), static_cast<std::int64_t>(space.size()));
  }

  void threads_get_the_same_rows() {
    const space::SearchSpace space = small_space();
    const CountingFeatures reference(space);
    const std::uint64_t seed = printed_seed();
    const std::vector<space::Configuration> members = random_members(space, 2000, base::Random(seed));
    // Room for all, and for a tenth.
    for (const std::size_t bytes : {space::CachedFeatures::default_bytes, std::size_t{16'000}}) {
      const space::CachedFeatures cached(std::make_shared<CountingFeatures>(space), space, bytes);
      QVERIFY(equal_from_threads(cached, reference, members, seed));
    }
  }

  void a_large_space_is_kept_as_far_as_there_is_room() {
    const space::SearchSpace space = huge_space();
    QVERIFY(space.size() > std::numeric_limits<std::uint64_t>::max());
    const auto plain = std::make_shared<CountingFeatures>(space);
    constexpr std::size_t bytes = 1'000'000;
    const space::CachedFeatures cached(plain, space, bytes);
    QVERIFY(cached.places() > 1000 && cached.places() * 40 * sizeof(float) < bytes);
    const CountingFeatures reference(space);
    const std::uint64_t seed = printed_seed();
    const std::vector<space::Configuration> few =
        random_members(space, cached.places() / 4, base::Random(seed));
    for (int round = 0; round < 3; ++round)
      for (const space::Configuration& member : few)
        QCOMPARE(cached.compute(member), reference.compute(member));
    // The shares of the sixteen places of one are taken by others once in a long while.
    QVERIFY(plain->computed <= std::ssize(few) + 2 * std::ssize(few) / 100);
    const std::vector<space::Configuration> many =
        random_members(space, 4 * cached.places(), base::Random(seed + 1));
    QVERIFY(equal_from_threads(cached, reference, many, seed));
  }

  void there_is_always_room_for_one() {
    const space::SearchSpace space = small_space();
    const auto plain = std::make_shared<CountingFeatures>(space);
    const space::CachedFeatures cached(plain, space, 0);
    QCOMPARE(cached.places(), std::size_t{1});
    const CountingFeatures reference(space);
    for (base::uint128 index = 0; index < space.size(); ++index)
      QCOMPARE(cached.compute(space.at(index)), reference.compute(space.at(index)));
    const std::int64_t before = plain->computed;
    QCOMPARE(cached.compute(space.at(0)), reference.compute(space.at(0)));
    QCOMPARE(plain->computed.load(), before);
  }
};

KERNELSCAPE_PLAIN_TEST(SpaceCachedFeaturesTest)

}  // namespace kernelscape::space_cached_features_test
#include "space_cached_features_test.moc"
