#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace kernelscape::faults {

/** What runs longer hangs. */
inline constexpr std::chrono::seconds longest_run{240};

/** How a program ended. */
struct Ended {
  int code = -1;   ///< its exit code; -1: a signal ended it
  int signal = 0;  ///< that ended it; 0: none
  std::string output;
  std::string error;
  bool late = false;  ///< it had to be killed, since its time was over
};

/**
 * The built program in a session of its own (setsid), so that all it starts can be found and killed. What it
 * prints goes to files, so that nobody has to read while it runs.
 */
class Program {
 public:
  /** @param max_file_bytes what it may write into one file (RLIMIT_FSIZE); 0: no limit */
  Program(const std::filesystem::path& folder, const std::vector<std::string>& arguments,
          std::uint64_t max_file_bytes = 0);
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;
  ~Program();

  /** Waits so long for its end. @return whether it ended */
  bool ended_within(std::chrono::milliseconds time);
  /** To the program alone, not to its workers. */
  void send(int signal) const;
  /** What it started and what these started, as far as they live. */
  std::vector<pid_t> others() const;
  /** The worker processes among them. */
  std::vector<pid_t> workers() const;
  /** Waits for its end; kills it and says so where that takes longer. */
  Ended wait(std::chrono::seconds most);

 private:
  std::filesystem::path folder_;
  pid_t process_ = -1;
  bool reaped_ = false;
  int status_ = 0;
};

/** Whether a worker of this process id lives. */
bool is_worker(pid_t process);

/** What a user relies on does not hold. */
std::unexpected<Error> broken(std::string what);
/** A command should not have ended so. */
std::unexpected<Error> wrong_end(std::string_view command, const Ended& ended);

/** Runs it to its end. */
Ended run(const std::filesystem::path& folder, const std::vector<std::string>& arguments,
          std::uint64_t max_file_bytes = 0);

}  // namespace kernelscape::faults
