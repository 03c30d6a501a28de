#pragma once

#include <cstddef>
#include <expected>
#include <filesystem>
#include <span>
#include <string>

#include "core/base/result.h"

namespace kernelscape::base {

// The only way to read files. A stream of the standard library throws if a read fails, for example for a
// process that has ended, a failing disk or a lost network share: the test throwing_calls finds such calls.

/** A file that is open for reading, from its beginning to its end. No failure of the system throws. */
class ReadableFile {
 public:
  /** Opens a file; links are followed. Errors: those of cannot_read_file(). */
  static Result<ReadableFile> open(const std::filesystem::path& path);
  /** Takes ownership of an open descriptor. */
  explicit ReadableFile(int descriptor) : descriptor_(descriptor) {}
  ReadableFile(ReadableFile&& other) noexcept;
  ReadableFile& operator=(ReadableFile&& other) noexcept;
  ~ReadableFile();

  int descriptor() const { return descriptor_; }  ///< for calls such as fstat(); -1: nothing is open

  /** Reads until `target` is full or the file ends. @return the number of bytes read, or an errno */
  std::expected<std::size_t, int> read(std::span<char> target);
  /** Reads to the end of the file, but at most `max_bytes`. Returns an errno if a read fails. */
  std::expected<std::string, int> read_text(std::size_t max_bytes);

 private:
  int descriptor_ = -1;
};

/** Reads a file, but at most the first `max_bytes` of it. Errors: those of cannot_read_file(). */
Result<std::string> read_file_beginning(const std::filesystem::path& path, std::size_t max_bytes);

/**
 * Reads a virtual file of the system, below /proc or /sys, whose size is not known in advance. Returns an
 * empty text if it cannot be read: processes end at any time, and not every machine has every file.
 */
std::string read_system_file(const std::filesystem::path& path);

/**
 * Makes the error of a file that cannot be read, with a hint what to do: NotFound if there is no such file,
 * else InvalidArgument.
 * @param error an errno
 */
std::unexpected<Error> cannot_read_file(const std::filesystem::path& path, int error);

/**
 * Makes a path absolute. Error: InvalidArgument if it is relative and the working folder cannot be found
 * because it was deleted.
 */
Result<std::filesystem::path> absolute_path(const std::filesystem::path& path);

/** Returns true if a file of this name exists; false also if that cannot be determined. */
bool path_exists(const std::filesystem::path& path);

}  // namespace kernelscape::base
