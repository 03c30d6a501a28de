#include <QTest>
#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <optional>

#include "core/analysis/comparison/compared_curves.h"
#include "core/base/quantile.h"
#include "core/trial/measurement.h"
#include "tests/analysis/compared_runs_support.h"
#include "tests/loop_nest/random_seed.h"
#include "tests/test_program.h"

namespace kernelscape::analysis_compared_curves_test {

namespace {

using Numbers = std::vector<double>;

bool near(double a, double b) { return std::fabs(a - b) <= 1e-9 * std::max(1.0, std::fabs(b)); }

bool near(const Numbers& a, const Numbers& b) {
  return a.size() == b.size() && std::ranges::equal(a, b, [](double x, double y) {
           return (std::isnan(x) && std::isnan(y)) || near(x, y);
         });
}

double mean(const Numbers& numbers) {
  return std::accumulate(numbers.begin(), numbers.end(), 0.0) / static_cast<double>(numbers.size());
}

/** The best of all improvements made by then. */
double naive_best(const analysis::BestCurve& curve, analysis::CompareAxis axis, double x) {
  double best = 0;
  for (std::size_t i = 0; i < curve.performance.size(); ++i)
    if ((axis == analysis::CompareAxis::Seconds ? curve.seconds[i] : curve.trials[i]) <= x)
      best = std::max(best, curve.performance[i]);
  return best;
}

/** Everything at one x, by the definition. */
struct NaivePoint {
  double mean = 0;
  double standard_error = 0;
  double median = 0;
  double first_quartile = 0;
  double third_quartile = 0;
  double active = 0;
};

struct NaiveQuestion {
  analysis::CurveSelection selection;
  analysis::CompareAxis axis = analysis::CompareAxis::Seconds;
  analysis::CompareY y = analysis::CompareY::Performance;
  std::size_t baseline = 0;
};

bool drawn(const analysis::ComparedRun& run, std::size_t arm, std::size_t task) {
  return run.arm == arm && run.task == task && run.error.empty();
}

/** Values of an arm's runs on a task at x, by repeat; empty where the task does not count. */
std::map<int, double> naive_values(const analysis::ComparedRuns& runs, const NaiveQuestion& question,
                                   std::size_t task, double x) {
  Numbers compared;
  for (const analysis::ComparedRun& run : runs.runs)
    if (drawn(run, question.baseline, task)) compared.push_back(naive_best(run.curve, question.axis, x));
  std::map<int, double> values;
  for (const analysis::ComparedRun& run : runs.runs) {
    if (!drawn(run, question.selection.arm, task)) continue;
    double value = naive_best(run.curve, question.axis, x);
    if (question.y == analysis::CompareY::ShareOfOptimum) value /= runs.tasks[task].optimum;
    if (question.y == analysis::CompareY::SpeedUp) {
      if (compared.empty()) return {};
      value = mean(compared) > 0 ? value / mean(compared) : std::nan("");
    }
    values[run.repeat] = value;
  }
  return values;
}

NaivePoint naive_point(const analysis::ComparedRuns& runs, const NaiveQuestion& question, double x) {
  std::map<std::size_t, std::map<int, double>> tasks;
  for (std::size_t task = 0; task < runs.tasks.size(); ++task)
    if (!question.selection.task || *question.selection.task == task)
      if (const auto values = naive_values(runs, question, task, x); !values.empty()) tasks[task] = values;
  NaivePoint point;
  Numbers task_means;
  std::map<int, Numbers> repeats;
  for (const auto& [task, values] : tasks) {
    Numbers of_task;
    for (const auto& [repeat, value] : values) {
      of_task.push_back(value);
      repeats[repeat].push_back(value);
    }
    task_means.push_back(mean(of_task));
    for (const analysis::ComparedRun& run : runs.runs)
      if (drawn(run, question.selection.arm, task))
        point.active += (question.axis == analysis::CompareAxis::Seconds ? run.curve.end_seconds
                                                                         : run.curve.end_trials) >= x;
  }
  point.mean = mean(task_means);
  Numbers samples;
  for (const auto& [repeat, values] : repeats)
    if (values.size() == tasks.size()) samples.push_back(mean(values));
  if (samples.size() > 1) {
    double squares = 0;
    for (const double sample : samples) squares += (sample - mean(samples)) * (sample - mean(samples));
    const auto n = static_cast<double>(samples.size());
    point.standard_error = std::sqrt(squares / (n - 1)) / std::sqrt(n);
  }
  if (std::isnan(point.mean)) samples = {point.mean};
  if (samples.empty()) samples = {point.mean};
  point.median = base::quantile(samples, 0.5);
  point.first_quartile = base::quantile(samples, 0.25);
  point.third_quartile = base::quantile(samples, 0.75);
  if (std::isnan(point.mean)) point.standard_error = point.mean;
  return point;
}

trial::Row valid_row(double median_seconds, double finished_seconds) {
  trial::Row row;
  row.sample_count = 7;
  row.median_seconds = median_seconds;
  row.finished_seconds = finished_seconds;
  return row;
}

trial::Snapshot snapshot_of(std::vector<trial::Row> rows) {
  trial::Table table(0);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i].number = static_cast<std::int64_t>(i);
    table.append(rows[i], {});
  }
  return table.snapshot();
}

}  // namespace

