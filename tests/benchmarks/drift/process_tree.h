#pragma once

#include <fmt/format.h>
#include <signal.h>  // NOLINT(modernize-deprecated-headers): kill is not of <csignal>
#include <sys/types.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

/** The processes that a process has started, to stop and continue them together. */
namespace kernelscape::drift {

/** Appends the children of a process, their children and so on, as far as they still live. */
inline void append_descendants(pid_t process, std::vector<pid_t>& found) {
  std::error_code error;
  std::filesystem::directory_iterator thread(fmt::format("/proc/{}/task", process), error);
  for (const std::filesystem::directory_iterator end; !error && thread != end; thread.increment(error)) {
    std::ifstream children(thread->path() / "children");
    for (pid_t child = 0; children >> child;) {
      if (std::ranges::find(found, child) != found.end()) continue;
      found.push_back(child);
      append_descendants(child, found);
    }
  }
}

inline void signal_all(const std::vector<pid_t>& processes, int signal) {
  for (const pid_t process : processes) kill(process, signal);
}

/**
 * Stops all descendants of a process, and the process itself if `whole`. A descendant that is started
 * meanwhile is found in the next round.
 * @return the processes that were stopped, to be continued
 */
inline std::vector<pid_t> stop_tree(pid_t root, bool whole) {
  std::vector<pid_t> stopped;
  if (whole) {
    stopped.push_back(root);
    kill(root, SIGSTOP);
  }
  for (std::size_t before = stopped.size() + 1; before != stopped.size();) {
    before = stopped.size();
    std::vector<pid_t> found;
    append_descendants(root, found);
    for (const pid_t process : found) {
      if (std::ranges::find(stopped, process) != stopped.end()) continue;
      kill(process, SIGSTOP);
      stopped.push_back(process);
    }
  }
  return stopped;
}

}  // namespace kernelscape::drift
