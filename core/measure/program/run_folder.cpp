#include "core/measure/program/run_folder.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "core/base/read_file.h"
#include "core/measure/worker/unique_fd.h"

namespace kernelscape::measure {
namespace {

/** Opens the folder that holds a file of a run; invalid if a part of its path is no folder, such as a link.
 */
UniqueFd open_parent(const std::string& folder, const std::filesystem::path& name) {
  UniqueFd parent(open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  for (const std::filesystem::path& part : name.parent_path()) {
    if (!parent.valid()) break;
    parent = UniqueFd(openat(parent.get(), part.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  }
  return parent;
}

}  // namespace

std::optional<std::string> read_run_file(const std::string& folder, const std::string& name,
                                         std::size_t max_bytes) {
  const std::filesystem::path path(name);
  const UniqueFd parent = open_parent(folder, path);
  if (!parent.valid()) return std::nullopt;
  // Opening a pipe would otherwise wait for a writer.
  const int descriptor =
      openat(parent.get(), path.filename().c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (descriptor < 0) return std::nullopt;
  base::ReadableFile file(descriptor);
  struct stat state{};
  if (fstat(descriptor, &state) != 0 || !S_ISREG(state.st_mode)) return std::nullopt;
  auto text = file.read_text(max_bytes + 1);
  if (!text || text->size() > max_bytes) return std::nullopt;
  return *std::move(text);
}

std::optional<std::uint64_t> size_of_run_file(const std::string& folder, const std::string& name) {
  const std::filesystem::path path(name);
  const UniqueFd parent = open_parent(folder, path);
  struct stat state{};
  if (!parent.valid() || fstatat(parent.get(), path.filename().c_str(), &state, AT_SYMLINK_NOFOLLOW) != 0 ||
      !S_ISREG(state.st_mode))
    return std::nullopt;
  return static_cast<std::uint64_t>(state.st_size);
}

void remove_run_file(const std::string& folder, const std::string& name) {
  const std::filesystem::path path(name);
  const UniqueFd parent = open_parent(folder, path);
  if (parent.valid()) unlinkat(parent.get(), path.filename().c_str(), 0);
}

}  // namespace kernelscape::measure
