#pragma once

#include <sys/stat.h>

#include <cstdint>

namespace kernelscape::graph {

/** What shows that a name still stands for the same file, and that the file was not written since. */
struct FileIdentity {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::uint64_t byte_count = 0;
  std::int64_t modified_seconds = 0;
  std::int64_t modified_nanoseconds = 0;

  bool operator==(const FileIdentity&) const = default;
};

/** Returns the identity of a file from what the system says of it. */
inline FileIdentity identity_of(const struct stat& status) {
  return {.device = status.st_dev,
          .inode = status.st_ino,
          .byte_count = static_cast<std::uint64_t>(status.st_size),
          .modified_seconds = status.st_mtim.tv_sec,
          .modified_nanoseconds = status.st_mtim.tv_nsec};
}

}  // namespace kernelscape::graph
