#include <QTest>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/analysis/comparison/comparison_table.h"
#include "core/analysis/comparison/phase_shares.h"
#include "core/analysis/comparison/random_search.h"
#include "core/analysis/comparison/statistical_tests.h"
#include "tests/analysis/compared_runs_support.h"
#include "tests/loop_nest/random_seed.h"
#include "tests/test_program.h"

namespace kernelscape::analysis_comparison_table_test {

namespace {

using Numbers = std::vector<double>;
constexpr double infinity = std::numeric_limits<double>::infinity();

bool near(double a, double b) {
  return std::isinf(a) || std::isinf(b) ? a == b : std::fabs(a - b) <= 1e-9 * std::max(1.0, std::fabs(b));
}

double mean(const Numbers& numbers) {
  return numbers.empty()
             ? 0
             : std::accumulate(numbers.begin(), numbers.end(), 0.0) / static_cast<double>(numbers.size());
}

const analysis::ComparisonRow& row_of(const analysis::ComparisonTable& table, std::size_t arm,
                                      std::optional<std::size_t> task) {
  return *std::ranges::find_if(
      table.rows, [&](const analysis::ComparisonRow& row) { return row.arm == arm && row.task == task; });
}

/** A run that has this performance from the start. */
analysis::ComparedRun flat_run(std::size_t arm, std::size_t task, int repeat, double performance) {
  return finished_run(arm, task, repeat, curve_of_steps({{0, 0, performance}}, 10, 10));
}

std::vector<const analysis::ComparedRun*> counted(const analysis::ComparedRuns& runs, std::size_t arm,
                                                  std::size_t task) {
  std::vector<const analysis::ComparedRun*> found;
  for (const analysis::ComparedRun& run : runs.runs)
    if (run.arm == arm && run.task == task && run.finished && run.error.empty()) found.push_back(&run);
  return found;
}

/** Improvements lie at whole numbers: a sum over unit steps is the integral. */
double naive_area(const analysis::ComparedRuns& runs, const analysis::ComparedRun& run, bool seconds) {
  double end = 0;
  for (const analysis::ComparedRun& other : runs.runs)
    if (other.task == run.task && other.finished && other.error.empty())
      end = std::max(end, seconds ? other.curve.end_seconds : other.curve.end_trials);
  double area = 0;
  for (double x = 0; x < end; ++x) area += seconds ? run.curve.at_seconds(x) : run.curve.at_trials(x);
  return end > 0 ? area / end / runs.tasks[run.task].optimum : 0;
}

/** The first whole second (trial) at which the share is reached. */
double naive_goal(const analysis::ComparedRun& run, double performance, bool seconds) {
  for (double x = 0; x <= 200; ++x)
    if ((seconds ? run.curve.at_seconds(x) : run.curve.at_trials(x)) >= performance) return x;
  return infinity;
}

double naive_median(Numbers numbers) {
  if (numbers.empty()) return infinity;
  std::ranges::sort(numbers);
  return (numbers[(numbers.size() - 1) / 2] + numbers[numbers.size() / 2]) / 2;
}

/** Members 1 to `count`: the expected best of n draws is n (count + 1) / (n + 1). */
double expected_best(double count, double draws) { return draws * (count + 1) / (draws + 1); }

Numbers members_up_to(std::size_t count) {
  Numbers members(count);
  std::iota(members.rbegin(), members.rend(), 1.0);
  return members;
}

/** One task with 1,000 members. */
analysis::ComparedRuns recorded_comparison() {
  analysis::ComparedRuns runs = empty_comparison(1, 1);
  runs.tasks[0].optimum = 1000;
  runs.tasks[0].members = members_up_to(1000);
  return runs;
}

analysis::ErrorBreakdown breakdown(std::int64_t valid, std::int64_t failed, double build_seconds,
                                   double run_seconds) {
  analysis::ErrorBreakdown errors;
  errors.categories[0] = {valid, build_seconds, run_seconds};
  errors.categories[6] = {failed, build_seconds, 0};
  return errors;
}

}  // namespace

class AnalysisComparisonTableTest : public QObject {
  Q_OBJECT

