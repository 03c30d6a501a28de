#include <QTest>
#include <algorithm>
#include <cmath>
#include <random>

#include "core/analysis/curve.h"
#include "core/analysis/error_breakdown.h"
#include "core/analysis/order_statistics.h"
#include "core/analysis/time_split.h"
#include "core/base/random.h"
#include "tests/test_program.h"

namespace kernelscape::analysis_test {

namespace {

std::vector<trial::Row> random_rows(base::Random& random) {
  std::vector<trial::Row> rows(random.below(3000));
  double finished = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    trial::Row& row = rows[i];
    row.number = static_cast<std::int64_t>(i);
    row.category = random.chance(0.4) ? static_cast<trial::ErrorCategory>(1 + random.below(8))
                                      : trial::ErrorCategory::NoError;
    if (row.category == trial::ErrorCategory::NoError && random.chance(0.9)) {
      row.sample_count = 7;
      row.median_seconds = static_cast<double>(1 + random.below(500));  // ties are frequent
    }
    row.build_seconds = random.uniform();
    row.run_seconds = random.uniform();
    row.finished_seconds = finished += random.uniform();
  }
  return rows;
}

trial::Snapshot snapshot_of(const std::vector<trial::Row>& rows) {
  trial::Table table(0);
  for (const trial::Row& row : rows) table.append(row, {});
  return table.snapshot();
}

base::Random printed_random() {
  const std::uint64_t seed = std::random_device{}();
  qInfo("seed %llu", static_cast<unsigned long long>(seed));
  return base::Random(seed);
}

/** P(a <= k of n fair coins), summed over Pascal's triangle. */
double binomial_cdf(int k, int n) {
  std::vector<double> row{1};
  for (int i = 0; i < n; ++i) {
    std::vector<double> next(row.size() + 1, 0);
    for (std::size_t j = 0; j < row.size(); ++j) {
      next[j] += row[j] / 2;
      next[j + 1] += row[j] / 2;
    }
    row = next;
  }
  double total = 0;
  for (int i = 0; i <= k; ++i) total += row[static_cast<std::size_t>(i)];
  return total;
}

}  // namespace

class AnalysisTest : public QObject {
  Q_OBJECT

 private slots:
  void best_so_far_keeps_every_change() {
    base::Random random = printed_random();
    for (int round = 0; round < 20; ++round) {
      const std::vector<trial::Row> rows = random_rows(random);
      const trial::Snapshot snapshot = snapshot_of(rows);
      const std::vector<analysis::ImprovementPoint> curve = analysis::best_so_far(snapshot);
      // At every trial the curve must say what the minimum over all trials so far says.
      std::size_t point = 0;
      for (std::size_t i = 0; i < rows.size(); ++i) {
        double best = std::numeric_limits<double>::infinity();
        std::int64_t best_index = analysis::no_row;
        for (std::size_t j = 0; j <= i; ++j) {
          if (rows[j].sample_count == 0 || rows[j].median_seconds >= best) continue;
          best = rows[j].median_seconds;
          best_index = static_cast<std::int64_t>(j);
        }
        while (point < curve.size() && curve[point].row <= static_cast<std::int64_t>(i)) ++point;
        if (best_index == analysis::no_row) {
          QCOMPARE(point, 0U);
          continue;
        }
        QVERIFY(point > 0);
        const trial::Row& expected = rows[static_cast<std::size_t>(best_index)];
        QCOMPARE(curve[point - 1],
                 (analysis::ImprovementPoint{best_index, expected.number, expected.finished_seconds, best}));
      }
      QCOMPARE(point, curve.size());
      QCOMPARE(analysis::best_row(snapshot), curve.empty() ? analysis::no_row : curve.back().row);
    }
  }

  void nothing_improves_without_valid_trials() {
    QVERIFY(analysis::best_so_far({}).empty());
    QCOMPARE(analysis::best_row(snapshot_of({{.category = trial::ErrorCategory::WrongAnswer}, {}})),
             analysis::no_row);
  }

  void breakdown_counts_every_trial_once() {
    base::Random random = printed_random();
    const std::vector<trial::Row> rows = random_rows(random);
    const analysis::ErrorBreakdown breakdown = analysis::error_breakdown(snapshot_of(rows));
    for (std::size_t category = 0; category < trial::error_category_count; ++category) {
      analysis::CategoryTotals expected;
      for (const trial::Row& row : rows) {
        if (static_cast<std::size_t>(row.category) == category) {
          expected.trials += 1;
          expected.build_seconds += row.build_seconds;
          expected.run_seconds += row.run_seconds;
        }
      }
      QCOMPARE(breakdown.of(static_cast<trial::ErrorCategory>(category)), expected);
    }
    QCOMPARE(breakdown.all().trials, static_cast<std::int64_t>(rows.size()));
    QCOMPARE(breakdown.errors().trials + breakdown.of(trial::ErrorCategory::NoError).trials,
             breakdown.all().trials);
    QVERIFY(std::abs(breakdown.errors().work_seconds() +
                     breakdown.of(trial::ErrorCategory::NoError).work_seconds() -
                     breakdown.all().work_seconds()) < 1e-6);
  }

