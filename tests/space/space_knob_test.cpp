#include <QtTest>
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <set>

#include "core/base/random.h"
#include "core/space/factorization.h"
#include "core/space/knob.h"
#include "core/space/table_allowance.h"
#include "tests/loop_nest/random_seed.h"
#include "tests/test_program.h"

namespace kernelscape::space_knob_test {

namespace {

using Tuples = std::vector<std::vector<std::int64_t>>;

/** AutoTVM's rule written down once more: a loop over every integer per position, the last position
 * outermost. */
void nested_loops(std::int64_t product, int position, std::vector<std::int64_t>& tuple, Tuples& all) {
  if (position == 0) {
    std::int64_t rest = 1;
    for (std::size_t i = 1; i < tuple.size(); ++i) rest *= tuple[i];
    if (product % rest != 0) return;
    tuple[0] = product / rest;
    all.push_back(tuple);
    return;
  }
  for (std::int64_t factor = 1; factor <= product; ++factor) {
    if (product % factor != 0) continue;
    tuple[static_cast<std::size_t>(position)] = factor;
    nested_loops(product, position - 1, tuple, all);
  }
}

Tuples reference_tuples(std::int64_t product, int parts, std::int64_t last_at_most) {
  Tuples all;
  std::vector<std::int64_t> tuple(static_cast<std::size_t>(parts));
  nested_loops(product, parts - 1, tuple, all);
  if (last_at_most > 0) std::erase_if(all, [&](const auto& one) { return one.back() > last_at_most; });
  return all;
}

Tuples rows(const space::Knob& knob) {
  Tuples all;
  for (std::uint32_t index = 0; index < knob.count(); ++index) {
    const space::KnobRow elements = knob.row(index);
    all.emplace_back(elements.begin(), elements.end());
  }
  return all;
}

bool is_prime(std::int64_t value) {
  for (std::int64_t i = 2; i < value; ++i)
    if (value % i == 0) return false;
  return value > 1;
}

/** OpEvo's definition: two positions differ, one grew by the prime by which the other shrank. */
bool adjacent_factorizations(const std::vector<std::int64_t>& a, const std::vector<std::int64_t>& b) {
  std::vector<std::size_t> differing;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (a[i] != b[i]) differing.push_back(i);
  if (differing.size() != 2) return false;
  const auto grew = [&](std::size_t i, std::size_t j) {
    return b[i] % a[i] == 0 && a[j] % b[j] == 0 && b[i] / a[i] == a[j] / b[j] && is_prime(b[i] / a[i]);
  };
  return grew(differing[0], differing[1]) || grew(differing[1], differing[0]);
}

bool adjacent_permutations(const std::vector<std::int64_t>& a, const std::vector<std::int64_t>& b) {
  std::size_t differing = 0;
  for (std::size_t i = 0; i < a.size(); ++i) differing += a[i] != b[i];
  return differing == 2;
}

std::vector<space::KnobValue> integers(std::initializer_list<std::int64_t> values) {
  return {values.begin(), values.end()};
}

}  // namespace

class SpaceKnobTest : public QObject {
  Q_OBJECT

 private slots:
  void factorization_has_autotvms_order_data() {
    QTest::addColumn<qint64>("product");
    QTest::addColumn<int>("parts");
    QTest::addColumn<qint64>("bound");
    for (const auto& [product, parts, bound] : std::vector<std::tuple<qint64, int, qint64>>{{1, 1, 0},
                                                                                            {1, 4, 0},
                                                                                            {7, 1, 0},
                                                                                            {7, 3, 0},
                                                                                            {12, 2, 0},
                                                                                            {64, 4, 0},
                                                                                            {36, 3, 0},
                                                                                            {60, 4, 0},
                                                                                            {58, 4, 0},
                                                                                            {112, 2, 64},
                                                                                            {56, 2, 64},
                                                                                            {224, 2, 64},
                                                                                            {30, 3, 1},
                                                                                            {16, 3, 5},
                                                                                            {8, 1, 8}})
      QTest::addRow("%lld in %d, last <= %lld", product, parts, bound) << product << parts << bound;
  }

