#pragma once

#include "core/study/study_execution.h"
#include "tests/gui/gui_support.h"

namespace kernelscape::gui_tests {

/** Two tuners on two tasks, twice: eight runs of 24 trials. The baseline is the second tuner. */
inline StudyDefinition small_study(const std::string& name = "a small study") {
  StudyDefinition study;
  study.name = name;
  study.arms = {{"random", "random", {}}, {"grid", "grid", {}}};
  StudyTask first;
  first.task = "matmul 64x64 64x64 f32";
  StudyTask second;
  second.task = "matmul 128x64 64x64 f32";
  study.tasks = {first, second};
  study.repeats = 2;
  study.budget.trials = 24;
  study.baseline = "grid";
  return study;
}

/** Stores a study and runs it with scripted measurements. */
inline StudyId add_study(const std::filesystem::path& database, const StudyDefinition& study) {
  Store store = *Store::open(database);
  const StudyId id = create_study(store, study).value();
  StudyOptions options;
  options.runner = run_scripted;
  StudyObserver observer;
  if (!run_study(database, id, options, observer, StopRequest())) qFatal("the study can't be run");
  return id;
}

/** As if the runs of one tuner had reported which share of their children were members. */
inline void add_member_shares(const std::filesystem::path& database, StudyId study, std::size_t arm) {
  Store store = *Store::open(database);
  const std::vector<PlannedRun> plan = plan_runs(*stored_study(store, study));
  const std::vector<StudyRun> runs = *store.study_runs(study);
  for (std::size_t run = 0; run < runs.size(); ++run) {
    if (plan[run].arm != arm) continue;
    std::vector<StoredSeries> values;
    for (std::int64_t trial = 2; trial < runs[run].status.trial_count; ++trial)
      values.push_back(
          {trial, "member_share", 1.0 / static_cast<double>(1 + (trial + plan[run].repeat) % 4)});
    if (!store.append_series(*runs[run].session, values)) qFatal("series can't be appended");
  }
}

}  // namespace kernelscape::gui_tests
