#include "core/analysis/comparison/comparison_table.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "core/analysis/comparison/random_search.h"
#include "core/analysis/comparison/statistical_tests.h"

namespace kernelscape {
namespace {

constexpr std::array goal_shares{0.90, 0.95, 0.99};
constexpr double never = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

/** What a finished run comes to. */
struct RunNumbers {
  double final_performance = 0;
  double final_share = 0;
  std::array<double, goal_shares.size()> goal_seconds{};  ///< never: not reached
  std::array<double, goal_shares.size()> goal_trials{};
  double area_by_seconds = 0;
  double area_by_trials = 0;
  double score = 0;
};

/** What runs of a task are held against. */
struct TaskContext {
  double optimum = 0;
  double end_seconds = 0;  ///< of the longest finished run
  double end_trials = 0;
  double best_member = 0;
  std::vector<ScorePoint> score_points;
};

/** An arm on a task. */
struct Cell {
  std::vector<RunNumbers> finished;
  std::size_t unfinished = 0;
  std::size_t failed = 0;
};

bool counts(const ComparedRun& run) { return run.finished && run.error.empty(); }

double share(double performance, double optimum) { return optimum > 0 ? performance / optimum : 0; }

template <typename Item, typename Number>
std::vector<double> numbers_of(std::span<const Item> items, const Number& number) {
  std::vector<double> numbers;
  for (const Item& item : items) numbers.push_back(number(item));
  return numbers;
}

double mean(std::span<const double> values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return values.empty() ? 0 : sum / static_cast<double>(values.size());
}

/** Also of infinities, between which nothing can be interpolated. */
double median(std::vector<double> values) {
  std::ranges::sort(values);
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

TaskContext context_of(const ComparedRuns& runs, std::size_t task) {
  const ComparedTask& of_task = runs.tasks[task];
  TaskContext context;
  context.optimum = of_task.optimum;
  for (const ComparedRun& run : runs.runs) {
    if (run.task != task || !counts(run)) continue;
    context.end_seconds = std::max(context.end_seconds, run.curve.end_seconds);
    context.end_trials = std::max(context.end_trials, run.curve.end_trials);
  }
  if (of_task.members.empty()) return context;
  const RandomSearchExpectation search(of_task.members);
  context.best_member = search.optimum();
  context.score_points = score_points(search);
  return context;
}

/** Mean height of a step function from 0 to `end`. */
double mean_height(std::span<const double> steps, std::span<const double> heights, double end) {
  if (!(end > 0)) return 0;
  double area = 0;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const double next = i + 1 < steps.size() ? steps[i + 1] : end;
    area += heights[i] * (next - steps[i]);
  }
  return area / end;
}

double score_of(const BestCurve& curve, const TaskContext& task) {
  if (task.score_points.empty()) return not_a_number;
  double sum = 0;
  for (const ScorePoint& point : task.score_points) {
    sum += (curve.at_trials(point.trials) - point.expected) / (task.best_member - point.expected);
  }
  return sum / static_cast<double>(task.score_points.size());
}

RunNumbers numbers_of_run(const BestCurve& curve, const TaskContext& task) {
  RunNumbers numbers;
  numbers.final_performance = curve.best();
  numbers.final_share = share(curve.best(), task.optimum);
  for (std::size_t goal = 0; goal < goal_shares.size(); ++goal) {
    const auto reached = std::ranges::find_if(curve.performance, [&](double performance) {
      return share(performance, task.optimum) >= goal_shares[goal];
    });
    const auto step = static_cast<std::size_t>(reached - curve.performance.begin());
    const bool unreached = step == curve.performance.size();
    numbers.goal_seconds[goal] = unreached ? never : curve.seconds[step];
    numbers.goal_trials[goal] = unreached ? never : curve.trials[step];
  }
  numbers.area_by_seconds =
      share(mean_height(curve.seconds, curve.performance, task.end_seconds), task.optimum);
  numbers.area_by_trials = share(mean_height(curve.trials, curve.performance, task.end_trials), task.optimum);
  numbers.score = score_of(curve, task);
  return numbers;
}

/** By task and arm: cell task * arms + arm. */
std::vector<Cell> cells_of(const ComparedRuns& runs) {
  std::vector<TaskContext> tasks;
  for (std::size_t task = 0; task < runs.tasks.size(); ++task) tasks.push_back(context_of(runs, task));
  std::vector<Cell> cells(runs.tasks.size() * runs.arms.size());
  for (const ComparedRun& run : runs.runs) {
    Cell& cell = cells[run.task * runs.arms.size() + run.arm];
    if (counts(run))
      cell.finished.push_back(numbers_of_run(run.curve, tasks[run.task]));
    else
      ++(run.error.empty() ? cell.unfinished : cell.failed);
  }
  return cells;
}

void fill_goals(std::span<const RunNumbers> runs, ComparisonRow& row) {
  for (std::size_t goal = 0; goal < goal_shares.size(); ++goal) {
    GoalReached& reached = row.goals[goal];
    reached = {goal_shares[goal], never, never, 0, runs.size()};
    if (runs.empty()) continue;
    const auto seconds = numbers_of(runs, [&](const RunNumbers& run) { return run.goal_seconds[goal]; });
    const auto trials = numbers_of(runs, [&](const RunNumbers& run) { return run.goal_trials[goal]; });
    reached.median_seconds = median(seconds);
    reached.median_trials = median(trials);
    reached.reached = runs.size() - static_cast<std::size_t>(std::ranges::count(seconds, never));
  }
}

ComparisonRow row_of_task(const Cell& cell, std::size_t arm, std::size_t task) {
  const std::span<const RunNumbers> runs(cell.finished);
  ComparisonRow row;
  row.arm = arm;
  row.task = task;
  row.runs = runs.size();
  row.unfinished = cell.unfinished;
  row.failed = cell.failed;
  row.score = not_a_number;
  fill_goals(runs, row);
  if (runs.empty()) return row;
  const auto mean_by = [&](double RunNumbers::* number) {
    return mean(numbers_of(runs, [&](const RunNumbers& run) { return run.*number; }));
  };
  row.mean_final = mean_by(&RunNumbers::final_performance);
  row.median_final = median(numbers_of(runs, [](const RunNumbers& run) { return run.final_performance; }));
  row.final_share = mean_by(&RunNumbers::final_share);
  row.area_by_seconds = mean_by(&RunNumbers::area_by_seconds);
  row.area_by_trials = mean_by(&RunNumbers::area_by_trials);
  row.score = mean_by(&RunNumbers::score);
  return row;
}

/** @param tasks rows of one arm @param runs of this arm, on all tasks */
ComparisonRow row_over_tasks(std::span<const ComparisonRow> tasks, std::span<const RunNumbers> runs,
                             std::size_t arm) {
  ComparisonRow row;
  row.arm = arm;
  row.runs = runs.size();
  std::vector<ComparisonRow> with_runs;
  std::vector<double> scores;
  for (const ComparisonRow& task : tasks) {
    row.unfinished += task.unfinished;
    row.failed += task.failed;
    if (task.runs > 0) with_runs.push_back(task);
    if (!std::isnan(task.score)) scores.push_back(task.score);
  }
  const auto mean_by = [&](double ComparisonRow::* number) {
    return mean(numbers_of(std::span<const ComparisonRow>(with_runs),
                           [&](const ComparisonRow& task) { return task.*number; }));
  };
  row.mean_final = row.final_share = mean_by(&ComparisonRow::final_share);
  row.area_by_seconds = mean_by(&ComparisonRow::area_by_seconds);
  row.area_by_trials = mean_by(&ComparisonRow::area_by_trials);
  row.score = scores.empty() ? not_a_number : mean(scores);
  if (!runs.empty())
    row.median_final = median(numbers_of(runs, [](const RunNumbers& run) { return run.final_share; }));
  fill_goals(runs, row);
  return row;
}

std::vector<double> final_performances(const Cell& cell) {
  return numbers_of(std::span<const RunNumbers>(cell.finished),
                    [](const RunNumbers& run) { return run.final_performance; });
}

/** Tests each arm against the baseline within each task, and corrects for all of them. @param rows as cells
 */
void fill_tests(std::span<const Cell> cells, std::size_t baseline, std::span<ComparisonRow> rows) {
  std::vector<ComparisonRow*> tested;
  std::vector<double> found;
  std::vector<double> smallest;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Cell& compared = cells[i - rows[i].arm + baseline];
    if (rows[i].arm == baseline || cells[i].finished.empty() || compared.finished.empty()) continue;
    const std::vector<double> own = final_performances(cells[i]);
    const std::vector<double> other = final_performances(compared);
    rows[i].test = PairedTest{.p = mann_whitney_p(own, other), .a12 = vargha_delaney_a12(own, other)};
    tested.push_back(&rows[i]);
    found.push_back(rows[i].test->p);
    smallest.push_back(smallest_mann_whitney_p(own.size(), other.size()));
  }
  const std::vector<double> corrected = holm_correction(found);
  // The corrected p of one test never rises when another's falls: this is the most extreme outcome of all.
  const std::vector<double> attainable = holm_correction(smallest);
  for (std::size_t i = 0; i < tested.size(); ++i) {
    tested[i]->test->corrected_p = corrected[i];
    tested[i]->test->can_be_significant = attainable[i] <= significance_level;
  }
}

/** Of the mean shares of tasks on which both arms have finished runs; rows of the same tasks. */
std::optional<double> wilcoxon_over_tasks(std::span<const ComparisonRow> own,
                                          std::span<const ComparisonRow> baseline) {
  std::vector<double> differences;
  for (std::size_t task = 0; task < own.size(); ++task)
    if (own[task].runs > 0 && baseline[task].runs > 0)
      differences.push_back(own[task].final_share - baseline[task].final_share);
  if (differences.size() < 2) return {};
  return wilcoxon_signed_rank_p(differences);
}

}  // namespace