  void factorization_has_autotvms_order() {
    QFETCH(qint64, product);
    QFETCH(int, parts);
    QFETCH(qint64, bound);
    const auto knob = space::Knob::factorization("tile", product, parts, bound);
    QVERIFY(knob);
    QCOMPARE(rows(*knob), reference_tuples(product, parts, bound));
    QCOMPARE(knob->count(), static_cast<std::uint32_t>(reference_tuples(product, parts, bound).size()));
  }

  void counts_follow_from_prime_exponents() {
    // resnet18's 64 channels, OpEvo's 4096 in four, NoSE's 58: known from the papers' space sizes.
    QVERIFY(space::count_factorizations(64, 4, 0) == 84);
    QVERIFY(space::count_factorizations(112, 4, 0) == 140);
    QVERIFY(space::count_factorizations(4096, 4, 0) == 455);
    QVERIFY(space::count_factorizations(4096, 3, 0) == 91);
    QVERIFY(space::count_factorizations(58, 4, 0) == 16);
    QVERIFY(space::count_factorizations(112, 2, 64) == 9);
    QVERIFY(space::count_factorizations(std::int64_t{1} << 40, 64, 0) > (base::uint128{1} << 90));
    const std::uint64_t seed = 20240607;
    qInfo("seed %llu", static_cast<unsigned long long>(seed));
    base::Random random(seed);
    for (int i = 0; i < 60; ++i) {
      const auto product = static_cast<std::int64_t>(1 + random.below(120));
      const auto parts = static_cast<int>(1 + random.below(3));
      const auto bound = static_cast<std::int64_t>(random.below(2) == 0 ? 0 : 1 + random.below(40));
      const Tuples expected = reference_tuples(product, parts, bound);
      QVERIFY(space::count_factorizations(product, parts, bound) == expected.size());
      const auto knob = space::Knob::factorization("tile", product, parts, bound);
      QCOMPARE(knob.has_value(), !expected.empty());
      if (knob) QCOMPARE(rows(*knob), expected);
    }
  }

  void neighbours_are_the_papers() {
    const std::uint64_t seed = 7;
    qInfo("seed %llu", static_cast<unsigned long long>(seed));
    base::Random random(seed);
    std::vector<std::pair<space::Knob, bool>> knobs;
    for (const std::int64_t product : {8, 36, 30, 49, 1})
      for (const std::int64_t bound : {0, 6}) {
        knobs.emplace_back(*space::Knob::factorization("tile", product, 3, bound), true);
        std::vector<std::uint32_t> kept;
        for (std::uint32_t i = 0; i < knobs.back().first.count(); ++i)
          if (i == 0 || random.chance(0.6)) kept.push_back(i);
        knobs.emplace_back(*knobs.back().first.restricted(kept), true);
      }
    for (const std::size_t items : {1U, 2U, 4U})
      knobs.emplace_back(*space::Knob::permutation("order", first_items(items)), false);
    for (const auto& [knob, factorization] : knobs) {
      const Tuples all = rows(knob);
      for (std::uint32_t index = 0; index < knob.count(); ++index) {
        std::vector<std::uint32_t> expected;
        for (std::uint32_t other = 0; other < knob.count(); ++other)
          if (factorization ? adjacent_factorizations(all[index], all[other])
                            : adjacent_permutations(all[index], all[other]))
            expected.push_back(other);
        QCOMPARE(knob.neighbours(index), expected);
      }
    }
  }

  void neighbours_of_lists() {
    using Indices = std::vector<std::uint32_t>;
    const auto ordinal = space::Knob::ordinal("unroll", integers({0, 512, 1500}));
    QCOMPARE(ordinal->neighbours(0), (Indices{1}));
    QCOMPARE(ordinal->neighbours(1), (Indices{0, 2}));
    QCOMPARE(ordinal->neighbours(2), (Indices{1}));
    const auto categorical = space::Knob::categorical(
        "axis", {space::KnobValue("x"), space::KnobValue("y"), space::KnobValue("z")});
    QCOMPARE(categorical->neighbours(1), (Indices{0, 2}));
    QCOMPARE(space::Knob::categorical("one", {space::KnobValue(true)})->neighbours(0), Indices{});
  }

  void permutations_are_lexicographic() {
    const auto knob = space::Knob::permutation("order", {"ic", "oh", "oc"});
    QCOMPARE(rows(*knob), (Tuples{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}}));
    QCOMPARE(knob->describe(3), std::string("[oh, oc, ic]"));
    QCOMPARE(knob->element(3, 0), std::int64_t{1});
  }

