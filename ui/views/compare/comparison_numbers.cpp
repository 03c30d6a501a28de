#include "ui/views/compare/comparison_numbers.h"

#include <algorithm>

namespace kernelscape {
namespace {

constexpr std::size_t grid_points = 256;
constexpr std::size_t small_grid_points = 96;

/** Without the runs that are hidden. */
ComparedRuns counted_runs(const ComparedRuns& runs, const std::set<std::int64_t>& hidden) {
  ComparedRuns counted = runs;
  std::erase_if(counted.runs, [&](const ComparedRun& run) { return hidden.contains(run.session); });
  return counted;
}

ComparedRuns runs_of_task(const ComparedRuns& runs, std::size_t task) {
  ComparedRuns some{runs.title, runs.arms, runs.tasks, {}, runs.planned_runs};
  std::ranges::copy_if(runs.runs, std::back_inserter(some.runs),
                       [&](const ComparedRun& run) { return run.task == task; });
  return some;
}

bool optimum_known(const ComparedRuns& runs, std::optional<std::size_t> task) {
  if (task) return runs.tasks[*task].optimum_known;
  return std::ranges::all_of(runs.tasks, &ComparedTask::optimum_known);
}

CompareCurveData curve_data(const ComparedRuns& runs, const ComparisonChoice& choice,
                            std::optional<std::size_t> task, CompareY y, std::size_t points) {
  CompareCurveData data;
  data.axis = choice.axis;
  data.y = y;
  data.optimum_known = optimum_known(runs, task);
  data.task_count = runs.tasks.size();
  data.baseline = QString::fromStdString(runs.arms[choice.baseline].name);
  data.optimum = 1;
  if (task) {
    const ComparedTask& of = runs.tasks[*task];
    data.task = QString::fromStdString(of.name);
    data.unit = of.floating_flops ? QStringLiteral("GFLOPS") : QStringLiteral("calls/s");
    if (y == CompareY::Performance) data.optimum = of.optimum;
  }
  const std::vector<double> grid = curve_grid(runs, task, choice.axis, points, choice.logarithmic);
  for (std::size_t arm = 0; arm < runs.arms.size(); ++arm)
    data.curves.push_back({arm, QString::fromStdString(runs.arms[arm].name),
                           aggregate_curve(runs, {arm, task}, choice.axis, y, grid, choice.baseline)});
  return data;
}

}  // namespace

std::optional<ComparisonNumbers> comparison_numbers(const ComparedRuns& all, const ComparisonChoice& choice,
                                                    const std::function<bool()>& proceed) {
  const ComparedRuns runs = counted_runs(all, choice.hidden_sessions);
  const std::optional<std::size_t> task =
      runs.tasks.size() == 1 ? std::optional(std::size_t{0}) : choice.task;
  const CompareY y = choice.performance && task ? CompareY::Performance : CompareY::ShareOfOptimum;
  ComparisonNumbers numbers;
  numbers.curves = curve_data(runs, choice, task, y, grid_points);
  if (!proceed()) return std::nullopt;
  numbers.speed_ups = curve_data(runs, choice, task, CompareY::SpeedUp, grid_points);
  for (std::size_t each = 0; each < runs.tasks.size(); ++each) {
    if (!proceed()) return std::nullopt;
    numbers.tasks.push_back(curve_data(runs, choice, each, CompareY::ShareOfOptimum, small_grid_points));
  }
  const ComparedRuns of_task = task ? runs_of_task(runs, *task) : ComparedRuns();
  const ComparedRuns& chosen = task ? of_task : runs;
  for (std::size_t arm = 0; arm < runs.arms.size(); ++arm) {
    const QString name = QString::fromStdString(runs.arms[arm].name);
    numbers.phases.push_back({arm, name, phase_times(chosen, arm)});
    numbers.categories.push_back({arm, name, category_shares(chosen, arm)});
  }
  if (!proceed()) return std::nullopt;
  numbers.table = comparison_table(runs, choice.baseline);
  return numbers;
}

}  // namespace kernelscape
