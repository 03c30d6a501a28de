#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <system_error>

#include "core/measure/cpu/compiler.h"

namespace kernelscape {
namespace {

constexpr const char* folder_prefix = "kernelscape-build-";
constexpr std::time_t stale_after_seconds = 60;

std::string temporary_root() {
  const char* root = std::getenv("TMPDIR");
  return root != nullptr && *root != '\0' ? root : "/tmp";
}

/** Ours, untouched for a minute, and locked by nobody. */
bool is_stale(const std::filesystem::path& path) {
  struct stat state{};
  if (lstat(path.c_str(), &state) != 0 || !S_ISDIR(state.st_mode) || state.st_uid != geteuid()) return false;
  if (std::time(nullptr) - state.st_mtime < stale_after_seconds) return false;
  const UniqueFd lock(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  return lock.valid() && flock(lock.get(), LOCK_EX | LOCK_NB) == 0;
}

void sweep_stale_folders(const std::string& root) {
  std::error_code ignored;
  for (std::filesystem::directory_iterator entry(root, ignored), end; !ignored && entry != end;
       entry.increment(ignored)) {
    const std::string name = entry->path().filename().string();
    std::error_code removal;
    if (name.starts_with(folder_prefix) && is_stale(entry->path())) {
      std::filesystem::remove_all(entry->path(), removal);
    }
  }
}

}  // namespace

Result<TemporaryFolder> TemporaryFolder::make() {
  const std::string root = temporary_root();
  sweep_stale_folders(root);
  std::string path = root + "/" + folder_prefix + "XXXXXX";
  if (mkdtemp(path.data()) == nullptr) {
    return fail(ErrorCode::Environment,
                fmt::format("no folder for builds can be made in {}: {}", root, std::strerror(errno)),
                "free space there, or let TMPDIR name another folder");
  }
  UniqueFd lock(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (lock.valid()) flock(lock.get(), LOCK_SH);
  return TemporaryFolder(std::move(path), std::move(lock));
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  if (lock_.valid()) std::filesystem::remove_all(path_, ignored);
}

void TemporaryFolder::clear() const {
  std::error_code ignored;
  for (std::filesystem::directory_iterator entry(path_, ignored), end; !ignored && entry != end;
       entry.increment(ignored)) {
    std::error_code removal;
    std::filesystem::remove_all(entry->path(), removal);
  }
}

}  // namespace kernelscape
