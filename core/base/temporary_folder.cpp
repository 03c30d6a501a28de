#include "core/base/temporary_folder.h"

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
#include <utility>

#include "core/base/read_file.h"
#include "core/base/visible_text.h"

namespace kernelscape::base {
namespace {

constexpr std::string_view folder_prefix = "kernelscape-";
constexpr std::size_t longest_path = 300;  // in messages
constexpr std::time_t stale_after_seconds = 60;

/** Returns an absolute path, since compilers run in other folders. A relative TMPDIR is one of the folder in
 * which the program was started. */
Result<std::string> temporary_root() {
  const char* named = std::getenv("TMPDIR");
  if (named == nullptr || *named == '\0') return "/tmp";
  if (const auto root = absolute_path(named)) return root->string();
  return fail(ErrorCode::Environment,
              fmt::format("TMPDIR is the relative path {}, and the current folder cannot be found",
                          quoted_line(named)),
              "Let TMPDIR name an absolute path.");
}

/** Returns true if the folder is owned by this user, unchanged for a minute, and not locked. */
bool is_stale(const std::filesystem::path& path) {
  struct stat state{};
  if (lstat(path.c_str(), &state) != 0 || !S_ISDIR(state.st_mode) || state.st_uid != geteuid()) return false;
  if (std::time(nullptr) - state.st_mtime < stale_after_seconds) return false;
  const int lock = open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (lock < 0) return false;
  const bool unused = flock(lock, LOCK_EX | LOCK_NB) == 0;
  close(lock);
  return unused;
}

void sweep_stale_folders(const std::string& root, const std::string& prefix) {
  std::error_code ignored;
  for (std::filesystem::directory_iterator entry(root, ignored), end; !ignored && entry != end;
       entry.increment(ignored)) {
    const std::string name = entry->path().filename().string();
    std::error_code removal;
    if (name.starts_with(prefix) && is_stale(entry->path())) {
      std::filesystem::remove_all(entry->path(), removal);
    }
  }
}

}  // namespace

Result<TemporaryFolder> TemporaryFolder::make(std::string_view purpose) {
  const std::string root = TRY(temporary_root());
  const std::string prefix = fmt::format("{}{}-", folder_prefix, purpose);
  sweep_stale_folders(root, prefix);
  std::string path = root + "/" + prefix + "XXXXXX";
  if (mkdtemp(path.data()) == nullptr) {
    return fail(ErrorCode::Environment,
                fmt::format("no temporary folder can be created in {}: {}", one_line(root, longest_path),
                            std::strerror(errno)),
                errno == ENOSPC || errno == EDQUOT
                    ? "Free space there, or set TMPDIR to another folder."
                    : "Set TMPDIR to a folder in which files can be created, or unset it to use /tmp.");
  }
  const int lock = open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (lock >= 0) flock(lock, LOCK_SH);
  return TemporaryFolder(std::move(path), lock);
}

TemporaryFolder::TemporaryFolder(TemporaryFolder&& other) noexcept
    : path_(std::move(other.path_)), lock_(std::exchange(other.lock_, -1)) {}

TemporaryFolder& TemporaryFolder::operator=(TemporaryFolder&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(lock_, other.lock_);
  return *this;
}

TemporaryFolder::~TemporaryFolder() {
  if (lock_ < 0) return;
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
  close(lock_);
}

void TemporaryFolder::clear() const {
  std::error_code ignored;
  for (std::filesystem::directory_iterator entry(path_, ignored), end; !ignored && entry != end;
       entry.increment(ignored)) {
    std::error_code removal;
    std::filesystem::remove_all(entry->path(), removal);
  }
}

}  // namespace kernelscape::base