class AnalysisComparedCurvesTest : public QObject {
  Q_OBJECT

 private slots:
  void a_run_becomes_its_improvements() {
    trial::Row failed;
    failed.category = trial::ErrorCategory::RunTimeout;
    failed.finished_seconds = 3;
    const trial::Snapshot trials = snapshot_of({failed, valid_row(2e-3, 5), valid_row(3e-3, 6),
                                                valid_row(1e-3, 4), valid_row(5e-4, 9), valid_row(5e-4, 10)});
    const analysis::BestCurve curve = analysis::best_curve(trials, 4e6, 12);
    QVERIFY(near(curve.performance, {2, 4, 8}));
    QCOMPARE(curve.trials, (Numbers{2, 4, 5}));
    QCOMPARE(curve.seconds, (Numbers{5, 5, 9}));  // the third was stored after one that finished later
    QCOMPARE(curve.end_seconds, 12.0);
    QCOMPARE(curve.end_trials, 6.0);
    QCOMPARE(curve.best(), curve.performance.back());
    QVERIFY(near(analysis::best_curve(trials, 0, 12).performance, {500, 1000, 2000}));
    QCOMPARE(analysis::best_curve(trials, 0, 7).end_seconds, 10.0);  // a trial was finished by then
    QCOMPARE(curve.at_seconds(4.999), 0.0);
    QCOMPARE(curve.at_seconds(5), curve.performance[1]);
    QCOMPARE(curve.at_seconds(1e9), curve.best());
    QCOMPARE(curve.at_trials(1.9), 0.0);
    QCOMPARE(curve.at_trials(2), curve.performance[0]);
    QCOMPARE(curve.at_trials(4.5), curve.performance[1]);
  }

  void a_run_without_a_valid_trial_stays_at_nothing() {
    const analysis::BestCurve none = analysis::best_curve({}, 1e9, 4);
    QCOMPARE(none.best(), 0.0);
    QCOMPARE(none.at_seconds(100), 0.0);
    QCOMPARE(none.end_seconds, 4.0);
    QCOMPARE(none.end_trials, 0.0);
    trial::Row failed;
    failed.category = trial::ErrorCategory::WrongAnswer;
    trial::Row unmeasured;  // of a session that only builds
    QVERIFY(analysis::best_curve(snapshot_of({failed, unmeasured}), 1e9, 4).performance.empty());
    QCOMPARE(analysis::best_curve(snapshot_of({failed, unmeasured}), 1e9, 4).end_trials, 2.0);
  }

