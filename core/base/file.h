#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace kernelscape::base {

/**
 * A folder that was opened once. If another program renames or replaces the folder or one above it,
 * operations through this object still act on the opened folder. Copies share the descriptor.
 */
class OpenFolder {
 public:
  /**
   * Opens a folder and follows links; "" is the working folder. Errors: InvalidArgument if there is no such
   * folder, Environment if it cannot be opened.
   * @param wanted the file to be written in the folder, which errors name; empty: errors name the folder
   */
  static Result<OpenFolder> open(const std::filesystem::path& path, const std::filesystem::path& wanted = {});

  int descriptor() const { return *descriptor_; }              ///< for calls such as openat()
  const std::filesystem::path& path() const { return path_; }  ///< the path it was opened by, for messages
  std::filesystem::path path_of(
      const std::string& name) const;  ///< path of a file in the folder, for messages
  /**
   * Returns the names of all entries of the folder, in no order. Error: Environment if it cannot be listed.
   */
  Result<std::vector<std::string>> names() const;
  Result<bool> is_empty() const;  ///< Error: Environment if it cannot be listed
  Result<bool> is_same_as(const std::filesystem::path& path)
      const;  ///< path relative to the working folder; false if it is no folder

 private:
  OpenFolder(std::shared_ptr<const int> descriptor, std::filesystem::path path)
      : descriptor_(std::move(descriptor)), path_(std::move(path)) {}
  std::shared_ptr<const int> descriptor_;
  std::filesystem::path path_;
};

/**
 * Which permission bits a file takes over from the file that it replaces. The set-user-ID and set-group-ID
 * bits are never taken over.
 */
enum class ReplacedMode {
  Kept,    ///< all rights
  Closed,  ///< those that the umask allows, without write or execute permission for others
};

/**
 * A text file that appears whole or not at all: it is written without a name, or next to its final path if
 * the file system does not support unnamed files, and commit() renames it into place. Without commit()
 * nothing changes. Every error names the path, the reason and what to do. It replaces an existing file
 * without a check: use OutputFile for paths that users name.
 */
class AtomicFile {
 public:
  /**
   * Opens the temporary file next to `path`. A link is followed; a device or a pipe is written directly.
   * Errors: InvalidArgument if `path` is a folder or its parent folder is missing, Environment if it cannot
   * be written.
   */
  static Result<AtomicFile> create(const std::filesystem::path& path);
  /**
   * Opens the temporary file of `name` in an open folder. Links are not followed: a link of this name is
   * replaced itself.
   */
  static Result<AtomicFile> create_in(const OpenFolder& folder, const std::string& name,
                                      ReplacedMode mode = ReplacedMode::Kept);
  /** Writes directly to an open descriptor, which it closes. @param path for messages */
  static AtomicFile onto(int descriptor, std::filesystem::path path);
  AtomicFile(AtomicFile&&) noexcept;
  AtomicFile& operator=(AtomicFile&&) noexcept;
  ~AtomicFile();

  /** Appends text; may be called repeatedly. Error: Environment, for example a full disk. */
  Status write(std::string_view text);
  /** Flushes the text to the disk and renames the file into place. Nothing can be written afterwards. */
  Status commit();
  /** As commit(), but returns Occupied if another file has taken this name meanwhile. */
  Status commit_as_new();

 private:
  struct State;
  explicit AtomicFile(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/**
 * Replaces the content of a file by `text`, or leaves the file unchanged on an error. For files whose path
 * the program itself chooses.
 */
Status write_file_atomically(const std::filesystem::path& path, std::string_view text);

/**
 * Reads the whole text of a regular file of at most `max_bytes`. Errors: NotFound, Refused for a database
 * that this process has open, or the reason why it cannot be read.
 */
Result<std::string> read_text_file(const std::filesystem::path& path, std::uintmax_t max_bytes);

/**
 * Reads at most the given number of bytes from the beginning of a regular file in a folder. Returns nullopt
 * if there is no file of this name. Error: Refused for a link, a folder, a device, or a database that this
 * process has open.
 */
Result<std::optional<std::string>> read_beginning_in(const OpenFolder& folder, const std::string& name,
                                                     std::size_t max_bytes);

/** Makes the error of a file that cannot be written, with a hint what to do; `error` is an errno. */
std::unexpected<Error> cannot_write_file(const std::filesystem::path& path, int error);

}  // namespace kernelscape::base
