#include <QTest>
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <map>
#include <set>

#include "core/base/random.h"
#include "tests/test_program.h"

namespace kernelscape::base_random_test {

namespace {

/** Chi-squared of counts that should be in proportion to `expected`. */
double chi_squared(std::span<const std::int64_t> counts, std::span<const double> expected) {
  double sum = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const double difference = static_cast<double>(counts[i]) - expected[i];
    sum += difference * difference / expected[i];
  }
  return sum;
}

}  // namespace

class BaseRandomTest : public QObject {
  Q_OBJECT

 private slots:
  void same_seed_same_numbers() {
    base::Random a(7);
    base::Random b(7);
    base::Random c(8);
    bool differs = false;
    for (int i = 0; i < 100; ++i) {
      const std::uint64_t bits = a.bits();
      QCOMPARE(b.bits(), bits);
      differs = differs || c.bits() != bits;
    }
    QVERIFY(differs);
  }

  void fork_depends_on_seed_and_name_alone() {
    base::Random drawn_from(3);
    for (int i = 0; i < 10; ++i) drawn_from.bits();
    base::Random early = base::Random(3).fork("inputs");
    base::Random late = drawn_from.fork("inputs");
    QCOMPARE(early.bits(), late.bits());

    std::set<std::uint64_t> firsts = {base::Random(3).bits()};
    for (const char* name : {"inputs", "input", "weights", ""})
      firsts.insert(base::Random(3).fork(name).bits());
    firsts.insert(base::Random(4).fork("inputs").bits());
    firsts.insert(base::Random(3).fork("inputs").fork("inputs").bits());
    QCOMPARE(firsts.size(), std::size_t{7});
  }

  void drawing_from_a_fork_leaves_its_parent_alone() {
    base::Random parent(5);
    base::Random untouched(5);
    base::Random child = parent.fork("child");
    for (int i = 0; i < 5; ++i) child.bits();
    QCOMPARE(parent.bits(), untouched.bits());
  }

  void forks_are_not_correlated() {
    base::Random a = base::Random(11).fork("a");
    base::Random b = base::Random(11).fork("b");
    int equal_bits = 0;
    constexpr int draws = 4096;
    for (int i = 0; i < draws; ++i) equal_bits += 64 - std::popcount(a.bits() ^ b.bits());
    // 262,144 fair coins: six standard deviations are 1,536.
    QVERIFY(std::abs(equal_bits - draws * 32) < 1536);
  }

  void below_stays_below_and_is_uniform_data() {
    QTest::addColumn<quint64>("bound");
    for (const quint64 bound : {1U, 2U, 3U, 7U, 10U, 64U, 100U}) QTest::addRow("%llu", bound) << bound;
  }
  void below_stays_below_and_is_uniform() {
    QFETCH(const quint64, bound);
    constexpr std::int64_t draws = 50'000;
    base::Random random(bound);
    std::vector<std::int64_t> counts(bound, 0);
    for (std::int64_t i = 0; i < draws; ++i) {
      const std::uint64_t value = random.below(bound);
      QVERIFY(value < bound);
      ++counts[value];
    }
    const std::vector<double> expected(bound, static_cast<double>(draws) / static_cast<double>(bound));
    const auto freedom = static_cast<double>(bound - 1);
    QVERIFY(chi_squared(counts, expected) <= freedom + 6 * std::sqrt(2 * freedom) + 1e-9);
  }

  void below_has_no_modulo_bias() {
    // Two thirds of 2^64: a plain remainder would put two thirds of the draws into the lower half.
    constexpr std::uint64_t bound = 0xaaaaaaaaaaaaaaaaULL;
    base::Random random(1);
    constexpr int draws = 20'000;
    int lower = 0;
    for (int i = 0; i < draws; ++i) {
      const std::uint64_t value = random.below(bound);
      QVERIFY(value < bound);
      lower += value < bound / 2 ? 1 : 0;
    }
    QVERIFY(std::abs(lower - draws / 2) < 600);  // eight standard deviations
  }

  void below_takes_the_largest_bound() {
    base::Random random(2);
    for (int i = 0; i < 100; ++i) QVERIFY(random.below(~std::uint64_t{0}) < ~std::uint64_t{0});
  }

