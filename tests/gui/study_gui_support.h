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

}  // namespace kernelscape::gui_tests
