#include "core/analysis/comparison/comparison_table.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "core/analysis/comparison/row_intervals.h"
#include "core/analysis/comparison/row_tests.h"
#include "core/analysis/comparison/run_numbers.h"

namespace kernelscape::analysis {
namespace {

constexpr double never = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

template <typename Item, typename Number>
double mean_by(std::span<const Item> items, const Number& number) {
  double sum = 0;
  for (const Item& item : items) sum += number(item);
  return items.empty() ? 0 : sum / static_cast<double>(items.size());
}

double median_by(std::span<const RunNumbers> runs, const auto& number) {
  std::vector<double> numbers;
  for (const RunNumbers& run : runs) numbers.push_back(number(run));
  return median_with_infinities(numbers);
}

void fill_goal(std::span<const RunNumbers> runs, std::size_t goal, GoalReached& reached) {
  reached.share = goal_shares[goal];
  reached.median_seconds = reached.median_trials = never;
  reached.runs = runs.size();
  if (runs.empty()) return;
  reached.median_seconds = median_by(runs, [&](const RunNumbers& run) { return run.goal_seconds[goal]; });
  reached.median_trials = median_by(runs, [&](const RunNumbers& run) { return run.goal_trials[goal]; });
  reached.reached = static_cast<std::size_t>(
      std::ranges::count_if(runs, [&](const RunNumbers& run) { return run.goal_seconds[goal] < never; }));
}

/**
 * Returns true if the arm's median run is in its random phase when it reaches the goal, or at its end if it
 * never does.
 */
bool still_random(const ComparedArm& arm, const ComparisonRow& row, const GoalReached& goal) {
  if (row.runs == 0 || arm.random_phase <= 0 || arm.random_phase == all_trials_random_phase) return false;
  const double at = std::isfinite(goal.median_trials) ? goal.median_trials : row.trials;
  return at <= static_cast<double>(arm.random_phase);
}

ComparisonRow row_of_task(const NumberedRuns& numbered, std::size_t arm, std::size_t task) {
  const RunCell& cell = numbered.cell(arm, task);
  const std::span<const RunNumbers> runs(cell.finished);
  ComparisonRow row;
  row.arm = arm;
  row.task = task;
  row.runs = runs.size();
  row.unfinished = cell.unfinished;
  row.failed = cell.failed;
  row.confirmed = numbered.tasks[task].confirmed && !runs.empty();
  row.score = not_a_number;
  row.final_noise = numbered.tasks[task].final_noise;
  for (std::size_t goal = 0; goal < goal_shares.size(); ++goal) {
    fill_goal(runs, goal, row.goals[goal]);
    row.goals[goal].within_noise = numbered.tasks[task].within_noise[goal];
  }
  if (runs.empty()) return row;
  const auto mean_of_number = [&](double RunNumbers::* number) {
    return mean_by(runs, [&](const RunNumbers& run) { return run.*number; });
  };
  row.mean_final = mean_of_number(&RunNumbers::final_performance);
  row.median_final = median_by(runs, [](const RunNumbers& run) { return run.final_performance; });
  row.final_share = mean_of_number(&RunNumbers::final_share);
  row.area_by_seconds = mean_of_number(&RunNumbers::area_by_seconds);
  row.area_by_trials = mean_of_number(&RunNumbers::area_by_trials);
  row.score = mean_of_number(&RunNumbers::score);
  row.trials = mean_of_number(&RunNumbers::trials);
  row.random_trials = mean_of_number(&RunNumbers::random_trials);
  return row;
}

/** Returns all runs of an arm on the tasks for which `counts` is true. */
std::vector<RunNumbers> pooled_runs(const NumberedRuns& numbered, std::size_t arm, const auto& counts) {
  std::vector<RunNumbers> pooled;
  for (std::size_t task = 0; task < numbered.tasks.size(); ++task) {
    const std::vector<RunNumbers>& runs = numbered.cell(arm, task).finished;
    if (counts(numbered.tasks[task])) pooled.insert(pooled.end(), runs.begin(), runs.end());
  }
  return pooled;
}

void fill_pooled(const NumberedRuns& numbered, ComparisonRow& row) {
  const auto all = pooled_runs(numbered, row.arm, [](const TaskNumbers&) { return true; });
  row.runs = all.size();
  row.median_final = median_by(all, [](const RunNumbers& run) { return run.final_share; });
  row.trials = mean_by(std::span(all), [](const RunNumbers& run) { return run.trials; });
  row.random_trials = mean_by(std::span(all), [](const RunNumbers& run) { return run.random_trials; });
  for (std::size_t goal = 0; goal < goal_shares.size(); ++goal) {
    const auto counts = [goal](const TaskNumbers& task) { return !task.within_noise[goal]; };
    fill_goal(pooled_runs(numbered, row.arm, counts), goal, row.goals[goal]);
    row.goals[goal].within_noise = !numbered.tasks.empty() && std::ranges::none_of(numbered.tasks, counts);
  }
}

/** @param tasks rows of this arm */
ComparisonRow row_over_tasks(const NumberedRuns& numbered, std::span<const ComparisonRow> tasks,
                             std::size_t arm) {
  ComparisonRow row;
  row.arm = arm;
  std::vector<ComparisonRow> with_runs;
  std::vector<ComparisonRow> with_score;
  for (const ComparisonRow& task : tasks) {
    row.unfinished += task.unfinished;
    row.failed += task.failed;
    if (task.runs > 0) with_runs.push_back(task);
    if (!std::isnan(task.score)) with_score.push_back(task);
  }
  const auto mean_of_number = [](const std::vector<ComparisonRow>& rows, double ComparisonRow::* number) {
    return mean_by(std::span(rows), [&](const ComparisonRow& of_task) { return of_task.*number; });
  };
  row.mean_final = row.final_share = mean_of_number(with_runs, &ComparisonRow::final_share);
  row.area_by_seconds = mean_of_number(with_runs, &ComparisonRow::area_by_seconds);
  row.area_by_trials = mean_of_number(with_runs, &ComparisonRow::area_by_trials);
  row.score = with_score.empty() ? not_a_number : mean_of_number(with_score, &ComparisonRow::score);
  row.confirmed = !with_runs.empty() && std::ranges::all_of(with_runs, &ComparisonRow::confirmed);
  fill_pooled(numbered, row);
  return row;
}

}  // namespace

ComparisonTable comparison_table(const ComparedRuns& runs, std::size_t baseline,
                                 const BootstrapOptions& bootstrap) {
  const NumberedRuns numbered = numbered_runs(runs);
  std::vector<ComparisonRow> by_task;
  for (std::size_t task = 0; task < runs.tasks.size(); ++task)
    for (std::size_t arm = 0; arm < runs.arms.size(); ++arm)
      by_task.push_back(row_of_task(numbered, arm, task));
  ComparisonTable table;
  table.baseline = baseline;
  table.bootstrap = bootstrap;
  table.paired_starts = runs.paired_starts;
  for (std::size_t arm = 0; arm < runs.arms.size(); ++arm) {
    std::vector<ComparisonRow> of_arm;
    for (std::size_t task = 0; task < runs.tasks.size(); ++task)
      of_arm.push_back(by_task[task * runs.arms.size() + arm]);
    table.rows.push_back(row_over_tasks(numbered, of_arm, arm));
  }
  table.tests_within_tasks = fill_tests_within_tasks(numbered, baseline, by_task);
  table.tests_over_tasks = fill_tests_over_tasks(numbered, baseline, by_task, table.rows);
  fill_intervals(numbered, baseline, bootstrap, by_task, table.rows);
  table.rows.insert(table.rows.end(), by_task.begin(), by_task.end());
  for (ComparisonRow& row : table.rows)
    for (GoalReached& goal : row.goals) goal.in_random_phase = still_random(runs.arms[row.arm], row, goal);
  return table;
}

const ComparisonRow* ComparisonTable::row(std::size_t arm, const std::optional<std::size_t>& task) const {
  const auto found = std::ranges::find_if(
      rows, [&](const ComparisonRow& one) { return one.arm == arm && one.task == task; });
  return found == rows.end() ? nullptr : &*found;
}

double row_number(const ComparisonRow& row, const ComparedMeasure& measure) {
  switch (measure.by) {
    case CompareBy::FinalPerformance:
      return row.final_share;
    case CompareBy::Score:
      return row.score;
    case CompareBy::SecondsToGoal:
      return row.goals.at(measure.goal).median_seconds;
    case CompareBy::TrialsToGoal:
      break;
  }
  return row.goals.at(measure.goal).median_trials;
}

const std::optional<ConfidenceInterval>& row_interval(const ComparisonRow& row,
                                                      const ComparedMeasure& measure) {
  switch (measure.by) {
    case CompareBy::FinalPerformance:
      return row.share_interval;
    case CompareBy::Score:
      return row.score_interval;
    case CompareBy::SecondsToGoal:
      return row.goals.at(measure.goal).seconds_interval;
    case CompareBy::TrialsToGoal:
      break;
  }
  return row.goals.at(measure.goal).trials_interval;
}

}  // namespace kernelscape::analysis
