#include <fmt/format.h>

#include <algorithm>

#include "core/base/random.h"
#include "core/study/arm_settings.h"
#include "core/study/study.h"

namespace kernelscape::study {
namespace {

std::uint64_t seed_of(const Definition& study, const PlannedRun& run) {
  base::Random random = base::Random(study.seed).fork("task " + std::to_string(run.task));
  // The seed depends on the tuner's position, so that renaming it does not change any result.
  if (!study.paired_starts) {
    random = random.fork(study.rules == first_study_rules ? study.arms[run.arm].name
                                                          : "tuner " + std::to_string(run.arm));
  }
  random = random.fork("repeat " + std::to_string(run.repeat));
  // 53 bits, so that programs that read whole numbers as doubles read them exactly.
  return random.bits() >> 11;
}

}  // namespace

std::vector<PlannedRun> plan_runs(const Definition& study) {
  std::vector<PlannedRun> runs;
  for (int repeat = 0; repeat < study.repeats; ++repeat) {
    for (std::size_t task = 0; task < study.tasks.size(); ++task) {
      for (std::size_t arm = 0; arm < study.arms.size(); ++arm) {
        PlannedRun run{static_cast<std::int64_t>(runs.size()), arm, task, repeat, 0};
        run.seed = seed_of(study, run);
        runs.push_back(run);
      }
    }
  }
  return runs;
}

std::optional<std::int64_t> chained_run(const Definition& study, const PlannedRun& run) {
  if (!study.arms[run.arm].chain_tasks || run.task == 0) return std::nullopt;
  return run.run - std::ssize(study.arms);
}

session::TuningRequest request_of(const Definition& study, const PlannedRun& run) {
  const Task& task = study.tasks[run.task];
  const Arm& arm = study.arms[run.arm];
  session::TuningRequest request;
  request.task = task.task;
  request.target = task.target;
  request.template_name = task.template_name;
  // Studies that were stored before other templates existed keep theirs.
  request.exact = task.template_name.empty();
  request.tuner = arm.tuner;
  request.settings = settings_run_with(study, arm);
  request.budget = study.budget;
  // Every run gets the whole budget: runs of a study are compared, and their failures are data.
  request.budget.identical_failures = 0;
  request.seed = run.seed;
  request.measuring = measuring_of(study, arm);
  request.respect_limits = limits_run_with(study, arm);
  if (arm.warm_start > 0) request.warm_start = std::to_string(arm.warm_start);
  for (const std::string& source : arm.learn_from)
    if (source != task.target) request.learn_from.push_back(source);
  request.name =
      fmt::format("{}: {} on {}, {}", study.name, arm.name, task_labels(study)[run.task], run.repeat + 1);
  for (const std::string& text : task.restrictions) {
    // The restrictions of a definition were parsed when it was read.
    if (Result<session::KnobRestriction> restriction = session::parse_restriction(text); restriction)
      request.restrictions.push_back(std::move(*restriction));
  }
  return request;
}

std::size_t baseline_arm(const Definition& study) {
  const auto found = std::ranges::find(study.arms, study.baseline, &Arm::name);
  return found == study.arms.end() ? 0 : static_cast<std::size_t>(found - study.arms.begin());
}

}  // namespace kernelscape::study
