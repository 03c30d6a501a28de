#include "core/analysis/comparison/run_numbers.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "core/analysis/comparison/random_search.h"

namespace kernelscape::analysis {
namespace {

constexpr double never_reached = std::numeric_limits<double>::infinity();

/** The reference values for the runs of a task. */
struct TaskScale {
  double optimum = 0;
  double final_optimum = 0;  ///< of the final results of runs
  double end_seconds = 0;    ///< of the longest finished run
  double end_trials = 0;
  double best_member = 0;
  std::vector<ScorePoint> score_points;
};

bool is_counted(const ComparedRun& run) { return run.finished && run.error.empty(); }

double share_of(double performance, double optimum) { return optimum > 0 ? performance / optimum : 0; }

TaskNumbers task_numbers(const ComparedRuns& runs, std::size_t task) {
  const ComparedTask& of_task = runs.tasks[task];
  TaskNumbers numbers;
  numbers.confirmed =
      of_task.measured && std::ranges::all_of(runs.runs, [&](const ComparedRun& run) {
        return run.task != task || !is_counted(run) || run.confirmed > 0 || run.curve.performance.empty();
      });
  for (std::size_t goal = 0; goal < goal_shares.size(); ++goal)
    numbers.within_noise[goal] = of_task.noise > 0 && 1 - goal_shares[goal] <= of_task.noise;
  numbers.final_noise = of_task.measured ? 0 : of_task.noise;
  return numbers;
}

TaskScale scale_of(const ComparedRuns& runs, std::size_t task, bool confirmed) {
  const ComparedTask& of_task = runs.tasks[task];
  TaskScale scale;
  scale.optimum = of_task.optimum;
  double best_confirmed = 0;
  for (const ComparedRun& run : runs.runs) {
    if (run.task != task || !is_counted(run)) continue;
    scale.end_seconds = std::max(scale.end_seconds, run.curve.end_seconds);
    scale.end_trials = std::max(scale.end_trials, run.curve.end_trials);
    best_confirmed = std::max(best_confirmed, run.confirmed);
  }
  scale.final_optimum = confirmed && !of_task.optimum_known ? best_confirmed : of_task.optimum;
  if (of_task.members.empty()) return scale;
  const RandomSearchExpectation search(of_task.members);
  scale.best_member = search.optimum();
  scale.score_points = score_points(search);
  // At points that no run reached, the last value of a run would be compared with a random search that
  // continues: random search itself would then be worse than random.
  std::erase_if(scale.score_points, [&](const ScorePoint& point) { return point.trials > scale.end_trials; });
  return scale;
}

/** Returns the mean height of a step function from 0 to `end`. */
double mean_height(std::span<const double> steps, std::span<const double> heights, double end) {
  if (!(end > 0)) return 0;
  double area = 0;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const double next = i + 1 < steps.size() ? steps[i + 1] : end;
    area += heights[i] * (next - steps[i]);
  }
  return area / end;
}

double score_of(const BestCurve& curve, const TaskScale& task) {
  if (task.score_points.empty()) return std::numeric_limits<double>::quiet_NaN();
  double sum = 0;
  for (const ScorePoint& point : task.score_points)
    sum += (curve.at_trials(point.trials) - point.expected) / (task.best_member - point.expected);
  return sum / static_cast<double>(task.score_points.size());
}

RunNumbers numbers_of_run(const ComparedRun& run, const TaskScale& task, bool confirmed) {
  const BestCurve& curve = run.curve;
  RunNumbers numbers;
  numbers.final_performance = confirmed ? run.confirmed : curve.best();
  numbers.final_share = share_of(numbers.final_performance, task.final_optimum);
  for (std::size_t goal = 0; goal < goal_shares.size(); ++goal) {
    const auto reached = std::ranges::find_if(curve.performance, [&](double performance) {
      return share_of(performance, task.optimum) >= goal_shares[goal];
    });
    const auto step = static_cast<std::size_t>(reached - curve.performance.begin());
    const bool unreached = step == curve.performance.size();
    numbers.goal_seconds[goal] = unreached ? never_reached : curve.seconds[step];
    numbers.goal_trials[goal] = unreached ? never_reached : curve.trials[step];
  }
  numbers.area_by_seconds =
      share_of(mean_height(curve.seconds, curve.performance, task.end_seconds), task.optimum);
  numbers.area_by_trials =
      share_of(mean_height(curve.trials, curve.performance, task.end_trials), task.optimum);
  numbers.score = score_of(curve, task);
  numbers.trials = curve.end_trials;
  return numbers;
}

}  // namespace

double run_number(const RunNumbers& run, const ComparedMeasure& measure) {
  switch (measure.by) {
    case CompareBy::FinalPerformance:
      return run.final_performance;
    case CompareBy::Score:
      return run.score;
    case CompareBy::SecondsToGoal:
      return run.goal_seconds.at(measure.goal);
    case CompareBy::TrialsToGoal:
      break;
  }
  return run.goal_trials.at(measure.goal);
}

double advantage_over(double own, double other, const ComparedMeasure& measure) {
  if (!less_is_better(measure)) return own - other;
  return own == other ? 0 : std::log(other / own);
}

NumberedRuns numbered_runs(const ComparedRuns& runs) {
  NumberedRuns numbered;
  numbered.arms = runs.arms.size();
  numbered.paired_starts = runs.paired_starts;
  numbered.cells.resize(runs.tasks.size() * runs.arms.size());
  std::vector<TaskScale> scales;
  for (std::size_t task = 0; task < runs.tasks.size(); ++task) {
    numbered.tasks.push_back(task_numbers(runs, task));
    scales.push_back(scale_of(runs, task, numbered.tasks.back().confirmed));
  }
  for (const ComparedRun& run : runs.runs) {
    RunCell& cell = numbered.cells[run.task * runs.arms.size() + run.arm];
    if (!is_counted(run)) {
      ++(run.error.empty() ? cell.unfinished : cell.failed);
      continue;
    }
    RunNumbers numbers = numbers_of_run(run, scales[run.task], numbered.tasks[run.task].confirmed);
    numbers.repeat = run.repeat;
    numbers.random_trials = std::min(numbers.trials, static_cast<double>(runs.arms[run.arm].random_phase));
    cell.finished.push_back(numbers);
  }
  return numbered;
}

}  // namespace kernelscape::analysis
