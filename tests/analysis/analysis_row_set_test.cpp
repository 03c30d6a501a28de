#include <QTest>
#include <set>
#include <stdexcept>

#include "core/analysis/filter/row_set.h"
#include "tests/analysis/random_trials.h"
#include "tests/test_program.h"

namespace kernelscape::analysis_row_set_test {

namespace {

using Reference = std::set<std::int64_t>;

Reference reference_of(const analysis::RowSet& rows) {
  Reference reference;
  for (std::int64_t row = 0; row < rows.size(); ++row)
    if (rows.test(row)) reference.insert(row);
  return reference;
}

analysis::RowSet random_set(base::Random& random, std::int64_t size) {
  analysis::RowSet rows(size);
  const double share = random.uniform();
  for (std::int64_t row = 0; row < size; ++row)
    if (random.chance(share)) rows.set(row);
  return rows;
}

/** Sizes around whole words are the interesting ones. */
std::int64_t random_size(base::Random& random) {
  const auto words = static_cast<std::int64_t>(random.below(5)) * 64;
  return std::max<std::int64_t>(0, words - 1 + static_cast<std::int64_t>(random.below(3)));
}

}  // namespace

class RowSetTest : public QObject {
  Q_OBJECT

 private slots:
  void single_rows_follow_a_set() {
    base::Random random = printed_random();
    for (int round = 0; round < 200; ++round) {
      const std::int64_t size = 1 + random_size(random);
      analysis::RowSet rows(size);
      Reference reference;
      for (int change = 0; change < 100; ++change) {
        const auto row = static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(size)));
        const bool flip = random.chance(0.3);
        const bool inside = flip ? !reference.contains(row) : random.chance(0.5);
        if (flip) {
          rows.flip(row);
        } else if (inside) {
          rows.set(row);
        } else {
          rows.reset(row);
        }
        if (inside) {
          reference.insert(row);
        } else {
          reference.erase(row);
        }
      }
      QCOMPARE(reference_of(rows), reference);
      QCOMPARE(rows.count(), static_cast<std::int64_t>(reference.size()));
      QCOMPARE(rows.rows(), std::vector<std::int64_t>(reference.begin(), reference.end()));
      QCOMPARE(analysis::RowSet::of(size, rows.rows()), rows);
      QCOMPARE(rows.none(), reference.empty());
      QCOMPARE(rows.all(), static_cast<std::int64_t>(reference.size()) == size);
    }
  }

  void sets_combine() {
    base::Random random = printed_random();
    for (int round = 0; round < 200; ++round) {
      const std::int64_t size = random_size(random);
      const analysis::RowSet left = random_set(random, size);
      const analysis::RowSet right = random_set(random, size);
      analysis::RowSet both = left;
      both &= right;
      analysis::RowSet either = left;
      either |= right;
      analysis::RowSet rest = left;
      rest -= right;
      analysis::RowSet others = left;
      others.invert();
      for (std::int64_t row = 0; row < size; ++row) {
        QCOMPARE(both.test(row), left.test(row) && right.test(row));
        QCOMPARE(either.test(row), left.test(row) || right.test(row));
        QCOMPARE(rest.test(row), left.test(row) && !right.test(row));
        QCOMPARE(others.test(row), !left.test(row));
      }
      QCOMPARE(others.count(), size - left.count());
    }
  }

  void new_rows_are_not_in_a_grown_set() {
    base::Random random = printed_random();
    for (int round = 0; round < 200; ++round) {
      const std::int64_t size = random_size(random);
      analysis::RowSet rows(size, true);
      QVERIFY(rows.all());
      rows.grow(size + random_size(random));
      QCOMPARE(rows.count(), size);
      rows.invert();
      QCOMPARE(rows.count(), rows.size() - size);
      rows.grow(rows.size() + 64);
      QCOMPARE(rows.rows(), [&] {
        std::vector<std::int64_t> expected;
        for (std::int64_t row = size; row < rows.size() - 64; ++row) expected.push_back(row);
        return expected;
      }());
    }
  }

  void words_beyond_the_size_stay_clear() {
    analysis::RowSet rows(70);
    rows.set_word(0, 1);
    rows.set_word(1, ~std::uint64_t{0});
    QCOMPARE(rows.count(), 7);
    QCOMPARE(rows.words()[1], std::uint64_t{0x3f});
  }

  void mistakes_are_noticed() {
    analysis::RowSet rows(70);
    QVERIFY_EXCEPTION_THROWN(rows.set(70), std::out_of_range);
    QVERIFY_EXCEPTION_THROWN((void)rows.test(-1), std::out_of_range);
    QVERIFY_EXCEPTION_THROWN(rows.grow(69), std::invalid_argument);
    QVERIFY_EXCEPTION_THROWN(rows &= analysis::RowSet(71), std::invalid_argument);
    QVERIFY_EXCEPTION_THROWN(analysis::RowSet(-1), std::invalid_argument);
  }
};

KERNELSCAPE_PLAIN_TEST(RowSetTest)

}  // namespace kernelscape::analysis_row_set_test
#include "analysis_row_set_test.moc"
