#pragma once

#include "core/study/execution.h"
#include "tests/gui/gui_support.h"

namespace kernelscape::gui_tests {

/** Two tuners on two tasks, twice: eight runs of 24 trials. The baseline is the second tuner. */
inline study::Definition small_study(const std::string& name = "a small study") {
  study::Definition study;
  study.name = name;
  study.arms = {{"random", "random", {}}, {"grid", "grid", {}}};
  study::Task first;
  first.task = "matmul 64x64 64x64 f32";
  study::Task second;
  second.task = "matmul 128x64 64x64 f32";
  study.tasks = {first, second};
  study.repeats = 2;
  study.budget.trials = 24;
  study.baseline = "grid";
  return study;
}

/** Stores a study and runs it with scripted measurements. */
inline store::StudyId add_study(const std::filesystem::path& database, const study::Definition& study) {
  store::Store store = *store::Store::open(database);
  const store::StudyId id = study::create_study(store, study).value();
  study::Options options;
  options.runner = run_scripted;
  study::Observer observer;
  if (!study::run_study(database, id, options, observer, session::StopRequest()))
    qFatal("the study can't be run");
  return id;
}

/** As if the runs of one tuner had reported which share of their children were members. */
inline void add_member_shares(const std::filesystem::path& database, store::StudyId study, std::size_t arm) {
  store::Store store = *store::Store::open(database);
  const std::vector<study::PlannedRun> plan = study::plan_runs(*study::stored_study(store, study));
  const std::vector<store::StudyRun> runs = *store.studies().runs(study);
  for (std::size_t run = 0; run < runs.size(); ++run) {
    if (plan[run].arm != arm) continue;
    std::vector<store::StoredSeries> values;
    for (std::int64_t trial = 2; trial < runs[run].status.trial_count; ++trial)
      values.push_back(
          {trial, "member_share", 1.0 / static_cast<double>(1 + (trial + plan[run].repeat) % 4)});
    if (!store.series().append(*runs[run].session, values)) qFatal("series can't be appended");
  }
}

}  // namespace kernelscape::gui_tests