 private slots:
  void one_task_by_hand() {
    analysis::ComparedRuns runs = empty_comparison(1, 1);
    runs.tasks[0].optimum = 100;
    runs.runs = {finished_run(0, 0, 0, curve_of_steps({{2, 3, 50}, {4, 6, 92}, {6, 8, 100}}, 10, 20)),
                 finished_run(0, 0, 1, curve_of_steps({{1, 1, 80}, {5, 5, 96}}, 8, 16)),
                 finished_run(0, 0, 2, curve_of_steps({}, 8, 16)),
                 finished_run(0, 0, 3, curve_of_steps({{1, 1, 100}}, 100, 100)),
                 finished_run(0, 0, 4, curve_of_steps({{1, 1, 100}}, 100, 100))};
    runs.runs[3].finished = false;
    runs.runs[4].error = "the compiler has vanished";
    const analysis::ComparisonTable table = analysis::comparison_table(runs, 0);
    QCOMPARE(table.rows.size(), std::size_t{2});
    QVERIFY(!table.rows[0].task && table.rows[1].task == std::size_t{0});
    const analysis::ComparisonRow& row = table.rows[1];
    QCOMPARE(row.runs, std::size_t{3});
    QCOMPARE(row.unfinished, std::size_t{1});
    QCOMPARE(row.failed, std::size_t{1});
    QVERIFY(near(row.mean_final, 196.0 / 3));
    QVERIFY(near(row.median_final, 96));
    QVERIFY(near(row.final_share, 1.96 / 3));
    QVERIFY(near(row.goals[0].share, 0.90) && near(row.goals[1].share, 0.95) &&
            near(row.goals[2].share, 0.99));
    QVERIFY(near(row.goals[0].median_seconds, 5) && near(row.goals[0].median_trials, 6));
    QVERIFY(near(row.goals[1].median_seconds, 6) && near(row.goals[1].median_trials, 8));
    QCOMPARE(row.goals[1].reached, std::size_t{2});
    QCOMPARE(row.goals[1].runs, std::size_t{3});
    QCOMPARE(row.goals[2].median_seconds, infinity);
    QCOMPARE(row.goals[2].reached, std::size_t{1});
    // (2 * 0.5 + 2 * 0.92 + 4 * 1, 4 * 0.8 + 5 * 0.96, 0) / 10
    QVERIFY(near(row.area_by_seconds, (6.84 + 8.0) / 30));
    QVERIFY(near(row.area_by_trials, (3 * 0.5 + 2 * 0.92 + 12 + 4 * 0.8 + 15 * 0.96) / 60));
    QVERIFY(std::isnan(row.score));
    QVERIFY(!row.test && !row.wilcoxon_p && !table.rows[0].wilcoxon_p);
    QVERIFY(near(table.rows[0].mean_final, 1.96 / 3) && near(table.rows[0].median_final, 0.96));
    QCOMPARE(table.rows[0].unfinished, std::size_t{1});
    QCOMPARE(table.rows[0].failed, std::size_t{1});
  }

  void an_even_number_of_runs_has_a_mean_in_the_middle() {
    analysis::ComparedRuns runs = empty_comparison(1, 1);
    runs.runs = {finished_run(0, 0, 0, curve_of_steps({{2, 2, 1}}, 9, 9)),
                 finished_run(0, 0, 1, curve_of_steps({{5, 6, 1}}, 9, 9)),
                 finished_run(0, 0, 2, curve_of_steps({{1, 1, 0.5}}, 9, 9))};
    QCOMPARE(analysis::comparison_table(runs, 0).rows[1].goals[2].median_seconds, 5.0);
    runs.runs.push_back(finished_run(0, 0, 3, curve_of_steps({{1, 1, 0.5}}, 9, 9)));
    QCOMPARE(analysis::comparison_table(runs, 0).rows[1].goals[2].median_seconds,
             infinity);  // 5 and unreached
    runs.runs.erase(runs.runs.begin() + 2, runs.runs.end());
    QCOMPARE(analysis::comparison_table(runs, 0).rows[1].goals[2].median_seconds, 3.5);
    QCOMPARE(analysis::comparison_table(runs, 0).rows[1].goals[2].median_trials, 4.0);
  }

