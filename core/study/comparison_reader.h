#pragma once

#include <memory>
#include <vector>

#include "core/analysis/comparison/compared_runs.h"
#include "core/study/study.h"

namespace kernelscape {

/**
 * Reads a study, or sessions that a user chose, into what the functions of comparisons take. Read again and
 * again while it runs: finished runs are read once, of the others only what is new. Used by one thread; the
 * store has to outlive it.
 *
 * A task of replays has the members that a tuner could propose; its optimum is known where the recorded space
 * is complete or another program's file. A measured task's optimum is the best that any run found, known
 * where a run visited the whole space.
 */
class ComparisonReader {
 public:
  ComparisonReader(const Store& store, StudyId study);
  /** Sessions as runs: an arm per tuner with settings, a task per task, target and space. */
  ComparisonReader(const Store& store, std::vector<SessionId> sessions);
  ~ComparisonReader();
  ComparisonReader(const ComparisonReader&) = delete;
  ComparisonReader& operator=(const ComparisonReader&) = delete;

  /**
   * Called before the first read: runs have the share of members among drawn children too, a value per trial,
   * which who shows none need not wait for.
   */
  void read_member_shares();
  /** Never null. Runs that were not begun and have no error are left out. */
  Result<std::shared_ptr<const ComparedRuns>> read();

 private:
  struct Data;
  std::unique_ptr<Data> data_;
};

}  // namespace kernelscape
