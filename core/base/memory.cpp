#include "core/base/memory.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <exception>
#include <filesystem>
#include <limits>
#include <mutex>
#include <new>
#include <sstream>
#include <string>
#include <utility>

#include "core/base/read_file.h"

namespace kernelscape::base {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t no_memory_limit = std::numeric_limits<std::uint64_t>::max();

/**
 * Returns the number after a name in a file of "name number" lines, or `otherwise` if the name is missing.
 */
std::uint64_t named_number(const fs::path& file, std::string_view name, std::uint64_t otherwise) {
  std::istringstream lines(read_system_file(file));
  for (std::string word; lines >> word;) {
    std::uint64_t number = 0;
    if (word == name && lines >> number) return number;
    lines.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
  }
  return otherwise;
}

/** "max" and a missing file are no limit. */
std::uint64_t only_number(const fs::path& file) {
  std::uint64_t number = 0;
  return std::istringstream(read_system_file(file)) >> number ? number : no_memory_limit;
}

std::uint64_t difference(std::uint64_t limit, std::uint64_t used) { return limit > used ? limit - used : 0; }

std::uint64_t free_on_machine() {
  const std::uint64_t kibibytes = named_number("/proc/meminfo", "MemAvailable:", no_memory_limit);
  return kibibytes == no_memory_limit ? no_memory_limit : kibibytes * 1024;
}

/** The page cache is freed when memory is needed. */
std::uint64_t free_in_group(const fs::path& folder, const char* limit, const char* used, const char* cached) {
  const std::uint64_t most = only_number(folder / limit);
  const std::uint64_t taken = only_number(folder / used);
  if (most == no_memory_limit || taken == no_memory_limit) return no_memory_limit;
  return difference(most, difference(taken, named_number(folder / "memory.stat", cached, 0)));
}

/** Control groups, version 2: that of the process and all around it. */
std::uint64_t free_in_groups() {
  const fs::path root = "/sys/fs/cgroup";
  std::uint64_t least = no_memory_limit;
  std::istringstream groups(read_system_file("/proc/self/cgroup"));
  for (std::string line; std::getline(groups, line);) {
    if (!line.starts_with("0::/")) continue;
    for (fs::path group = line.substr(4);; group = group.parent_path()) {
      least = std::min(least, free_in_group(root / group, "memory.max", "memory.current", "inactive_file"));
      if (group.empty()) break;
    }
  }
  return std::min(least, free_in_group(root / "memory", "memory.limit_in_bytes", "memory.usage_in_bytes",
                                       "total_inactive_file"));
}

std::uint64_t free_addresses() {
  struct rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return no_memory_limit;
  const std::uint64_t pages = only_number("/proc/self/statm");
  if (pages == no_memory_limit) return limit.rlim_cur;
  return difference(limit.rlim_cur, pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)));
}

/** Reserved addresses: they cost no memory as long as no page of them is touched. */
struct Reserve {
  std::mutex mutex;
  void* begin = nullptr;
  std::size_t bytes = 0;
};

Reserve& reserve() {
  static Reserve only;
  return only;
}

/** Called if `operator new` finds no memory; returning makes it try again. */
void find_memory() {
  // Otherwise the exception is about to be thrown, and unwinding may use the reserve.
  if (std::uncaught_exceptions() > 0 && spend_memory_reserve()) return;
  throw std::bad_alloc();
}

}  // namespace

std::uint64_t available_memory_bytes() {
  constexpr std::uint64_t where_unknown = 1ULL << 30;
  const std::uint64_t least = std::min({free_on_machine(), free_in_groups(), free_addresses()});
  return least == no_memory_limit ? where_unknown : least;
}

Error out_of_memory(std::string_view what) {
  return {ErrorCode::Environment, fmt::format("there is not enough memory for {}", what),
          "close other programs, or allow this one more memory (ulimit -v)"};
}

Error out_of_threads(std::string_view what) {
  return {ErrorCode::Environment, fmt::format("no thread can be started for {}", what),
          "close other programs, or allow this one more processes (ulimit -u) and memory (ulimit -v)"};
}

Error internal_error(std::string_view what, std::string_view reason) {
  return {ErrorCode::Internal, fmt::format("{} ended by an internal error: {}", what, reason),
          "everything stored before is kept; try again, and report this message if it occurs again"};
}

void keep_memory_reserve() {
  constexpr std::size_t max_bytes = 8 << 20;
  constexpr std::size_t min_bytes = 64 << 10;
  Reserve& kept = reserve();
  const std::scoped_lock lock(kept.mutex);
  std::set_new_handler(find_memory);
  for (std::size_t bytes = max_bytes; kept.begin == nullptr && bytes >= min_bytes; bytes /= 2) {
    void* const begin = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (begin == MAP_FAILED) continue;
    kept.begin = begin;
    kept.bytes = bytes;
  }
}

bool spend_memory_reserve() noexcept {
  Reserve& kept = reserve();
  const std::scoped_lock lock(kept.mutex);
  void* const begin = std::exchange(kept.begin, nullptr);
  return begin != nullptr && munmap(begin, kept.bytes) == 0;
}

}  // namespace kernelscape::base