  void arms_without_runs_have_empty_rows() {
    const analysis::ComparisonTable table = analysis::comparison_table(empty_comparison(2, 2), 1);
    QCOMPARE(table.baseline, std::size_t{1});
    QCOMPARE(table.rows.size(), std::size_t{6});
    for (const analysis::ComparisonRow& row : table.rows) {
      QCOMPARE(row.runs, std::size_t{0});
      QCOMPARE(row.mean_final, 0.0);
      QCOMPARE(row.goals[0].median_seconds, infinity);
      QCOMPARE(row.goals[0].runs, std::size_t{0});
      QVERIFY(std::isnan(row.score) && !row.test && !row.wilcoxon_p);
    }
    QVERIFY(analysis::comparison_table(empty_comparison(0, 0), 0).rows.empty());
    analysis::ComparedRuns hopeless = empty_comparison(2, 1);  // nothing valid is known
    hopeless.tasks[0].optimum = 0;
    hopeless.tasks[0].members = Numbers(30);
    hopeless.runs = {finished_run(0, 0, 0, curve_of_steps({}, 0, 0)),
                     finished_run(1, 0, 0, curve_of_steps({}, 0, 0))};
    for (const analysis::ComparisonRow& row : analysis::comparison_table(hopeless, 0).rows) {
      QCOMPARE(row.runs, std::size_t{1});
      QVERIFY(row.final_share == 0 && row.area_by_seconds == 0 && row.area_by_trials == 0);
      QVERIFY(row.goals[0].reached == 0 && std::isnan(row.score));
      QVERIFY(!row.test || row.test->p == 1);
    }
  }

  void rows_are_as_by_the_definition() {
    base::Random random(testing::random_seed());
    for (int round = 0; round < 15; ++round) {
      const std::size_t arms = 1 + random.below(4);
      const std::size_t tasks = 1 + random.below(4);
      const analysis::ComparedRuns runs = random_comparison(random, arms, tasks, 7);
      const analysis::ComparisonTable table =
          analysis::comparison_table(runs, random.below(arms), {.resamples = 20});
      QCOMPARE(table.rows.size(), arms * (tasks + 1));
      for (std::size_t i = 0; i < table.rows.size(); ++i) {
        const analysis::ComparisonRow& row = table.rows[i];
        QCOMPARE(row.arm, i % arms);
        QCOMPARE(row.task, i < arms ? std::optional<std::size_t>() : std::optional(i / arms - 1));
        if (row.task)
          check_task_row(runs, row);
        else
          check_overall_row(runs, table, row);
      }
    }
  }

