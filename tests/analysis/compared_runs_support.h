#pragma once

#include <string>
#include <vector>

#include "core/analysis/comparison/compared_runs.h"
#include "core/base/random.h"

namespace kernelscape {

/** An improvement of a run. */
struct CurveStep {
  double seconds = 0;
  double trials = 0;
  double performance = 0;
};

inline analysis::BestCurve curve_of_steps(const std::vector<CurveStep>& steps, double end_seconds,
                                          double end_trials) {
  analysis::BestCurve curve;
  for (const CurveStep& step : steps) {
    curve.seconds.push_back(step.seconds);
    curve.trials.push_back(step.trials);
    curve.performance.push_back(step.performance);
  }
  curve.end_seconds = end_seconds;
  curve.end_trials = end_trials;
  return curve;
}

inline analysis::ComparedRun finished_run(std::size_t arm, std::size_t task, int repeat,
                                          analysis::BestCurve curve) {
  analysis::ComparedRun run;
  run.arm = arm;
  run.task = task;
  run.repeat = repeat;
  run.finished = true;
  run.curve = std::move(curve);
  return run;
}

/** Arms and tasks without runs; optimum 1, which is the best there is. */
inline analysis::ComparedRuns empty_comparison(std::size_t arms, std::size_t tasks) {
  analysis::ComparedRuns runs;
  for (std::size_t arm = 0; arm < arms; ++arm) runs.arms.push_back({"arm " + std::to_string(arm), ""});
  for (std::size_t task = 0; task < tasks; ++task) {
    analysis::ComparedTask added;
    added.name = "task " + std::to_string(task);
    added.optimum = 1;
    added.optimum_known = true;
    runs.tasks.push_back(added);
  }
  return runs;
}

/** Improvements at whole seconds, sometimes several at once, sometimes none; at most `optimum`. */
inline analysis::BestCurve random_compared_curve(base::Random& random, double optimum) {
  std::vector<CurveStep> steps;
  CurveStep step{static_cast<double>(random.below(4)), static_cast<double>(1 + random.below(3)), 0};
  for (std::uint64_t left = random.below(8); left > 0; --left) {
    step.performance += (optimum - step.performance) * (0.1 + 0.9 * random.uniform());
    if (random.chance(0.1)) step.performance = optimum;
    steps.push_back(step);
    if (step.performance >= optimum) break;
    step.seconds += static_cast<double>(random.below(6));
    step.trials += static_cast<double>(1 + random.below(9));
  }
  return curve_of_steps(steps, step.seconds + static_cast<double>(random.below(5)),
                        step.trials + static_cast<double>(random.below(9)));
}

/** Every arm on every task, some runs missing, some failed, some not finished. */
inline analysis::ComparedRuns random_comparison(base::Random& random, std::size_t arms, std::size_t tasks,
                                                int repeats) {
  analysis::ComparedRuns runs = empty_comparison(arms, tasks);
  for (analysis::ComparedTask& task : runs.tasks) task.optimum = 1 + static_cast<double>(random.below(900));
  for (int repeat = 0; repeat < repeats; ++repeat) {
    for (std::size_t task = 0; task < tasks; ++task) {
      for (std::size_t arm = 0; arm < arms; ++arm) {
        if (random.chance(0.1)) continue;
        runs.runs.push_back(
            finished_run(arm, task, repeat, random_compared_curve(random, runs.tasks[task].optimum)));
        if (random.chance(0.1)) runs.runs.back().finished = false;
        if (random.chance(0.1)) runs.runs.back().error = "the recording has vanished";
      }
    }
  }
  return runs;
}

}  // namespace kernelscape
