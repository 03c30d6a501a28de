#include "core/base/processors.h"

#include <fmt/format.h>
#include <sched.h>

#include <set>
#include <string>

#include "core/base/read_file.h"

namespace kernelscape::base {
namespace {

/**
 * Returns the hardware threads of a processor's core as the system lists them, or the processor's own number
 * if it does not.
 */
std::string core_of(int processor) {
  const std::string siblings =
      read_system_file(fmt::format("/sys/devices/system/cpu/cpu{}/topology/thread_siblings_list", processor));
  return siblings.empty() ? std::to_string(processor) : siblings.substr(0, siblings.find('\n'));
}

std::vector<int> allowed_processors() {
  std::vector<int> processors;
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) == 0) {
    for (int i = 0; i < CPU_SETSIZE; ++i) {
      if (CPU_ISSET(static_cast<std::size_t>(i), &set)) processors.push_back(i);
    }
  }
  if (processors.empty()) processors.push_back(0);
  return processors;
}

}  // namespace

std::vector<int> usable_processors() {
  std::vector<int> first;
  std::vector<int> siblings;
  std::set<std::string> cores;
  for (const int processor : allowed_processors()) {
    (cores.insert(core_of(processor)).second ? first : siblings).push_back(processor);
  }
  first.insert(first.end(), siblings.begin(), siblings.end());
  return first;
}

int usable_cores() {
  std::set<std::string> cores;
  for (const int processor : allowed_processors()) cores.insert(core_of(processor));
  return static_cast<int>(cores.size());
}

}  // namespace kernelscape::base
