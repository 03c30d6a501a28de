#include "core/base/process_threads.h"

#include <charconv>
#include <filesystem>
#include <string>
#include <system_error>

namespace kernelscape::base {

std::vector<pid_t> process_threads() {
  std::vector<pid_t> threads;
  std::error_code error;
  for (std::filesystem::directory_iterator entry("/proc/self/task", error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    pid_t thread = 0;
    const auto [rest, problem] = std::from_chars(name.data(), name.data() + name.size(), thread);
    if (problem == std::errc() && rest == name.data() + name.size()) threads.push_back(thread);
  }
  return threads;
}

}  // namespace kernelscape::base