  void tests_are_corrected_over_the_whole_table() {
    base::Random random(testing::random_seed());
    analysis::ComparedRuns runs = empty_comparison(3, 4);
    for (std::size_t task = 0; task < 4; ++task)
      for (std::size_t arm = 0; arm < 3; ++arm)
        for (int repeat = 0; repeat < 9; ++repeat)
          runs.runs.push_back(flat_run(arm, task, repeat, random.uniform() * (1 + static_cast<double>(arm))));
    const analysis::ComparisonTable table = analysis::comparison_table(runs, 1);
    Numbers p;
    std::vector<const analysis::RunsTest*> tested;
    for (const analysis::ComparisonRow& row : table.rows) {
      QCOMPARE(row.test.has_value(), row.task.has_value() && row.arm != 1);
      if (!row.test) continue;
      Numbers own;
      Numbers other;
      for (const analysis::ComparedRun* run : counted(runs, row.arm, *row.task))
        own.push_back(run->curve.best());
      for (const analysis::ComparedRun* run : counted(runs, 1, *row.task)) other.push_back(run->curve.best());
      QCOMPARE(row.test->p, analysis::mann_whitney_p(own, other));
      QCOMPARE(row.test->a12, analysis::vargha_delaney_a12(own, other));
      QVERIFY(row.test->can_be_significant);
      for (const analysis::ComparedMeasure& measure : analysis::compared_measures()) {
        const std::optional<analysis::RunsTest>& test = analysis::row_test(row, measure);
        if (!test || test->all_equal) continue;
        p.push_back(test->p);
        tested.push_back(&*test);
      }
    }
    QVERIFY(p.size() > 8);  // goals are tested too
    QCOMPARE(table.tests_within_tasks, p.size());
    const Numbers corrected = analysis::holm_correction(p);
    for (std::size_t i = 0; i < p.size(); ++i) QCOMPARE(tested[i]->corrected_p, corrected[i]);
  }

  void five_seeds_cannot_pass_the_correction() {
    const auto comparison = [](std::size_t tasks, int repeats) {
      analysis::ComparedRuns runs = empty_comparison(2, tasks);
      for (std::size_t task = 0; task < tasks; ++task)
        for (int repeat = 0; repeat < repeats; ++repeat)
          for (std::size_t arm = 0; arm < 2; ++arm)
            runs.runs.push_back(
                flat_run(arm, task, repeat, 0.1 + 0.5 * static_cast<double>(arm) + 0.001 * repeat));
      return analysis::comparison_table(runs, 0);
    };
    // Separated samples: 2 / 252 per test. Six of them can pass 0.05, seven cannot.
    for (const std::size_t tasks : {std::size_t{6}, std::size_t{7}}) {
      const analysis::ComparisonTable table = comparison(tasks, 5);
      for (std::size_t task = 0; task < tasks; ++task) {
        const analysis::RunsTest test = *row_of(table, 1, task).test;
        QCOMPARE(test.a12, 1.0);
        QVERIFY(near(test.corrected_p, static_cast<double>(tasks) * 2 / 252));
        QCOMPARE(test.can_be_significant, tasks == 6);
      }
    }
    QVERIFY(row_of(comparison(7, 6), 1, 0).test->can_be_significant);
    QVERIFY(!row_of(comparison(1, 3), 1, 0).test->can_be_significant);
    QVERIFY(row_of(comparison(1, 4), 1, 0).test->can_be_significant);
  }

  void a_task_without_a_baseline_is_not_tested() {
    analysis::ComparedRuns runs = empty_comparison(2, 3);
    runs.runs = {flat_run(0, 0, 0, 0.5), flat_run(1, 0, 0, 0.75), flat_run(1, 1, 0, 0.5),
                 flat_run(0, 2, 0, 0.5), flat_run(1, 2, 0, 0.25)};
    runs.runs[3].finished = false;
    const analysis::ComparisonTable one = analysis::comparison_table(runs, 0);
    QVERIFY(row_of(one, 1, 0).test && !row_of(one, 1, 1).test && !row_of(one, 1, 2).test);
    QVERIFY(!row_of(one, 1, {}).wilcoxon_p);  // one task has runs of both
    runs.runs[3].finished = true;
    QCOMPARE(*row_of(analysis::comparison_table(runs, 0), 1, {}).wilcoxon_p, 1.0);
  }

