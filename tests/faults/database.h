#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/trial/trial.h"

namespace kernelscape::faults {

/** What a database must not lose. */
struct Kept {
  std::int64_t session_count = 0;
  std::vector<trial::Trial> trials;  ///< of its first session, by number; without times of their own
  bool done = false;                 ///< that session
};

/**
 * Reads all of it, and holds it against what is true of every database: SQLite's integrity check passes,
 * trials are numbered from 0 without a gap, none stands there twice, the counters agree with them.
 * @param with_times of measurements too: those of replays are the same every time
 */
Result<Kept> read_kept(const std::filesystem::path& database, bool with_times);

/** What a database must not lose of a group of sessions, which is the only thing in it. */
struct KeptStudy {
  std::int64_t study_count = 0;
  std::vector<std::vector<trial::Trial>>
      trials;                        ///< of each run of the first, as in Kept; empty: it has no session
  std::vector<std::string> budgets;  ///< of each run: all limits that it was given, and when
  bool done = false;                 ///< all runs of the first

  std::size_t trial_count() const;
};

/** Reads all of it as read_kept() does, and finds no session elsewhere. */
Result<KeptStudy> read_kept_study(const std::filesystem::path& database);

/** Holds the lock of a writer. */
class WriteLock {
 public:
  /** Nothing is locked where the file is not there yet or somebody else writes. */
  explicit WriteLock(const std::filesystem::path& database);
  WriteLock(const WriteLock&) = delete;
  WriteLock& operator=(const WriteLock&) = delete;
  ~WriteLock();

 private:
  void* database_ = nullptr;
};

}  // namespace kernelscape::faults
