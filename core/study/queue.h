#pragma once

#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "core/store/identifiers.h"
#include "core/study/study.h"

namespace kernelscape::study {

/**
 * Distributes the runs of a study to several threads in order. A run that starts with the trials of another
 * run is taken after that run has ended, whatever its result. May be used from any thread.
 */
class Queue {
 public:
  /** @param done the sessions of all runs that are already done, by the run's number */
  explicit Queue(std::map<std::int64_t, store::SessionId> done) : done_(std::move(done)) {}

  /** Replaces the runs that take() returns. @param before by run: chained_run() of each */
  void fill(std::vector<std::int64_t> runs, std::vector<std::optional<std::int64_t>> before);
  /**
   * Waits until the next run may start and returns its position, or nullopt if all runs were taken or close()
   * was called.
   */
  std::optional<std::size_t> take();
  /** Reports that a taken run has ended. @param done its session if the run is done */
  void end(std::size_t position, std::optional<store::SessionId> done);
  /** Makes all further calls of take() return nullopt. */
  void close();
  /** Returns the session of a run that is done, or nullopt if it is not. */
  std::optional<store::SessionId> session_of(std::int64_t run) const;

 private:
  enum class Turn : std::uint8_t { Waiting, Taken, Ended };
  bool may_begin(std::size_t position) const;

  mutable std::mutex mutex_;
  std::condition_variable ended_;
  std::map<std::int64_t, store::SessionId> done_;
  std::vector<std::int64_t> runs_;
  std::vector<std::optional<std::size_t>> before_;  ///< positions of the runs that must end before
  std::vector<Turn> turns_;
  std::size_t first_waiting_ = 0;
  bool closed_ = false;
};

}  // namespace kernelscape::study
