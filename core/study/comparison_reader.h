#pragma once

#include <memory>
#include <vector>

#include "core/analysis/comparison/compared_runs.h"
#include "core/study/study.h"

namespace kernelscape::study {

/**
 * Reads a study, or sessions that a user chose, as the input of the comparison functions. May be read
 * repeatedly while the study runs: reads finished runs once, and only the new trials of the others. Must be
 * used by one thread; the store must outlive the reader.
 *
 * The members of a replayed task are those that a tuner can propose; its optimum is known if the recorded
 * space is complete or another program's file. The optimum of a measured task is the best that any run found,
 * known if a run visited the whole space.
 */
class ComparisonReader {
 public:
  ComparisonReader(const store::Store& store, store::StudyId study);
  /** Compares sessions as runs: an arm per tuner with settings, a task per task, target and space. */
  ComparisonReader(const store::Store& store, std::vector<store::SessionId> sessions);
  ~ComparisonReader();
  ComparisonReader(const ComparisonReader&) = delete;
  ComparisonReader& operator=(const ComparisonReader&) = delete;

  /**
   * Makes read() also return the share of valid offspring of each trial. Must be called before the first
   * read. Callers that do not show this share need not wait for it.
   */
  void read_member_shares();
  /** Reads the runs; the result is never null. Leaves out runs that have not started and have no error. */
  Result<std::shared_ptr<const analysis::ComparedRuns>> read();

 private:
  struct Data;
  std::unique_ptr<Data> data_;
};

}  // namespace kernelscape::study
