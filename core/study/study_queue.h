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

namespace kernelscape {

/**
 * The runs of a study that several threads make, in their order; but one that begins with the trials of
 * another is taken after that has ended, however it did. Any thread may ask.
 */
class StudyQueue {
 public:
  /** @param done the sessions of all runs that are done already, by the run's number */
  explicit StudyQueue(std::map<std::int64_t, SessionId> done) : done_(std::move(done)) {}

  /** Runs to be made by take(), in the place of what was there. @param before by run: chained_run() of each
   */
  void fill(std::vector<std::int64_t> runs, std::vector<std::optional<std::int64_t>> before);
  /** The position of the next run, once it may begin; none: all were taken, or close() was called. */
  std::optional<std::size_t> take();
  /** A taken run has ended. @param done its session, where it reached its end */
  void end(std::size_t position, std::optional<SessionId> done);
  /** Nothing more is taken. */
  void close();
  /** The session of a run that is done; none: it is not. */
  std::optional<SessionId> session_of(std::int64_t run) const;

 private:
  enum class Turn : std::uint8_t { Waiting, Taken, Ended };
  bool may_begin(std::size_t position) const;

  mutable std::mutex mutex_;
  std::condition_variable ended_;
  std::map<std::int64_t, SessionId> done_;
  std::vector<std::int64_t> runs_;
  std::vector<std::optional<std::size_t>> before_;  ///< positions of those that are waited for
  std::vector<Turn> turns_;
  std::size_t first_waiting_ = 0;
  bool closed_ = false;
};

}  // namespace kernelscape