  void curves_of_random_trials_are_as_by_scanning() {
    base::Random random(testing::random_seed());
    for (int round = 0; round < 20; ++round) {
      std::vector<trial::Row> rows;
      double finished = 0;
      for (std::uint64_t left = random.below(300); left > 0; --left) {
        rows.push_back(valid_row(static_cast<double>(1 + random.below(200)), finished += random.uniform()));
        if (random.chance(0.4)) rows.back().category = static_cast<trial::ErrorCategory>(1 + random.below(8));
      }
      const analysis::BestCurve curve = analysis::best_curve(snapshot_of(rows), 1e9, finished);
      for (int i = 0; i < 50; ++i) {
        const double seconds = random.uniform() * (finished + 1);
        const double trials = random.uniform() * static_cast<double>(rows.size() + 2);
        double by_seconds = 0;
        double by_trials = 0;
        for (std::size_t row = 0; row < rows.size(); ++row) {
          if (rows[row].category != trial::ErrorCategory::NoError) continue;
          const double speed = 1 / rows[row].median_seconds;
          if (rows[row].finished_seconds <= seconds) by_seconds = std::max(by_seconds, speed);
          if (static_cast<double>(row + 1) <= trials) by_trials = std::max(by_trials, speed);
        }
        QVERIFY(near(curve.at_seconds(seconds), by_seconds));
        QVERIFY(near(curve.at_trials(trials), by_trials));
      }
    }
  }

  void reported_values_become_steps() {
    std::vector<trial::Row> rows{valid_row(1, 2), valid_row(1, 5), valid_row(1, 4), valid_row(1, 7),
                                 valid_row(1, 8)};
    const trial::Snapshot trials = snapshot_of(rows);
    const analysis::ReportedCurve curve =
        analysis::reported_curve(trials, {{3, 0.5}, {1, 0.25}, {2, 0.25}, {4, 0.75}, {9, 1}});
    QCOMPARE(curve.values, (Numbers{0.25, 0.5, 0.75}));
    QCOMPARE(curve.trials, (Numbers{2, 4, 5}));
    QCOMPARE(curve.seconds, (Numbers{5, 7, 8}));
    QVERIFY(analysis::reported_curve(trials, {}).empty());
    QVERIFY(analysis::reported_curve({}, {{1, 1}}).empty());
    // The third trial is stored after one that finished later.
    QCOMPARE(analysis::reported_curve(trials, {{2, 0.5}}).seconds, (Numbers{5}));
  }

  void shares_of_members_hold_until_the_next() {
    base::Random random(testing::random_seed());
    for (int round = 0; round < 20; ++round) {
      analysis::ComparedRuns runs = random_comparison(random, 2, 1, 5);
      std::vector<const analysis::ComparedRun*> counted;
      for (analysis::ComparedRun& run : runs.runs) {
        for (std::uint64_t left = random.below(4); left > 0; --left) {
          analysis::ReportedCurve& share = run.member_share;
          share.seconds.push_back((share.empty() ? 0 : share.seconds.back()) + random.uniform() * 6);
          share.trials.push_back((share.empty() ? 0 : share.trials.back()) + 1);
          share.values.push_back(random.uniform());
        }
        if (run.arm == 1 && run.error.empty() && !run.member_share.empty()) counted.push_back(&run);
      }
      const Numbers grid{0, 1, 2, 3, 5, 8, 13, 21};
      for (const analysis::CompareAxis axis :
           {analysis::CompareAxis::Seconds, analysis::CompareAxis::Trials}) {
        const analysis::AggregatedCurve curve =
            analysis::aggregate_curve(runs, {1, 0}, axis, analysis::CompareY::MemberShare, grid);
        QCOMPARE(curve.n, counted.size());
        QCOMPARE(curve.x.size(), counted.empty() ? 0 : grid.size());
        for (std::size_t i = 0; i < curve.x.size(); ++i) {
          Numbers latest;
          for (const analysis::ComparedRun* run : counted) {
            const analysis::ReportedCurve& share = run->member_share;
            const Numbers& steps = axis == analysis::CompareAxis::Seconds ? share.seconds : share.trials;
            std::optional<double> value;
            for (std::size_t step = 0; step < steps.size(); ++step)
              if (steps[step] <= grid[i]) value = share.values[step];
            if (value) latest.push_back(*value);
          }
          // Until all have reported one there is none.
          QCOMPARE(std::isnan(curve.median[i]), latest.size() < counted.size());
          if (latest.size() < counted.size()) continue;
          QVERIFY(near(curve.median[i], base::quantile(latest, 0.5)));
          QVERIFY(near(curve.first_quartile[i], base::quantile(latest, 0.25)));
          QVERIFY(near(curve.third_quartile[i], base::quantile(latest, 0.75)));
          QVERIFY(near(curve.mean[i], mean(latest)));
        }
      }
    }
  }

