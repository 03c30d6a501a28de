#include "core/base/file.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <utility>

#include "core/base/open_database.h"
#include "core/base/read_file.h"

namespace kernelscape::base {
namespace {

namespace fs = std::filesystem;

/** Returns the target of a link, so that renaming replaces the file and not the link. */
fs::path followed(const fs::path& path) {
  std::error_code ignored;
  if (!fs::is_symlink(path, ignored)) return path;
  const fs::path target = fs::weakly_canonical(path, ignored);
  return target.empty() ? path : target;
}

/**
 * Calls `make` with unused names until it succeeds. Returns its result, or -1 with errno and an empty name.
 */
template <typename Make>
int with_new_name(std::string& name, Make make) {
  constexpr int max_attempts = 100;
  for (int attempt = 0; attempt < max_attempts; ++attempt) {
    std::uint64_t number = 0;
    if (getrandom(&number, sizeof(number), 0) != static_cast<ssize_t>(sizeof(number))) break;
    name = fmt::format(".kernelscape-{:016x}", number);
    const int made = make(name.c_str());
    if (made >= 0) return made;
    if (errno != EEXIST) break;
  }
  const int error = errno;
  name.clear();
  errno = error;
  return -1;
}

/** Returns the path in /proc of an open descriptor. */
std::string name_of_descriptor(int descriptor) { return fmt::format("/proc/self/fd/{}", descriptor); }

/**
 * Opens an unnamed file, which disappears with its process. Returns -1 if the file system does not support
 * unnamed files.
 */
int create_unnamed(int folder, mode_t mode) {
  const int file = openat(folder, ".", O_WRONLY | O_TMPFILE | O_CLOEXEC, mode);
  // The file would be lost if it could not be given a name.
  if (file < 0 || access(name_of_descriptor(file).c_str(), F_OK) == 0) return file;
  close(file);
  return -1;
}

/** Opens a new file, unnamed if possible. Returns -1 with errno if none can be created. */
int create_temporary(int folder, mode_t mode, std::string& name) {
  if (const int file = create_unnamed(folder, mode); file >= 0) return file;
  return with_new_name(name, [&](const char* tried) {
    return openat(folder, tried, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
  });
}

/** Gives an unnamed file a name. Returns 0, or -1 with errno. */
int name_temporary(int folder, int file, std::string& name) {
  return with_new_name(name, [&](const char* tried) {
    return linkat(AT_FDCWD, name_of_descriptor(file).c_str(), folder, tried, AT_SYMLINK_FOLLOW);
  });
}

void sync_folder(int folder) {
  const int readable = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (readable < 0) return;
  fsync(readable);
  close(readable);
}

/** Renames without replacing. Returns 0, or -1 with errno: EEXIST if the new name is taken. */
int rename_onto_nothing(int folder, const char* from, const char* to) {
  if (renameat2(folder, from, folder, to, RENAME_NOREPLACE) == 0) return 0;
  if (errno != EINVAL && errno != ENOSYS) return -1;
  // If the file system does not support that flag, a hard link has the same effect.
  if (linkat(folder, from, folder, to, 0) == 0) return unlinkat(folder, from, 0);
  if (errno == EEXIST) return -1;
  struct stat there{};
  if (fstatat(folder, to, &there, AT_SYMLINK_NOFOLLOW) == 0) {
    errno = EEXIST;
    return -1;
  }
  return renameat(folder, from, folder, to);
}

}  // namespace

std::unexpected<Error> cannot_write_file(const fs::path& path, int error) {
  const char* hint = error == ENOSPC || error == EDQUOT ? "free space there, or choose another path"
                     : error == ENOENT                  ? "create its folder first, or choose another path"
                     : error == EISDIR                  ? "name a file, not a folder"
                     : error == EFBIG                   ? "raise the file size limit (ulimit -f)"
                                                        : "choose a path that you may write";
  const auto code = error == ENOENT || error == EISDIR ? ErrorCode::InvalidArgument : ErrorCode::Environment;
  return fail(code, fmt::format("cannot write {}: {}", path.string(), std::strerror(error)), hint);
}

Result<OpenFolder> OpenFolder::open(const fs::path& path, const fs::path& wanted) {
  const fs::path opened = path.empty() ? fs::path(".") : path;
  // No right to list it is needed to write into it.
  const int descriptor = ::open(opened.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return cannot_write_file(wanted.empty() ? opened : wanted, errno);
  std::shared_ptr<const int> shared(new int(descriptor), [](const int* number) {
    close(*number);
    delete number;
  });
  return OpenFolder(std::move(shared), path);
}

fs::path OpenFolder::path_of(const std::string& name) const { return path_ / name; }

Result<std::vector<std::string>> OpenFolder::names() const {
  const int readable = openat(descriptor(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR* entries = readable < 0 ? nullptr : fdopendir(readable);
  if (entries == nullptr) {
    const int error = errno;
    if (readable >= 0) close(readable);
    return cannot_read_file(path_, error);
  }
  std::vector<std::string> names;
  errno = 0;
  while (const dirent* entry = readdir(entries)) {
    const std::string_view name = static_cast<const char*>(entry->d_name);
    if (name != "." && name != "..") names.emplace_back(name);
    errno = 0;
  }
  const int error = errno;
  closedir(entries);
  if (error != 0) return cannot_read_file(path_, error);
  return names;
}

Result<bool> OpenFolder::is_empty() const { return TRY(names()).empty(); }

Result<bool> OpenFolder::is_same_as(const fs::path& path) const {
  struct stat here{};
  struct stat there{};
  if (fstat(descriptor(), &here) != 0) return cannot_read_file(path_, errno);
  if (fstatat(descriptor(), path.c_str(), &there, 0) != 0) return false;
  return here.st_dev == there.st_dev && here.st_ino == there.st_ino;
}

struct AtomicFile::State {
  fs::path path;                     ///< for messages
  std::optional<OpenFolder> folder;  ///< none: written directly
  std::string name;                  ///< in the folder
  std::string temporary;             ///< in the folder; empty: it has no name yet, or no more
  int descriptor = -1;

  State() = default;
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() {
    if (descriptor >= 0) close(descriptor);
    if (!temporary.empty()) unlinkat(folder->descriptor(), temporary.c_str(), 0);
  }

  /** @param rename_file takes the folder, the old and the new name; 0, or errno says why not */
  Status finish(int (*rename_file)(int, const char*, const char*)) {
    if (folder && fsync(descriptor) != 0) return cannot_write_file(path, errno);
    // Only a named file can replace another. A process that is killed before this point leaves no file
    // behind.
    if (folder && temporary.empty() && name_temporary(folder->descriptor(), descriptor, temporary) != 0)
      return cannot_write_file(path, errno);
    if (close(std::exchange(descriptor, -1)) != 0) return cannot_write_file(path, errno);
    if (!folder) return {};
    if (rename_file(folder->descriptor(), temporary.c_str(), name.c_str()) != 0) {
      if (errno != EEXIST) return cannot_write_file(path, errno);
      return fail(ErrorCode::Occupied,
                  fmt::format("{} was created by another program meanwhile", path.string()),
                  "check it, and name another file if you need it");
    }
    temporary.clear();
    sync_folder(folder->descriptor());
    return {};
  }
};

AtomicFile::AtomicFile(std::unique_ptr<State> state) : state_(std::move(state)) {}
AtomicFile::AtomicFile(AtomicFile&&) noexcept = default;
AtomicFile& AtomicFile::operator=(AtomicFile&&) noexcept = default;
AtomicFile::~AtomicFile() = default;

Result<AtomicFile> AtomicFile::create(const fs::path& path) {
  const fs::path target = followed(path);
  std::error_code unknown;
  const fs::file_status found = fs::status(target, unknown);
  if (fs::is_directory(found) || !target.has_filename()) return cannot_write_file(path, EISDIR);
  if (fs::exists(found) && !fs::is_regular_file(found)) {
    const int descriptor = open(target.c_str(), O_WRONLY | O_CLOEXEC);
    if (descriptor < 0) return cannot_write_file(path, errno);
    return onto(descriptor, path);
  }
  const OpenFolder folder = TRY(OpenFolder::open(target.parent_path(), path));
  return create_in(folder, target.filename());
}

Result<AtomicFile> AtomicFile::create_in(const OpenFolder& folder, const std::string& name,
                                         ReplacedMode mode) {
  auto state = std::make_unique<State>();
  state->path = folder.path_of(name);
  state->name = name;
  state->folder = folder;
  struct stat there{};
  const bool exists = fstatat(folder.descriptor(), name.c_str(), &there, AT_SYMLINK_NOFOLLOW) == 0;
  if (exists && S_ISDIR(there.st_mode)) return cannot_write_file(state->path, EISDIR);
  const bool replaces = exists && S_ISREG(there.st_mode);
  // A file that was locked against writing is not replaced either.
  if (replaces && faccessat(folder.descriptor(), name.c_str(), W_OK, 0) != 0)
    return cannot_write_file(state->path, errno);
  // A new file is as the user's mask says; a replaced one stays as closed as it was from the beginning.
  const bool keeps_mode = replaces && mode == ReplacedMode::Kept;
  const mode_t first_mode = keeps_mode ? 0600 : replaces ? there.st_mode & 0644 : 0666;
  state->descriptor = create_temporary(folder.descriptor(), first_mode, state->temporary);
  if (state->descriptor < 0) return cannot_write_file(state->path, errno);
  if (keeps_mode) fchmod(state->descriptor, there.st_mode & 0777);
  return AtomicFile(std::move(state));
}

AtomicFile AtomicFile::onto(int descriptor, fs::path path) {
  auto state = std::make_unique<State>();
  state->path = std::move(path);
  state->descriptor = descriptor;
  return AtomicFile(std::move(state));
}

Status AtomicFile::write(std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = ::write(state_->descriptor, text.data(), text.size());
    if (count < 0 && errno != EINTR) return cannot_write_file(state_->path, errno);
    if (count > 0) text.remove_prefix(static_cast<std::size_t>(count));
  }
  return {};
}

Status AtomicFile::commit() {
  return state_->finish(
      [](int folder, const char* from, const char* to) { return renameat(folder, from, folder, to); });
}

Status AtomicFile::commit_as_new() { return state_->finish(rename_onto_nothing); }

Status write_file_atomically(const fs::path& path, std::string_view text) {
  AtomicFile file = TRY(AtomicFile::create(path));
  TRY(file.write(text));
  return file.commit();
}

Result<std::string> read_text_file(const fs::path& path, std::uintmax_t max_bytes) {
  std::error_code error;
  const std::uintmax_t size = fs::file_size(path, error);
  if (error == std::errc::no_such_file_or_directory)
    return fail(ErrorCode::NotFound, fmt::format("there is no file {}", path.string()));
  if (error) return cannot_read_file(path, error.value());
  if (size > max_bytes) {
    return fail(ErrorCode::Corrupt,
                fmt::format("{} has {} bytes, more than {}", path.string(), size, max_bytes));
  }
  TRY(check_no_open_database(path));
  return read_file_beginning(path, max_bytes);
}

Result<std::optional<std::string>> read_beginning_in(const OpenFolder& folder, const std::string& name,
                                                     std::size_t max_bytes) {
  const fs::path path = folder.path_of(name);
  struct stat state{};
  if (fstatat(folder.descriptor(), name.c_str(), &state, AT_SYMLINK_NOFOLLOW) == 0)
    TRY(check_no_open_database(path, state));
  ReadableFile file(
      openat(folder.descriptor(), name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (file.descriptor() < 0 && errno == ENOENT) return std::nullopt;
  if (file.descriptor() < 0 && errno != ELOOP) return cannot_read_file(path, errno);
  if (file.descriptor() < 0 || fstat(file.descriptor(), &state) != 0 || !S_ISREG(state.st_mode)) {
    return fail(ErrorCode::Refused, fmt::format("{} is not a regular file", path.string()),
                "links, folders and devices are neither followed nor replaced there: remove it");
  }
  std::expected<std::string, int> text =
      file.read_text(std::min(static_cast<std::size_t>(state.st_size), max_bytes));
  if (!text) return cannot_read_file(path, text.error());
  return *std::move(text);
}

}  // namespace kernelscape::base
