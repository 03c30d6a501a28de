#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "core/analysis/comparison/planned_answers.h"
#include "core/store/store.h"
#include "core/study/study.h"

namespace kernelscape::study {

/**
 * Reads the facts that recorded tasks contribute to a plan, each recording once. May be used from any thread.
 */
class PlannedTaskReader {
 public:
  /**
   * Reads the members, optimum and noise of a task's recording; returns no facts for a measured task. A
   * recording that is absent or cannot be read is not an error: PlannedTask::unread gives the reason, and the
   * next call tries again.
   * @param store for recorded spaces that are named by number or name; null: there is no database
   */
  analysis::PlannedTask read(const Task& task, const std::string& name, const store::Store* store);

 private:
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<const analysis::ComparedTask>>
      known_;  ///< by target and restrictions
};

/**
 * Returns the comparison that a definition describes: arms with their batches and random phases, repeats,
 * limits. Reads and runs nothing.
 * @param study with its controls, see add_controls()
 * @param tasks in the study's order
 */
analysis::PlannedComparison planned_comparison(const Definition& study,
                                               std::vector<analysis::PlannedTask> tasks);

/** A definition with everything that is known about it before it runs. */
struct StudyPlan {
  Definition study;                        ///< with the controls that create_study() adds
  analysis::PlannedComparison comparison;  ///< without arms if the definition compares none
  /** Describes the comparison in sentences: tuners, tasks, runs and their limits, clock, tests. */
  std::vector<std::string> compared;
  std::vector<analysis::PlannedAnswer> answers;  ///< the questions that the study can and cannot decide
};

/**
 * Plans any definition, including one that cannot run here: absent recordings are reported among the answers.
 * Reads recordings (about twelve a second); runs and writes nothing.
 * @param store null: there is no database
 */
StudyPlan plan_study(const Definition& study, PlannedTaskReader& reader, const store::Store* store);

/** Returns true if the study measures kernels on this machine instead of replaying recordings. */
bool measures_here(const Definition& study);

}  // namespace kernelscape::study
