#include "core/base/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>

namespace kernelscape {
namespace {

namespace fs = std::filesystem;

std::unexpected<Error> cannot_write(const fs::path& path, int error) {
  const char* hint = error == ENOSPC || error == EDQUOT ? "free space there, or choose another place"
                     : error == ENOENT                  ? "make its folder first, or choose another place"
                     : error == EISDIR                  ? "name a file, not a folder"
                     : error == EFBIG                   ? "raise the file size limit (ulimit -f)"
                                                        : "choose a place that you may write";
  const auto code = error == ENOENT || error == EISDIR ? ErrorCode::InvalidArgument : ErrorCode::Environment;
  return fail(code, fmt::format("cannot write {}: {}", path.string(), std::strerror(error)), hint);
}

/** Where a link leads, so that renaming replaces the file and not the link. */
fs::path followed(const fs::path& path) {
  std::error_code ignored;
  if (!fs::is_symlink(path, ignored)) return path;
  const fs::path target = fs::weakly_canonical(path, ignored);
  return target.empty() ? path : target;
}

/** As the old file had it, else as the user's mask says. */
mode_t mode_of(const fs::path& path) {
  struct stat state{};
  if (stat(path.c_str(), &state) == 0) return state.st_mode & 07777;
  const mode_t mask = umask(0);
  umask(mask);
  return 0666 & ~mask;
}

void sync_folder(const fs::path& folder) {
  const int descriptor = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  fsync(descriptor);
  close(descriptor);
}

}  // namespace

struct AtomicFile::State {
  fs::path path;
  std::string temporary;  ///< empty: written directly
  int descriptor = -1;

  State() = default;
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() {
    if (descriptor >= 0) close(descriptor);
    if (!temporary.empty()) unlink(temporary.c_str());
  }
};

AtomicFile::AtomicFile(std::unique_ptr<State> state) : state_(std::move(state)) {}
AtomicFile::AtomicFile(AtomicFile&&) noexcept = default;
AtomicFile& AtomicFile::operator=(AtomicFile&&) noexcept = default;
AtomicFile::~AtomicFile() = default;

Result<AtomicFile> AtomicFile::create(const fs::path& path) {
  auto state = std::make_unique<State>();
  state->path = followed(path);
  std::error_code unknown;
  const fs::file_status found = fs::status(state->path, unknown);
  if (fs::is_directory(found) || !state->path.has_filename()) return cannot_write(path, EISDIR);
  if (fs::exists(found) && !fs::is_regular_file(found)) {
    state->descriptor = open(state->path.c_str(), O_WRONLY | O_CLOEXEC);
  } else {
    if (fs::exists(found) && access(state->path.c_str(), W_OK) != 0) return cannot_write(path, errno);
    const fs::path folder = state->path.has_parent_path() ? state->path.parent_path() : fs::path(".");
    state->temporary = (folder / ("." + state->path.filename().string() + ".XXXXXX")).string();
    state->descriptor = mkostemp(state->temporary.data(), O_CLOEXEC);
    if (state->descriptor < 0) state->temporary.clear();
  }
  if (state->descriptor < 0) return cannot_write(path, errno);
  if (!state->temporary.empty()) fchmod(state->descriptor, mode_of(state->path));
  return AtomicFile(std::move(state));
}

Status AtomicFile::write(std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = ::write(state_->descriptor, text.data(), text.size());
    if (count < 0 && errno != EINTR) return cannot_write(state_->path, errno);
    if (count > 0) text.remove_prefix(static_cast<std::size_t>(count));
  }
  return {};
}

Status AtomicFile::commit() {
  State& state = *state_;
  if (!state.temporary.empty() && fsync(state.descriptor) != 0) return cannot_write(state.path, errno);
  const int closed = close(std::exchange(state.descriptor, -1));
  if (closed != 0) return cannot_write(state.path, errno);
  if (state.temporary.empty()) return {};
  if (rename(state.temporary.c_str(), state.path.c_str()) != 0) return cannot_write(state.path, errno);
  state.temporary.clear();
  sync_folder(state.path.has_parent_path() ? state.path.parent_path() : fs::path("."));
  return {};
}

Status write_file_atomically(const fs::path& path, std::string_view text) {
  AtomicFile file = TRY(AtomicFile::create(path));
  TRY(file.write(text));
  return file.commit();
}

Result<std::string> read_text_file(const fs::path& path, std::uintmax_t most_bytes) {
  std::error_code error;
  const std::uintmax_t size = fs::file_size(path, error);
  if (error == std::errc::no_such_file_or_directory)
    return fail(ErrorCode::NotFound, fmt::format("there is no file {}", path.string()));
  if (error)
    return fail(ErrorCode::Environment, fmt::format("cannot read {}: {}", path.string(), error.message()));
  if (size > most_bytes) {
    return fail(ErrorCode::Corrupt,
                fmt::format("{} has {} bytes, more than {}", path.string(), size, most_bytes));
  }
  std::ifstream file(path, std::ios::binary);
  std::string text(std::istreambuf_iterator<char>(file), {});
  if (!file)
    return fail(ErrorCode::Environment, fmt::format("cannot read {}", path.string()),
                "choose a file that you may read");
  return text;
}

}  // namespace kernelscape