  /** As they were listed before they were made one by one: stored configurations are indices. */
  void permutations_keep_their_indices() {
    for (std::size_t items = 1; items <= 7; ++items) {
      std::vector<std::string> names;
      for (std::size_t i = 0; i < items; ++i) names.push_back(std::to_string(i));
      const auto knob = space::Knob::permutation("order", names);
      std::vector<std::int64_t> order(items);
      std::iota(order.begin(), order.end(), std::int64_t{0});
      std::uint32_t index = 0;
      do {
        QVERIFY(std::ranges::equal(knob->row(index), order));
        QCOMPARE(knob->element(index, static_cast<int>(items) - 1), order.back());
        QCOMPARE(*knob->find(order), index);
        ++index;
      } while (std::ranges::next_permutation(order).found);
      QCOMPARE(knob->count(), index);
    }
  }

  /** Ten items have 3,628,800 orders: they are not listed for it. */
  void long_permutations_are_made_on_demand() {
    const std::uint64_t seed = testing::random_seed();
    base::Random random(seed);
    std::vector<std::string> names;
    for (int i = 0; i < 10; ++i) names.push_back(std::to_string(i));
    const auto knob = space::Knob::permutation("order", names);
    QCOMPARE(knob->count(), 3'628'800U);
    const auto row_of = [&](std::uint32_t index) {
      const space::KnobRow elements = knob->row(index);
      return std::vector<std::int64_t>(elements.begin(), elements.end());
    };
    for (int i = 0; i < 200; ++i) {
      const auto index = static_cast<std::uint32_t>(random.below(knob->count() - 1));
      std::vector<std::int64_t> order = row_of(index);
      QCOMPARE(*knob->find(order), index);
      const std::vector<std::uint32_t> near = knob->neighbours(index);
      QCOMPARE(near.size(), std::size_t{45});
      for (const std::uint32_t other : near) QVERIFY(adjacent_permutations(order, row_of(other)));
      std::ranges::next_permutation(order);
      QCOMPARE(row_of(index + 1), order);
    }
    for (const auto& wrong : Tuples{{0, 1, 2, 3, 4, 5, 6, 7, 8, 8},
                                    {0, 1, 2, 3, 4, 5, 6, 7, 8, 10},
                                    {-1, 1, 2, 3, 4, 5, 6, 7, 8, 9}})
      QVERIFY(!knob->find(wrong));
    const auto kept = knob->restricted({3'628'799, 5});
    QCOMPARE(rows(*kept), (Tuples{row_of(5), row_of(3'628'799)}));
  }

  void tables_take_from_every_allowance() {
    const auto make = [] { return space::Knob::factorization("tile", 64, 3); };  // 28 x 3 numbers
    QVERIFY(make());
    const space::TableAllowance outer(200);
    QVERIFY(make());
    {
      const space::TableAllowance inner(100);
      QVERIFY(make());
      QVERIFY(!make());
      QCOMPARE(inner.taken(), std::uint64_t{84});
    }
    QCOMPARE(outer.taken(), std::uint64_t{168});
    const auto more = make();
    QVERIFY(!more && more.error().code == ErrorCode::InvalidArgument);
    QVERIFY(space::Knob::factorization("tile", 64, 1));
  }

  void find_is_the_inverse_of_the_rows() {
    for (const auto& knob :
         {*space::Knob::factorization("tile", 48, 3, 20), *space::Knob::permutation("order", first_items(4)),
          *space::Knob::ordinal("unroll", integers({-5, 0, 9})),
          *space::Knob::categorical("any", integers({3, -1, 2}))}) {
      const Tuples all = rows(knob);
      for (std::uint32_t index = 0; index < knob.count(); ++index) QCOMPARE(*knob.find(all[index]), index);
      const auto kept = knob.restricted({2, 0, 2});
      QCOMPARE(kept->count(), 2U);
      QCOMPARE(kept->partial(),
               knob.kind() == space::KnobKind::Factorization || knob.kind() == space::KnobKind::Permutation);
      QCOMPARE(rows(*kept), (Tuples{all[0], all[2]}));
      QCOMPARE(*kept->find(all[2]), 1U);
      QVERIFY(!kept->find(all[1]));
    }
  }