  void grids_end_with_the_longest_run() {
    analysis::ComparedRuns runs = empty_comparison(2, 2);
    QCOMPARE(analysis::curve_grid(runs, {}, analysis::CompareAxis::Seconds), Numbers{0});
    runs.runs = {finished_run(0, 0, 0, curve_of_steps({{4, 3, 1}}, 20, 600)),
                 finished_run(1, 0, 0, curve_of_steps({{2, 30, 1}}, 32, 500)),
                 finished_run(1, 1, 0, curve_of_steps({{0.5, 30, 1}}, 50, 10)),
                 finished_run(0, 1, 0, curve_of_steps({{0.1, 30, 1}}, 900, 9000))};
    runs.runs.back().error = "the file has vanished";
    QVERIFY(near(analysis::curve_grid(runs, 0, analysis::CompareAxis::Seconds, 5), {0, 8, 16, 24, 32}));
    QVERIFY(near(analysis::curve_grid(runs, {}, analysis::CompareAxis::Seconds, 3), {0, 25, 50}));
    QVERIFY(near(analysis::curve_grid(runs, 0, analysis::CompareAxis::Seconds, 5, true), {2, 4, 8, 16, 32}));
    QCOMPARE(analysis::curve_grid(runs, {}, analysis::CompareAxis::Seconds, 256, true).front(), 0.5);
    QCOMPARE(analysis::curve_grid(runs, 1, analysis::CompareAxis::Trials),
             (Numbers{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10}));
    QCOMPARE(analysis::curve_grid(runs, 1, analysis::CompareAxis::Trials, 256, true).front(), 1.0);
    for (const bool logarithmic : {false, true}) {
      const Numbers grid = analysis::curve_grid(runs, {}, analysis::CompareAxis::Trials, 256, logarithmic);
      QVERIFY(grid.size() > 100 && grid.size() <= 256);
      QCOMPARE(grid.back(), 600.0);
      QVERIFY(std::ranges::adjacent_find(grid, std::greater_equal{}) == grid.end());
      QVERIFY(std::ranges::all_of(grid, [](double x) { return x == std::floor(x); }));
    }
  }

  void aggregates_are_as_by_the_definition() {
    base::Random random(testing::random_seed());
    for (int round = 0; round < 12; ++round) {
      const std::size_t task_count = 1 + random.below(4);
      const analysis::ComparedRuns runs = random_comparison(random, 3, task_count, 6);
      NaiveQuestion question;
      question.selection.arm = random.below(3);
      question.baseline = random.below(3);
      if (random.chance(0.4)) question.selection.task = random.below(task_count);
      for (const analysis::CompareAxis axis :
           {analysis::CompareAxis::Seconds, analysis::CompareAxis::Trials}) {
        for (const analysis::CompareY y : {analysis::CompareY::Performance,
                                           analysis::CompareY::ShareOfOptimum, analysis::CompareY::SpeedUp}) {
          question.axis = axis;
          question.y = y;
          check_aggregate(runs, question);
        }
      }
    }
  }

