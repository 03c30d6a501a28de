#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace kernelscape::gpu_proof {

/** How a program is started, watched and ended. */
struct ChildOptions {
  double seconds = 60;        ///< then it is asked to end (SIGINT), as when a visitor presses Ctrl+C
  double grace_seconds = 10;  ///< then it and all that it started are killed
  std::map<std::string, std::string> environment{};      ///< set; an empty value unsets
  std::string log_file{};                                ///< gets what it writes; empty: nobody does
  std::function<void(std::string_view line)> on_line{};  ///< of what it writes, both streams
  std::function<void()> on_tick{};                       ///< about once a second
};

/** How it ended. */
struct ChildEnded {
  int code = -1;      ///< exit status; 128 + signal; 127: it could not be started
  bool late = false;  ///< it was asked to end
  double seconds = 0;
  std::string output;  ///< the last of what it wrote
};

/** Runs a program to its end, in a session of its own. */
ChildEnded run_child(const std::vector<std::string>& words, const ChildOptions& options);

/** From now on SIGINT, SIGTERM and SIGHUP are handed on to what run_child() runs, and kept in mind. */
void watch_signals();
/** Whether one came. */
bool stop_asked();

/** Where the program lies on the PATH or in one of these folders; empty: nowhere. */
std::string find_program(const std::string& name, const std::vector<std::string>& folders = {});

}  // namespace kernelscape::gpu_proof