  void below_wide_agrees_with_below_and_covers_128_bits() {
    base::Random narrow(9);
    base::Random wide(9);
    for (int i = 0; i < 100; ++i) QVERIFY(wide.below_wide(1000) == base::uint128{narrow.below(1000)});

    const base::uint128 bound = (base::uint128{1} << 127) + (base::uint128{1} << 126);  // three quarters
    constexpr int draws = 20'000;
    int lowest_third = 0;
    for (int i = 0; i < draws; ++i) {
      const base::uint128 value = wide.below_wide(bound);
      QVERIFY(value < bound);
      lowest_third += value < bound / 3 ? 1 : 0;
    }
    QVERIFY(std::abs(lowest_third - draws / 3) < 540);
  }

  void uniform_is_in_the_unit_interval() {
    base::Random random(4);
    constexpr int draws = 100'000;
    double sum = 0;
    for (int i = 0; i < draws; ++i) {
      const double value = random.uniform();
      QVERIFY(value >= 0 && value < 1);
      sum += value;
    }
    QVERIFY(std::abs(sum / draws - 0.5) < 0.006);
  }

  void chance_is_certain_at_its_ends() {
    base::Random random(6);
    for (int i = 0; i < 1000; ++i) {
      QVERIFY(!random.chance(0));
      QVERIFY(random.chance(1));
    }
  }

  void normal_has_mean_and_variance_of_the_standard_normal() {
    base::Random random(12);
    constexpr int draws = 100'000;
    double sum = 0;
    double squares = 0;
    for (int i = 0; i < draws; ++i) {
      const double value = random.normal();
      QVERIFY(std::isfinite(value));
      sum += value;
      squares += value * value;
    }
    QVERIFY(std::abs(sum / draws) < 0.02);
    QVERIFY(std::abs(squares / draws - 1) < 0.03);
  }

  void weighted_draws_in_proportion() {
    const std::array weights = {1.0, 0.0, 3.0, 6.0};
    std::array<std::int64_t, 4> counts = {};
    base::Random random(13);
    constexpr int draws = 50'000;
    for (int i = 0; i < draws; ++i) ++counts.at(random.weighted(weights));
    QCOMPARE(counts[1], std::int64_t{0});
    const std::array<std::int64_t, 3> drawn = {counts[0], counts[2], counts[3]};
    const std::array expected = {0.1 * draws, 0.3 * draws, 0.6 * draws};
    QVERIFY(chi_squared(drawn, expected) < 25);
  }

  void weighted_without_weight_is_uniform() {
    const std::array weights = {0.0, 0.0, 0.0, 0.0};
    std::array<std::int64_t, 4> counts = {};
    base::Random random(14);
    for (int i = 0; i < 40'000; ++i) ++counts.at(random.weighted(weights));
    const std::array expected = {1e4, 1e4, 1e4, 1e4};
    QVERIFY(chi_squared(counts, expected) < 30);
  }

  void weighted_never_returns_a_weightless_last_entry() {
    const std::array weights = {0.1, 0.2, 0.7, 0.0};
    base::Random random(15);
    for (int i = 0; i < 10'000; ++i) QVERIFY(random.weighted(weights) < 3);
  }

  void shuffle_gives_every_order_equally_often() {
    std::map<std::vector<int>, std::int64_t> counts;
    base::Random random(16);
    constexpr int draws = 24'000;
    for (int i = 0; i < draws; ++i) {
      std::vector<int> items = {1, 2, 3, 4};
      random.shuffle(std::span(items));
      ++counts[items];
    }
    QCOMPARE(counts.size(), std::size_t{24});
    std::vector<std::int64_t> observed;
    for (const auto& [order, count] : counts) observed.push_back(count);
    QVERIFY(chi_squared(observed, std::vector<double>(24, 1000.0)) < 23 + 6 * std::sqrt(46.0));
  }

  void stable_hash_is_fnv_1a() {
    // Test vectors of the algorithm's authors.
    QCOMPARE(base::stable_hash(""), std::uint64_t{0xcbf29ce484222325ULL});
    QCOMPARE(base::stable_hash("a"), std::uint64_t{0xaf63dc4c8601ec8cULL});
    QCOMPARE(base::stable_hash("foobar"), std::uint64_t{0x85944171f73967e8ULL});
  }
};

KERNELSCAPE_PLAIN_TEST(BaseRandomTest)

}  // namespace kernelscape::base_random_test
#include "base_random_test.moc"