  void runs_of_a_task_by_hand() {
    analysis::ComparedRuns runs = empty_comparison(1, 1);
    runs.tasks[0].optimum = 40;
    runs.runs = {finished_run(0, 0, 0, curve_of_steps({{1, 1, 10}, {3, 5, 20}}, 4, 8)),
                 finished_run(0, 0, 1, curve_of_steps({{2, 2, 40}}, 6, 9))};
    runs.runs[1].finished = false;  // still drawn
    const analysis::AggregatedCurve curve =
        analysis::aggregate_curve(runs, {0, {}}, analysis::CompareAxis::Seconds,
                                  analysis::CompareY::Performance, {0, 1, 2, 3, 4, 5, 6});
    QCOMPARE(curve.n, std::size_t{2});
    QCOMPARE(curve.samples, std::size_t{2});
    QVERIFY(near(curve.mean, {0, 5, 25, 30, 30, 30, 30}));
    QVERIFY(near(curve.median, curve.mean));
    QVERIFY(near(curve.standard_error, {0, 5, 15, 10, 10, 10, 10}));
    QVERIFY(near(curve.first_quartile, {0, 2.5, 17.5, 25, 25, 25, 25}));
    QVERIFY(near(curve.third_quartile, {0, 7.5, 32.5, 35, 35, 35, 35}));
    QCOMPARE(curve.active, (Numbers{2, 2, 2, 2, 2, 1, 1}));
    const analysis::AggregatedCurve shares = analysis::aggregate_curve(
        runs, {0, 0}, analysis::CompareAxis::Trials, analysis::CompareY::ShareOfOptimum, {0, 2, 5, 9});
    QVERIFY(near(shares.mean, {0, 0.625, 0.75, 0.75}));
    QCOMPARE(shares.active, (Numbers{2, 2, 2, 1}));
  }

  void tasks_weigh_the_same_however_many_runs_they_have() {
    analysis::ComparedRuns runs = empty_comparison(1, 3);
    const auto flat = [](double performance) { return curve_of_steps({{0, 0, performance}}, 1, 1); };
    runs.runs = {finished_run(0, 0, 0, flat(0.2)), finished_run(0, 0, 1, flat(0.4)),
                 finished_run(0, 1, 0, flat(0.6)), finished_run(0, 1, 1, flat(1.0)),
                 finished_run(0, 1, 2, flat(0.5))};  // the third task has no run
    const analysis::AggregatedCurve curve = analysis::aggregate_curve(
        runs, {0, {}}, analysis::CompareAxis::Seconds, analysis::CompareY::ShareOfOptimum, {1});
    QCOMPARE(curve.n, std::size_t{5});
    QCOMPARE(curve.samples, std::size_t{2});
    QVERIFY(near(curve.mean[0], (0.3 + 0.7) / 2));
    // The repeats that are complete have means of 0.4 and 0.7.
    QVERIFY(near(curve.standard_error[0], 0.15));
    QVERIFY(near(curve.median[0], 0.55));
    runs.runs = {runs.runs[0], runs.runs[3]};
    const analysis::AggregatedCurve early = analysis::aggregate_curve(
        runs, {0, {}}, analysis::CompareAxis::Seconds, analysis::CompareY::ShareOfOptimum, {1});
    QCOMPARE(early.samples, std::size_t{0});
    QVERIFY(near(early.mean[0], 0.6) && near(early.median[0], 0.6) && early.standard_error[0] == 0);
  }

  void speed_ups_stand_on_the_baseline() {
    analysis::ComparedRuns runs = empty_comparison(2, 2);
    runs.runs = {finished_run(0, 0, 0, curve_of_steps({{2, 2, 10}}, 4, 4)),
                 finished_run(0, 0, 1, curve_of_steps({{3, 3, 30}}, 4, 4)),
                 finished_run(1, 0, 0, curve_of_steps({{1, 1, 40}}, 4, 4)),
                 finished_run(1, 1, 0, curve_of_steps({{1, 1, 7}}, 4, 4))};  // without a baseline
    const Numbers grid{1, 2, 3};
    const analysis::AggregatedCurve faster = analysis::aggregate_curve(
        runs, {1, {}}, analysis::CompareAxis::Seconds, analysis::CompareY::SpeedUp, grid, 0);
    QVERIFY(near(faster.mean, {std::nan(""), 8, 2}));
    QVERIFY(std::isnan(faster.median[0]) && std::isnan(faster.standard_error[0]));
    QCOMPARE(faster.n, std::size_t{1});
    const analysis::AggregatedCurve itself = analysis::aggregate_curve(
        runs, {0, {}}, analysis::CompareAxis::Trials, analysis::CompareY::SpeedUp, grid, 0);
    QVERIFY(near(itself.mean, {std::nan(""), 1, 1}));
    QVERIFY(analysis::aggregate_curve(runs, {1, 1}, analysis::CompareAxis::Seconds,
                                      analysis::CompareY::SpeedUp, grid, 0)
                .x.empty());
  }