  void tasks_are_compared_by_their_means() {
    analysis::ComparedRuns runs = empty_comparison(2, 6);
    for (std::size_t task = 0; task < 6; ++task) {
      runs.tasks[task].optimum = std::pow(10.0, static_cast<double>(task));
      const double optimum = runs.tasks[task].optimum;
      const double step = 0.02 * static_cast<double>(task + 1);
      runs.runs.push_back(flat_run(0, task, 0, 0.5 * optimum));
      runs.runs.push_back(flat_run(0, task, 1, 0.7 * optimum));
      runs.runs.push_back(flat_run(1, task, 0, (0.6 + (task == 0 ? -step : step)) * optimum));
    }
    const analysis::ComparisonTable table = analysis::comparison_table(runs, 0);
    // The least of six differences is the only negative one: 4 of 64 signs.
    QVERIFY(near(*row_of(table, 1, {}).wilcoxon_p, 4.0 / 64));
    QVERIFY(!row_of(table, 0, {}).wilcoxon_p);
    QVERIFY(near(*row_of(analysis::comparison_table(runs, 1), 0, {}).wilcoxon_p, 4.0 / 64));
    for (std::size_t task = 0; task < 6; ++task) QVERIFY(!row_of(table, 1, task).wilcoxon_p);
  }

  void scores_of_known_searches() {
    analysis::ComparedRuns runs = recorded_comparison();
    constexpr double trial_seconds = 7;
    std::vector<CurveStep> as_random;
    for (double draws = 1; draws <= 38; ++draws)
      as_random.push_back({draws * trial_seconds, draws, expected_best(1000, draws)});
    const auto score = [&](const analysis::BestCurve& curve) {
      runs.runs = {finished_run(0, 0, 0, curve)};
      const analysis::ComparisonTable table = analysis::comparison_table(runs, 0);
      return near(table.rows[0].score, table.rows[1].score) ? table.rows[0].score : std::nan("");
    };
    QVERIFY(near(score(curve_of_steps(as_random, 300, 38)), 0));
    // Ended early, it is no worse: where no run is, none is judged.
    const std::vector<CurveStep> first_draws(as_random.begin(), as_random.begin() + 20);
    QVERIFY(near(score(curve_of_steps(first_draws, 300, 20)), 0));
    QVERIFY(std::isnan(score(curve_of_steps({as_random.front()}, 300, 1))));
    QVERIFY(near(score(curve_of_steps({{0, 0, 1000}}, 300, 38)), 1));
    QVERIFY(score(curve_of_steps({{1, 1, 200}}, 300, 38)) < -1);
    // Half of what random leaves over.
    for (CurveStep& step : as_random) step.performance = (step.performance + 1000) / 2;
    QVERIFY(near(score(curve_of_steps(as_random, 300, 38)), 0.5));
    // Found the optimum with the 21st trial: points i with 1 + 37 * i / 50 >= 21 are 1, of 50.
    for (std::size_t i = 0; i < as_random.size(); ++i)
      as_random[i].performance = i < 20 ? expected_best(1000, as_random[i].trials) : 1000;
    QVERIFY(near(score(curve_of_steps(as_random, 300, 38)), 23.0 / 50));
  }

  void scores_are_means_of_runs_and_tasks() {
    analysis::ComparedRuns runs = recorded_comparison();
    runs.tasks.push_back(runs.tasks[0]);
    runs.tasks.push_back(runs.tasks[0]);
    runs.tasks[2].members.clear();
    const analysis::BestCurve best = curve_of_steps({{0, 0, 1000}}, 40, 40);
    const analysis::BestCurve nothing = curve_of_steps({}, 40, 40);
    runs.runs = {finished_run(0, 0, 0, best), finished_run(0, 0, 1, nothing), finished_run(0, 1, 0, best),
                 finished_run(0, 2, 0, best)};
    double of_nothing = 0;
    for (int i = 1; i <= 50; ++i) {
      const double expected = expected_best(1000, std::floor(1 + 37.0 * i / 50));
      of_nothing -= expected / (1000 - expected) / 50;
    }
    const analysis::ComparisonTable table = analysis::comparison_table(runs, 0);
    QVERIFY(near(row_of(table, 0, 0).score, (1 + of_nothing) / 2));
    QVERIFY(near(row_of(table, 0, 1).score, 1));
    QVERIFY(std::isnan(row_of(table, 0, 2).score));
    QVERIFY(near(row_of(table, 0, {}).score, ((1 + of_nothing) / 2 + 1) / 2));
  }

