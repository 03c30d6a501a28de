#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace kernelscape {

/**
 * A text file that appears whole or not at all: written beside its place and renamed onto it by commit().
 * Without commit() nothing changes. A link is followed; what is no regular file (a device, a pipe) is written
 * directly. Every error names the path, the reason and the way out.
 */
class AtomicFile {
 public:
  /**
   * Opens the file beside `path`. Errors: InvalidArgument where `path` is a folder or its folder is missing,
   * Environment where it can't be written.
   */
  static Result<AtomicFile> create(const std::filesystem::path& path);
  AtomicFile(AtomicFile&&) noexcept;
  AtomicFile& operator=(AtomicFile&&) noexcept;
  ~AtomicFile();

  /** Appends; may be called often. Error: Environment, a full disk among them. */
  Status write(std::string_view text);
  /** Brings the text to the disk and renames it into place; nothing can be written after. */
  Status commit();

 private:
  struct State;
  explicit AtomicFile(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/** Replaces the file by `text`, or leaves it as it is. */
Status write_file_atomically(const std::filesystem::path& path, std::string_view text);

/** The whole text of a regular file of at most `most_bytes`. Errors: NotFound, or why it can't be read. */
Result<std::string> read_text_file(const std::filesystem::path& path, std::uintmax_t most_bytes);

}  // namespace kernelscape