  void shares_sum_to_one() {
    base::Random random = printed_random();
    for (int round = 0; round < 1000; ++round) {
      const analysis::TimeSplit split{10 * random.uniform(), 3 * random.uniform(), 3 * random.uniform(),
                                      6 * random.uniform()};
      const analysis::TimeShares shares = analysis::time_shares(split);
      QVERIFY(std::abs(shares.search + shares.build + shares.run + shares.idle - 1) < 1e-12);
      QVERIFY(shares.idle >= 0);
      QVERIFY(std::abs(shares.run * split.build_seconds - shares.build * split.run_seconds) < 1e-12);
    }
    const analysis::TimeShares shares = analysis::time_shares({10, 1, 2, 3});
    QCOMPARE(shares.search, 0.1);
    QCOMPARE(shares.idle, 0.4);
    // A session that never waited, in whatever order its parts were summed.
    for (int round = 0; round < 200; ++round) {
      analysis::TimeSplit busy;
      for (int trial = 0; trial < 100; ++trial) {
        const double build = random.uniform();
        const double run = random.uniform() / 7;
        busy.build_seconds += build;
        busy.run_seconds += run;
        busy.session_seconds += build + run;
      }
      QCOMPARE(busy.idle_seconds(), 0.0);
    }
    QCOMPARE(analysis::time_shares({}).idle, 0.0);
    QCOMPARE(analysis::time_shares({}).run, 0.0);
  }

  void saved_samples_last_as_long_as_samples_must() {
    analysis::SavedSamples saved;
    const trial::Row fast{.sample_count = 150, .samples_saved = 350, .median_seconds = 0.001};
    analysis::add_saved(saved, fast, 0);
    QCOMPARE(saved.samples, std::int64_t{350});
    QCOMPARE(saved.taken, std::int64_t{150});
    QVERIFY(std::abs(saved.seconds - 0.35) < 1e-12);
    // A sample of several calls lasts at least that long; a single slow call lasts longer.
    analysis::add_saved(saved, fast, 0.02);
    QVERIFY(std::abs(saved.seconds - 0.35 - 7) < 1e-12);
    analysis::add_saved(saved, {.sample_count = 6, .samples_saved = 1, .median_seconds = 3}, 0.02);
    QVERIFY(std::abs(saved.seconds - 0.35 - 7 - 3) < 1e-12);
    analysis::add_saved(saved, {.category = trial::ErrorCategory::CompileHost}, 0.02);
    analysis::add_saved(saved, {.sample_count = 500, .median_seconds = 0.1}, 0);
    QCOMPARE(saved.samples, std::int64_t{701});
    QCOMPARE(saved.taken, std::int64_t{806});
    QVERIFY(std::abs(saved.seconds - 10.35) < 1e-12);
  }

  void quartiles_of_a_sample() {
    const std::vector<double> samples{5, 1, 4, 2, 3};
    QCOMPARE(analysis::quartiles(samples), (analysis::Quartiles{5, 1, 2, 3, 4, 5}));
    QCOMPARE(analysis::quartiles({}), analysis::Quartiles{});
  }

  void median_interval_is_the_narrowest_that_suffices() {
    for (int n = 0; n <= 120; ++n) {
      std::vector<double> samples;
      for (int i = 0; i < n; ++i) samples.push_back((i * 7) % n);  // n = 7 k repeats values
      std::vector<double> sorted = samples;
      std::ranges::sort(sorted);
      const auto interval = analysis::median_interval(samples, 0.95);
      int rank = -1;
      while (2 * (rank + 1) + 1 < n && 1 - 2 * binomial_cdf(rank + 1, n) >= 0.95) ++rank;
      QCOMPARE(interval.has_value(), rank >= 0);
      if (!interval) continue;
      QCOMPARE(interval->low, sorted[static_cast<std::size_t>(rank)]);
      QCOMPARE(interval->high, sorted[static_cast<std::size_t>(n - 1 - rank)]);
      QVERIFY(std::abs(interval->coverage - (1 - 2 * binomial_cdf(rank, n))) < 1e-9);
    }
    QVERIFY(!analysis::median_interval(std::vector<double>(5, 1.0)));
    QVERIFY(analysis::median_interval(std::vector<double>(6, 1.0)));
  }

  void median_interval_of_many_samples_does_not_underflow() {
    std::vector<double> samples;
    for (int i = 0; i < 10'000; ++i) samples.push_back(i);
    const auto interval = analysis::median_interval(samples, 0.95);
    QVERIFY(interval);
    // Normal approximation: ranks n / 2 -+ 1.96 sqrt(n) / 2.
    QVERIFY(std::abs(interval->low - 4902) <= 3);
    QVERIFY(std::abs(interval->high - 5097) <= 3);
  }
};

KERNELSCAPE_PLAIN_TEST(AnalysisTest)

}  // namespace kernelscape::analysis_test
#include "analysis_test.moc"