  void early_events_are_distinguished_from_continuing_ones() {
    // 20 runs to 1000 seconds and 100 trials. A little more at the end is no reason for equal distances.
    const auto runs_with = [](double seconds_to_most, std::int64_t slow) {
      analysis::ComparedRuns runs;
      for (std::int64_t index = 0; index < 20; ++index) {
        analysis::ComparedRun run;
        run.finished = true;
        const double at = index < slow ? 700 : seconds_to_most;
        run.curve.seconds = {1, at, 950};
        run.curve.trials = {1, at / 10, 95};
        run.curve.performance = {20, 96, 100};
        run.curve.end_seconds = 1000;
        run.curve.end_trials = 100;
        runs.runs.push_back(run);
      }
      return runs;
    };
    for (const analysis::CompareAxis axis : {analysis::CompareAxis::Seconds, analysis::CompareAxis::Trials}) {
      QVERIFY(analysis::improves_early(runs_with(150, 0), axis));
      QVERIFY(analysis::improves_early(runs_with(150, 2), axis));
      QVERIFY(!analysis::improves_early(runs_with(150, 3), axis));
      QVERIFY(!analysis::improves_early(runs_with(300, 0), axis));
      analysis::ComparedRuns unfinished = runs_with(150, 0);
      for (analysis::ComparedRun& run : unfinished.runs) run.finished = false;
      QVERIFY(!analysis::improves_early(unfinished, axis));
      QVERIFY(!analysis::improves_early({}, axis));
    }
  }

  void nothing_to_draw_is_an_empty_curve() {
    analysis::ComparedRuns runs = empty_comparison(2, 1);
    runs.runs = {finished_run(0, 0, 0, curve_of_steps({{1, 1, 1}}, 4, 4))};
    const Numbers grid{0, 4};
    QVERIFY(analysis::aggregate_curve(runs, {1, {}}, analysis::CompareAxis::Seconds,
                                      analysis::CompareY::Performance, grid)
                .x.empty());
    runs.tasks[0].optimum = 0;  // nothing valid is known
    const analysis::AggregatedCurve shares = analysis::aggregate_curve(
        runs, {0, 0}, analysis::CompareAxis::Seconds, analysis::CompareY::ShareOfOptimum, grid);
    QCOMPARE(shares.mean, (Numbers{0, 0}));
    runs.runs[0].error = "out of memory";
    QVERIFY(analysis::aggregate_curve(runs, {0, {}}, analysis::CompareAxis::Seconds,
                                      analysis::CompareY::Performance, grid)
                .mean.empty());
  }

 private:
  static void check_aggregate(const analysis::ComparedRuns& runs, const NaiveQuestion& question) {
    const Numbers grid = analysis::curve_grid(runs, question.selection.task, question.axis, 64);
    const analysis::AggregatedCurve curve = analysis::aggregate_curve(runs, question.selection, question.axis,
                                                                      question.y, grid, question.baseline);
    if (curve.x.empty()) return;  // the arm has no run there
    QCOMPARE(curve.x, grid);
    analysis::AggregatedCurve expected;
    for (const double x : grid) {
      const NaivePoint point = naive_point(runs, question, x);
      expected.mean.push_back(point.mean);
      expected.standard_error.push_back(point.standard_error);
      expected.median.push_back(point.median);
      expected.first_quartile.push_back(point.first_quartile);
      expected.third_quartile.push_back(point.third_quartile);
      expected.active.push_back(point.active);
    }
    QVERIFY(near(curve.mean, expected.mean));
    QVERIFY(near(curve.standard_error, expected.standard_error));
    QVERIFY(near(curve.median, expected.median));
    QVERIFY(near(curve.first_quartile, expected.first_quartile));
    QVERIFY(near(curve.third_quartile, expected.third_quartile));
    QCOMPARE(curve.active, expected.active);
  }
};

KERNELSCAPE_PLAIN_TEST(AnalysisComparedCurvesTest)

}  // namespace kernelscape::analysis_compared_curves_test
#include "analysis_compared_curves_test.moc"