  void shares_of_the_best_found_where_the_optimum_is_not_known() {
    analysis::ComparedRuns runs = empty_comparison(2, 1);
    runs.tasks[0].optimum = 80;
    runs.tasks[0].optimum_known = false;
    runs.runs = {flat_run(0, 0, 0, 80), flat_run(1, 0, 0, 60)};
    const analysis::ComparisonTable table = analysis::comparison_table(runs, 0);
    QVERIFY(near(row_of(table, 0, 0).final_share, 1) && near(row_of(table, 1, 0).final_share, 0.75));
    QVERIFY(near(row_of(table, 1, 0).area_by_seconds, 0.75));
    QCOMPARE(row_of(table, 1, 0).goals[0].reached, std::size_t{0});
    QVERIFY(std::isnan(row_of(table, 0, 0).score));
  }

  void phases_are_means_over_runs_then_tasks() {
    analysis::ComparedRuns runs = empty_comparison(2, 3);
    const auto run = [](std::size_t task, int repeat, analysis::TimeSplit time) {
      analysis::ComparedRun made = flat_run(0, task, repeat, 1);
      made.time = time;
      return made;
    };
    runs.runs = {run(0, 0, {10, 1, 2, 3}), run(0, 1, {20, 3, 4, 7}), run(0, 2, {90, 90, 0, 0}),
                 run(1, 0, {100, 10, 20, 30}), run(1, 1, {90, 90, 0, 0})};
    runs.runs[2].finished = false;  // others of that task are
    runs.runs[3].finished = false;  // all that there is of that task
    runs.runs[4].error = "gone";
    const analysis::PhaseTimes times = analysis::phase_times(runs, 0);
    QVERIFY(near(times.search_seconds, 6) && near(times.build_seconds, 11.5));
    QVERIFY(near(times.run_seconds, 17.5) && near(times.idle_seconds, 22.5));
    const analysis::PhaseTimes none = analysis::phase_times(runs, 1);
    QVERIFY(none.search_seconds == 0 && none.idle_seconds == 0);
  }

  void categories_are_means_over_runs_then_tasks() {
    analysis::ComparedRuns runs = empty_comparison(2, 2);
    runs.runs = {flat_run(0, 0, 0, 1), flat_run(0, 0, 1, 1), flat_run(0, 1, 0, 1)};
    runs.runs[0].errors = breakdown(3, 1, 1, 2);  // 3/4 of trials, 3/4 of work
    runs.runs[1].errors = breakdown(1, 3, 1, 0);  // 1/4, 1/2
    runs.runs[2].errors = breakdown(90, 10, 1, 8);
    const analysis::CategoryShares shares = analysis::category_shares(runs, 0);
    QVERIFY(near(shares.trials[0], 0.7) && near(shares.trials[6], 0.3));
    QVERIFY(near(shares.work_seconds[0], (0.625 + 0.9) / 2));
    QVERIFY(near(shares.trials_per_run, 52) && near(shares.work_seconds_per_run, (3 + 10) / 2.0));
    QVERIFY(near(mean({shares.trials.begin(), shares.trials.end()}) * trial::error_category_count, 1));
    QVERIFY(near(mean({shares.work_seconds.begin(), shares.work_seconds.end()}) * trial::error_category_count,
                 1));
    // A run without trials has no shares; the shares of the others still sum to 1.
    runs.runs.push_back(flat_run(0, 0, 2, 0));
    QVERIFY(near(analysis::category_shares(runs, 0).trials[0], 0.7));
    QVERIFY(near(analysis::category_shares(runs, 0).trials_per_run, (8 / 3.0 + 100) / 2));
    QCOMPARE(analysis::category_shares(runs, 1).trials[0], 0.0);
  }

