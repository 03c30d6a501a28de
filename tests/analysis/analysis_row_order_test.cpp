#include <QTest>
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/analysis/filter/row_order.h"
#include "tests/analysis/random_trials.h"
#include "tests/test_program.h"

namespace kernelscape::analysis_row_order_test {

namespace {

std::vector<std::uint32_t> reference_order(const trial::Snapshot& trials,
                                           const analysis::TrialColumns& columns,
                                           const analysis::RowOrder& by, const analysis::RowSet* rows) {
  std::vector<std::uint32_t> order;
  for (std::int64_t row = 0; row < trials.size(); ++row)
    if (!rows || rows->test(row)) order.push_back(static_cast<std::uint32_t>(row));
  std::ranges::stable_sort(order, [&](std::uint32_t a, std::uint32_t b) {
    const double left = columns.value(trials, a, by.column);
    const double right = columns.value(trials, b, by.column);
    if (std::isnan(left) || std::isnan(right)) return !std::isnan(left);
    return by.ascending ? left < right : left > right;
  });
  return order;
}

analysis::RowSet random_rows(base::Random& random, std::int64_t size) {
  analysis::RowSet rows(size);
  for (std::int64_t row = 0; row < size; ++row)
    if (random.chance(0.6)) rows.set(row);
  return rows;
}

}  // namespace

class RowOrderTest : public QObject {
  Q_OBJECT

 private slots:
  void every_column_sorts_both_ways() {
    base::Random random = printed_random();
    const space::SearchSpace space = space_of_all_kinds();
    const analysis::TrialColumns columns(space, 1e9);
    for (const std::int64_t count : {0, 1, 3000}) {
      const trial::Snapshot trials = random_trials(random, space, count).snapshot();
      const analysis::RowSet rows = random_rows(random, count);
      for (std::size_t column = 0; column < columns.columns().size(); ++column) {
        for (const bool ascending : {true, false}) {
          const analysis::RowOrder by{column, ascending};
          QCOMPARE(analysis::sorted_rows(trials, columns, by), reference_order(trials, columns, by, nullptr));
          QCOMPARE(analysis::sorted_rows(trials, columns, by, &rows),
                   reference_order(trials, columns, by, &rows));
        }
      }
    }
  }

  void signs_and_infinities_are_in_order() {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    const space::SearchSpace space = space_of_all_kinds();
    const space::Configuration first{std::vector<std::uint32_t>(space.knobs().size(), 0)};
    trial::Table table(space.knobs().size());
    for (const double value :
         {-2.5, 1e300, 0.0, 1e-310, -1e-310, 3.0, -infinity, -0.0, infinity, -1e300, 0.0})
      table.append({.build_seconds = value}, first);
    const analysis::TrialColumns columns(space, 0);
    const std::size_t column = *columns.find("build_s");
    QCOMPARE(analysis::sorted_rows(table.snapshot(), columns, {column, true}),
             (std::vector<std::uint32_t>{6, 9, 0, 4, 2, 7, 10, 3, 5, 1, 8}));
    QCOMPARE(analysis::sorted_rows(table.snapshot(), columns, {column, false}),
             (std::vector<std::uint32_t>{8, 1, 5, 3, 2, 7, 10, 4, 0, 9, 6}));
  }

  void new_rows_are_merged() {
    base::Random random = printed_random();
    const space::SearchSpace space = space_of_all_kinds();
    const analysis::TrialColumns columns(space, 1e9);
    for (int round = 0; round < 60; ++round) {
      const analysis::RowOrder by{random.below(columns.columns().size()), random.chance(0.5)};
      trial::Table table(space.knobs().size());
      std::vector<std::uint32_t> order;
      std::vector<std::uint32_t> filtered_order;
      for (int step = 0; step < 5; ++step) {
        const std::int64_t before = table.size();
        const auto after = before + static_cast<std::int64_t>(random.below(step % 2 == 0 ? 400 : 8));
        for (std::int64_t number = before; number < after; ++number)
          table.append(random_trial_row(random, number), random_choice(random, space));
        analysis::RowSet rows(after);
        for (std::int64_t row = 0; row < after; ++row)
          if (row % 3 != 1) rows.set(row);
        analysis::extend_order(order, table.snapshot(), columns, by, before);
        analysis::extend_order(filtered_order, table.snapshot(), columns, by, before, &rows);
        QCOMPARE(order, reference_order(table.snapshot(), columns, by, nullptr));
        QCOMPARE(filtered_order, reference_order(table.snapshot(), columns, by, &rows));
      }
    }
  }

  void a_no_ends_the_work() {
    base::Random random = printed_random();
    const space::SearchSpace space = space_of_all_kinds();
    const analysis::TrialColumns columns(space, 1e9);
    const trial::Snapshot trials = random_trials(random, space, 500).snapshot();
    const analysis::RowOrder by{*columns.find("ms"), true};
    int questions = 0;
    QVERIFY(analysis::sorted_rows(trials, columns, by, nullptr, [&] { return ++questions > 0; }));
    for (int last = 0; last < questions; ++last) {
      int asked = 0;
      QVERIFY(!analysis::sorted_rows(trials, columns, by, nullptr, [&] { return asked++ < last; }));
      QCOMPARE(asked, last + 1);
    }
  }
};

KERNELSCAPE_PLAIN_TEST(RowOrderTest)

}  // namespace kernelscape::analysis_row_order_test
#include "analysis_row_order_test.moc"
