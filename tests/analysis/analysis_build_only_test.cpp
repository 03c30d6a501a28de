#include <QTest>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/analysis/columns.h"
#include "core/analysis/comparison/compared_runs.h"
#include "core/analysis/curve.h"
#include "core/analysis/distribution.h"
#include "core/analysis/error_breakdown.h"
#include "core/analysis/filter/filter.h"
#include "core/analysis/landscape/column_effects.h"
#include "core/analysis/landscape/heat_map.h"
#include "core/analysis/time_split.h"
#include "tests/analysis/random_trials.h"
#include "tests/test_program.h"

namespace kernelscape::analysis_build_only_test {

namespace {

/** Kernels that were built and never run, and those that could not be built. */
trial::Table built_trials(base::Random& random, const space::SearchSpace& space, std::int64_t count) {
  trial::Table table(space.knobs().size());
  for (std::int64_t number = 0; number < count; ++number) {
    trial::Row row{.number = number};
    if (random.chance(0.3)) {
      row.category = trial::ErrorCategory::CompileDevice;
    } else {
      row.resources = random_resources(random);
    }
    row.build_seconds = 0.5;
    row.finished_seconds = static_cast<double>(number);
    table.append(row, random_choice(random, space));
  }
  return table;
}

std::vector<std::int64_t> all_rows(const trial::Snapshot& trials) {
  std::vector<std::int64_t> rows(static_cast<std::size_t>(trials.size()));
  std::iota(rows.begin(), rows.end(), 0);
  return rows;
}

}  // namespace

/** Valid trials without a time: they count, and have no speed. */
class BuildOnlyTest : public QObject {
  Q_OBJECT

  const space::SearchSpace space_ = space_of_all_kinds();

 private slots:
  void they_are_no_errors() {
    base::Random random = printed_random();
    const trial::Snapshot trials = built_trials(random, space_, 500).snapshot();
    const analysis::ErrorBreakdown breakdown = analysis::error_breakdown(trials);
    QCOMPARE(breakdown.all().trials, 500);
    QCOMPARE(breakdown.of(trial::ErrorCategory::NoError).trials +
                 breakdown.of(trial::ErrorCategory::CompileDevice).trials,
             500);
    QVERIFY(breakdown.of(trial::ErrorCategory::NoError).trials > 0);
    QCOMPARE(breakdown.all().work_seconds(), 250.0);
    const analysis::TrialColumns columns(space_, 1e9, true);
    QCOMPARE(analysis::Filter::parse("valid", columns)->evaluate(trials, columns).count(),
             breakdown.of(trial::ErrorCategory::NoError).trials);
  }

  void none_is_the_best() {
    base::Random random = printed_random();
    trial::Table table = built_trials(random, space_, 300);
    QVERIFY(analysis::best_so_far(table.snapshot()).empty());
    QCOMPARE(analysis::best_row(table.snapshot()), analysis::no_row);
    const analysis::BestCurve curve = analysis::best_curve(table.snapshot(), 1e9, 400);
    QVERIFY(curve.performance.empty());
    QCOMPARE(curve.at_seconds(400), 0.0);
    QCOMPARE(curve.at_trials(300), 0.0);
    QCOMPARE(curve.end_trials, 300.0);
    analysis::SavedSamples saved;
    for (std::int64_t row = 0; row < 300; ++row) analysis::add_saved(saved, table.snapshot().row(row), 0.02);
    QCOMPARE(saved.seconds, 0.0);
    QCOMPARE(saved.taken, 0);

    // One that was timed is, however slow.
    table.append({.number = 300, .sample_count = 1, .median_seconds = 1e6}, random_choice(random, space_));
    table.append({.number = 301}, random_choice(random, space_));
    QCOMPARE(analysis::best_row(table.snapshot()), 300);
  }

  void they_have_no_speed() {
    base::Random random = printed_random();
    const trial::Snapshot trials = built_trials(random, space_, 300).snapshot();
    const analysis::TrialColumns columns(space_, 1e9, true);
    for (const char* name : {"gflops", "ms", "ms_q1", "ms_q3"}) {
      const std::size_t column = *columns.find(name);
      for (const double value : columns.values(trials, 0, trials.size(), column)) QVERIFY(std::isnan(value));
      QVERIFY(columns.text(trials, 0, column).empty());
    }
    for (const char* filter : {"ms >= 0", "ms != 5", "gflops > 0", "gflops = gflops"})
      QVERIFY2(analysis::Filter::parse(filter, columns)->evaluate(trials, columns).none(), filter);
    QVERIFY(analysis::Filter::parse("registers > 0", columns)->evaluate(trials, columns).count() > 0);
  }

  void charts_of_speed_are_empty() {
    base::Random random = printed_random();
    const trial::Snapshot trials = built_trials(random, space_, 300).snapshot();
    const analysis::TrialColumns columns(space_, 1e9, true);
    const std::vector<double> speeds = columns.values(trials, 0, trials.size(), *columns.find("gflops"));
    const analysis::PerformanceColumn performance{speeds, true};
    const std::vector<std::int64_t> rows = all_rows(trials);
    const analysis::Histogram found = analysis::histogram(performance, rows, 20, true);
    QCOMPARE(found.valid, 0);
    QCOMPARE(found.invalid, 300);
    QVERIFY(found.counts.empty());
    QVERIFY(analysis::distribution_from_top(performance, rows).empty());
  }
};

KERNELSCAPE_PLAIN_TEST(BuildOnlyTest)

}  // namespace kernelscape::analysis_build_only_test
#include "analysis_build_only_test.moc"
