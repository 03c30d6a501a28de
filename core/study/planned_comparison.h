#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "core/analysis/comparison/planned_answers.h"
#include "core/store/store.h"
#include "core/study/study.h"

namespace kernelscape {

/** Reads what recorded tasks tell of a plan, each once. Any thread may ask. */
class PlannedTaskReader {
 public:
  /**
   * Members, optimum and noise of a task's recording; of a measured task nothing. A recording that is absent
   * or cannot be read is no error: PlannedTask::unread says why. Such are looked for again the next time.
   * @param store for recorded spaces that are named by number or name; null: there is no database
   */
  PlannedTask read(const StudyTask& task, const std::string& name, const Store* store);

 private:
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<const ComparedTask>> known_;  ///< by target and restrictions
};

/**
 * A comparison as its definition has it: arms with their batches and random phases, repeats, limits. Nothing
 * is looked up or run.
 * @param study with its controls, see add_controls()
 * @param tasks in its order
 */
PlannedComparison planned_comparison(const StudyDefinition& study, std::vector<PlannedTask> tasks);

/** A definition with all that can be said of it before it runs. */
struct StudyPlan {
  StudyDefinition study;         ///< with the controls that are added when it is created
  PlannedComparison comparison;  ///< without arms where the definition compares none
  /** What is compared, as sentences: tuners, tasks, runs and their limits, clock, tests. */
  std::vector<std::string> compared;
  std::vector<PlannedAnswer> answers;  ///< what it can and cannot decide
};

/**
 * Of any definition, also one that could not run here: recordings that are absent are told among the answers.
 * Reads recordings, a second for twelve; runs nothing and writes nothing.
 * @param store null: there is no database
 */
StudyPlan plan_study(const StudyDefinition& study, PlannedTaskReader& reader, const Store* store);

/** Whether kernels are measured on this machine, not replayed. */
bool measures_here(const StudyDefinition& study);

}  // namespace kernelscape
