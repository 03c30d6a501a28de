#include "core/store/owner.h"

#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <optional>
#include <sstream>

#include "core/base/read_file.h"
#include "core/base/text.h"

namespace kernelscape::store {
namespace {

std::string read_boot_id() {
  return std::string(base::trimmed(base::read_system_file("/proc/sys/kernel/random/boot_id")));
}

const std::string& this_boot() {
  static const std::string id = read_boot_id();
  return id;
}

struct ProcessStat {
  char state = '?';
  std::int64_t start = 0;
};

/**
 * Reads the state and the start time of a process. proc(5): "pid (name) state ...", the start is field 22.
 * The name may hold spaces and parentheses.
 */
std::optional<ProcessStat> read_stat(std::int64_t process_id) {
  const std::string text = base::read_system_file("/proc/" + std::to_string(process_id) + "/stat");
  const std::size_t name_end = text.rfind(')');
  if (name_end == std::string::npos) return std::nullopt;
  std::istringstream fields(text.substr(name_end + 1));
  ProcessStat stat;
  fields >> stat.state;
  constexpr int fields_between = 18;
  std::string skipped;
  for (int field = 0; field < fields_between; ++field) fields >> skipped;
  fields >> stat.start;
  return fields ? std::optional(stat) : std::nullopt;
}

}  // namespace

Owner Owner::this_process() {
  const std::int64_t process_id = getpid();
  return {process_id, this_boot(), read_stat(process_id).value_or(ProcessStat{}).start};
}

bool Owner::alive() const {
  if (boot_id != this_boot() || process_id <= 0) return false;
  if (const std::optional<ProcessStat> stat = read_stat(process_id)) {
    const bool ended = stat->state == 'Z' || stat->state == 'X';
    return !ended && stat->start == process_start;
  }
  // If /proc hides other users' processes, the error "not permitted" still shows that the process exists.
  return kill(static_cast<pid_t>(process_id), 0) != 0 && errno == EPERM;
}

}  // namespace kernelscape::store