  void find_says_what_is_wrong() {
    const auto knob = space::Knob::factorization("tile_ow", 112, 2, 64);
    for (const auto& wrong : Tuples{{112}, {1, 112}, {3, 4}, {-8, -14}, {0, 0}, {}}) {
      const auto found = knob->find(wrong);
      QVERIFY(!found);
      QVERIFY(found.error().message.find("tile_ow") != std::string::npos);
    }
    QVERIFY(knob->find({1, 112}).error().hint.find("at most 64") != std::string::npos);
    QVERIFY(!space::Knob::permutation("order", first_items(3))->find({0, 0, 1}));
  }

  void values_keep_their_types() {
    const auto knob = space::Knob::categorical(
        "mixed", {space::KnobValue(std::int64_t{1}), space::KnobValue(true), space::KnobValue("1"),
                  space::KnobValue(0.5), space::KnobValue(false)});
    QVERIFY(knob);
    const std::vector<std::string> texts{"1", "true", "1", "0.5", "false"};
    const std::vector<std::int64_t> elements{1, 1, 2, 3, 0};
    for (std::uint32_t i = 0; i < knob->count(); ++i) {
      QCOMPARE(knob->describe(i), texts[i]);
      QCOMPARE(knob->element(i, 0), elements[i]);
    }
    QVERIFY(std::holds_alternative<bool>(knob->value(1)));
  }

  void impossible_knobs_are_refused() {
    const double infinity = std::numeric_limits<double>::infinity();
    const std::vector<Result<space::Knob>> refused{
        space::Knob::factorization("k", 0, 2),
        space::Knob::factorization("k", -8, 2),
        space::Knob::factorization("k", 8, 0),
        space::Knob::factorization("k", 8, 2, -1),
        space::Knob::factorization("k", 8, 1, 4),
        space::Knob::factorization("k", 8, 1'000'000),
        space::Knob::factorization("k", std::numeric_limits<std::int64_t>::max(), 2),
        space::Knob::factorization("k", std::int64_t{1} << 40, 8),
        space::Knob::factorization("", 8, 2),
        space::Knob::ordinal("k", {}),
        space::Knob::ordinal("k", integers({1, 1})),
        space::Knob::ordinal("k", integers({2, 1})),
        space::Knob::ordinal("k", {space::KnobValue("small"), space::KnobValue("tall")}),
        space::Knob::ordinal("k", {space::KnobValue(std::nan(""))}),
        space::Knob::ordinal(
            "k", {space::KnobValue((std::int64_t{1} << 53) + 1), space::KnobValue(std::ldexp(1.0, 53))}),
        space::Knob::categorical("k", {}),
        space::Knob::categorical("k", {space::KnobValue("a"), space::KnobValue("a")}),
        space::Knob::categorical("k", {space::KnobValue(std::nan(""))}),
        space::Knob::categorical("k", {space::KnobValue(-infinity)}),
        space::Knob::categorical("k", {space::KnobValue("\xff\xfe")}),
        space::Knob::categorical("\xc3(", integers({1})),
        space::Knob::permutation("k", {}),
        space::Knob::permutation("k", {"a", "a"}),
        space::Knob::permutation("k", {"a", ""}),
        space::Knob::permutation("k", std::vector<std::string>(11, "x")),
        space::Knob::ordinal("k", integers({1, 2}))->restricted({}),
        space::Knob::ordinal("k", integers({1, 2}))->restricted({2}),
    };
    for (std::size_t i = 0; i < refused.size(); ++i) {
      QVERIFY2(!refused[i], qPrintable(QString("case %1 was accepted").arg(i)));
      QCOMPARE(refused[i].error().code, ErrorCode::InvalidArgument);
      QVERIFY(refused[i].error().message.find("knob") != std::string::npos);
    }
    QVERIFY(space::Knob::ordinal(
        "k", {space::KnobValue(std::ldexp(1.0, 53)), space::KnobValue((std::int64_t{1} << 53) + 1)}));
    QVERIFY(space::Knob::categorical("größe", {space::KnobValue("ä")}));
  }

 private:
  static std::vector<std::string> first_items(std::size_t count) {
    std::vector<std::string> items{"a", "b", "c", "d"};
    items.resize(count);
    return items;
  }
};

KERNELSCAPE_PLAIN_TEST(SpaceKnobTest)

}  // namespace kernelscape::space_knob_test
#include "space_knob_test.moc"