ComparisonTable comparison_table(const ComparedRuns& runs, std::size_t baseline) {
  const std::size_t arms = runs.arms.size();
  const std::vector<Cell> cells = cells_of(runs);
  std::vector<ComparisonRow> by_task;
  for (std::size_t i = 0; i < cells.size(); ++i) by_task.push_back(row_of_task(cells[i], i % arms, i / arms));
  fill_tests(cells, baseline, by_task);
  std::vector<std::vector<ComparisonRow>> by_arm(arms);
  for (const ComparisonRow& row : by_task) by_arm[row.arm].push_back(row);
  ComparisonTable table{.baseline = baseline, .rows = {}};
  for (std::size_t arm = 0; arm < arms; ++arm) {
    std::vector<RunNumbers> of_arm;
    for (std::size_t i = arm; i < cells.size(); i += arms)
      of_arm.insert(of_arm.end(), cells[i].finished.begin(), cells[i].finished.end());
    table.rows.push_back(row_over_tasks(by_arm[arm], of_arm, arm));
    if (arm != baseline) table.rows.back().wilcoxon_p = wilcoxon_over_tasks(by_arm[arm], by_arm[baseline]);
  }
  table.rows.insert(table.rows.end(), by_task.begin(), by_task.end());
  return table;
}

}  // namespace kernelscape