 private:
  static void check_task_row(const analysis::ComparedRuns& runs, const analysis::ComparisonRow& row) {
    const auto found = counted(runs, row.arm, *row.task);
    const double optimum = runs.tasks[*row.task].optimum;
    QCOMPARE(row.runs, found.size());
    Numbers finals;
    Numbers area_seconds;
    Numbers area_trials;
    for (const analysis::ComparedRun* run : found) {
      finals.push_back(run->curve.best());
      area_seconds.push_back(naive_area(runs, *run, true));
      area_trials.push_back(naive_area(runs, *run, false));
    }
    QVERIFY(near(row.mean_final, mean(finals)));
    QVERIFY(near(row.median_final, finals.empty() ? 0 : naive_median(finals)));
    QVERIFY(near(row.final_share, mean(finals) / optimum));
    QVERIFY(near(row.area_by_seconds, mean(area_seconds)) && near(row.area_by_trials, mean(area_trials)));
    check_goals(runs, row, found);
  }

  static void check_overall_row(const analysis::ComparedRuns& runs, const analysis::ComparisonTable& table,
                                const analysis::ComparisonRow& row) {
    Numbers shares;
    Numbers areas;
    Numbers all_shares;
    std::vector<const analysis::ComparedRun*> found;
    for (std::size_t task = 0; task < runs.tasks.size(); ++task) {
      const analysis::ComparisonRow& of_task = row_of(table, row.arm, task);
      if (of_task.runs == 0) continue;
      shares.push_back(of_task.final_share);
      areas.push_back(of_task.area_by_seconds);
      for (const analysis::ComparedRun* run : counted(runs, row.arm, task)) {
        found.push_back(run);
        all_shares.push_back(run->curve.best() / runs.tasks[task].optimum);
      }
    }
    QCOMPARE(row.runs, found.size());
    QVERIFY(near(row.mean_final, mean(shares)) && near(row.final_share, mean(shares)));
    QVERIFY(near(row.area_by_seconds, mean(areas)));
    QVERIFY(near(row.median_final, all_shares.empty() ? 0 : naive_median(all_shares)));
    check_goals(runs, row, found);
    const auto of_arm = std::ranges::count_if(
        runs.runs, [&](const analysis::ComparedRun& run) { return run.arm == row.arm && run.error.empty(); });
    QCOMPARE(row.runs + row.unfinished, static_cast<std::size_t>(of_arm));
    const auto failed = std::ranges::count_if(runs.runs, [&](const analysis::ComparedRun& run) {
      return run.arm == row.arm && !run.error.empty();
    });
    QCOMPARE(row.failed, static_cast<std::size_t>(failed));
  }

  static void check_goals(const analysis::ComparedRuns& runs, const analysis::ComparisonRow& row,
                          const std::vector<const analysis::ComparedRun*>& found) {
    for (const analysis::GoalReached& goal : row.goals) {
      Numbers seconds;
      Numbers trials;
      for (const analysis::ComparedRun* run : found) {
        const double performance = goal.share * runs.tasks[run->task].optimum;
        seconds.push_back(naive_goal(*run, performance, true));
        trials.push_back(naive_goal(*run, performance, false));
      }
      QCOMPARE(goal.runs, found.size());
      QCOMPARE(goal.reached, found.size() - static_cast<std::size_t>(std::ranges::count(seconds, infinity)));
      QVERIFY(near(goal.median_seconds, naive_median(seconds)));
      QVERIFY(near(goal.median_trials, naive_median(trials)));
    }
  }
};

KERNELSCAPE_PLAIN_TEST(AnalysisComparisonTableTest)

}  // namespace kernelscape::analysis_comparison_table_test
#include "analysis_comparison_table_test.moc"
