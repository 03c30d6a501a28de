#pragma once

#include <cstddef>
#include <expected>
#include <filesystem>
#include <span>
#include <string>

#include "core/base/result.h"

namespace kernelscape {

// The one way to read files. A stream of the standard library throws where a read fails, as it does of a
// process that has ended, a failing disk or a network share that is gone: the test throwing_calls finds
// those.

/** A file that is open for reading, from its beginning to its end. No failure of the system throws. */
class ReadableFile {
 public:
  /** Opens a file; links are followed. Errors: those of cannot_read_file(). */
  static Result<ReadableFile> open(const std::filesystem::path& path);
  /** Takes over an open descriptor, and closes it. */
  explicit ReadableFile(int descriptor) : descriptor_(descriptor) {}
  ReadableFile(ReadableFile&& other) noexcept;
  ReadableFile& operator=(ReadableFile&& other) noexcept;
  ~ReadableFile();

  int descriptor() const { return descriptor_; }  ///< for calls such as fstat(); -1: nothing is open

  /** Fills `target` as far as the file goes. @return the bytes read, fewer at its end; or an errno */
  std::expected<std::size_t, int> read(std::span<char> target);
  /** Reads to the end of the file, but at most `max_bytes`; or an errno. */
  std::expected<std::string, int> read_text(std::size_t max_bytes);

 private:
  int descriptor_ = -1;
};

/** Reads a file, but at most the first `max_bytes` of it. Errors: those of cannot_read_file(). */
Result<std::string> read_file_beginning(const std::filesystem::path& path, std::size_t max_bytes);

/**
 * Reads a file that the system makes, below /proc or /sys, whose size is not known before. Returns an empty
 * text if it cannot be read: processes end at any time, and not every machine has every file.
 */
std::string read_system_file(const std::filesystem::path& path);

/**
 * Makes the error of a file that cannot be read, with the way out. NotFound where nothing has this name, else
 * InvalidArgument. @param error an errno
 */
std::unexpected<Error> cannot_read_file(const std::filesystem::path& path, int error);

/**
 * Makes a path absolute. Error: InvalidArgument where it is relative and the folder in which this process
 * runs cannot be found, since it was deleted.
 */
Result<std::filesystem::path> absolute_path(const std::filesystem::path& path);

/** Returns true if something has this name, and false also where that cannot be found out. */
bool path_exists(const std::filesystem::path& path);

}  // namespace kernelscape
