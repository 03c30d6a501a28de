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

namespace kernelscape {

/**
 * A folder that was opened once: whoever renames or replaces it, or a folder above it, leads nothing
 * elsewhere that is done through this. Copies share it.
 */
class OpenFolder {
 public:
  /**
   * Follows links; "" is the working folder. Errors: InvalidArgument where there is none, Environment.
   * @param wanted what errors name: the file that is to be written in it; empty: the folder
   */
  static Result<OpenFolder> open(const std::filesystem::path& path, const std::filesystem::path& wanted = {});

  int descriptor() const { return *descriptor_; }                ///< for calls such as openat()
  const std::filesystem::path& path() const { return path_; }    ///< as it was opened, for messages
  std::filesystem::path path_of(const std::string& name) const;  ///< of a file in it, for messages
  /** Of all that it holds, in no order. Environment: it can't be listed. */
  Result<std::vector<std::string>> names() const;
  Result<bool> is_empty() const;                                     ///< Environment: it can't be listed
  Result<bool> is_same_as(const std::filesystem::path& path) const;  ///< a path from here; false: no folder

 private:
  OpenFolder(std::shared_ptr<const int> descriptor, std::filesystem::path path)
      : descriptor_(std::move(descriptor)), path_(std::move(path)) {}
  std::shared_ptr<const int> descriptor_;
  std::filesystem::path path_;
};

/** What a file takes over of the mode of the one that it replaces: never to run as its owner or group. */
enum class ReplacedMode {
  Kept,    ///< all rights
  Closed,  ///< as far as the user's mask has them, and none for others to write it or to run it
};

/**
 * A text file that appears whole or not at all: written without a name, or beside its place where the file
 * system has no such files, and renamed onto it by commit(). Without commit() nothing changes. Every error
 * names the path, the reason and the way out. It asks nobody what it replaces: what users name goes through
 * OutputFile.
 */
class AtomicFile {
 public:
  /**
   * Opens the file beside `path`. A link is followed; what is no regular file (a device, a pipe) is written
   * directly. Errors: InvalidArgument where `path` is a folder or its folder is missing, Environment where it
   * can't be written.
   */
  static Result<AtomicFile> create(const std::filesystem::path& path);
  /** The same in a folder, where nothing is followed: a link of this name would be replaced itself. */
  static Result<AtomicFile> create_in(const OpenFolder& folder, const std::string& name,
                                      ReplacedMode mode = ReplacedMode::Kept);
  /** Writes directly to an open descriptor, which it closes. @param path for messages */
  static AtomicFile onto(int descriptor, std::filesystem::path path);
  AtomicFile(AtomicFile&&) noexcept;
  AtomicFile& operator=(AtomicFile&&) noexcept;
  ~AtomicFile();

  /** Appends; may be called often. Error: Environment, a full disk among them. */
  Status write(std::string_view text);
  /** Brings the text to the disk and renames it into place; nothing can be written after. */
  Status commit();
  /** The same, but Occupied where something has this name by now. */
  Status commit_as_new();

 private:
  struct State;
  explicit AtomicFile(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/** Replaces the file by `text`, or leaves it as it is: for files whose place the program itself chooses. */
Status write_file_atomically(const std::filesystem::path& path, std::string_view text);

/**
 * The whole text of a regular file of at most `most_bytes`. Errors: NotFound, Refused for a database that
 * this process has open, or why it can't be read.
 */
Result<std::string> read_text_file(const std::filesystem::path& path, std::uintmax_t most_bytes);

/**
 * The first bytes of a regular file in a folder, at most so many; none where nothing has this name. Refused:
 * a link, a folder, a device, a database that this process has open.
 */
Result<std::optional<std::string>> read_beginning_in(const OpenFolder& folder, const std::string& name,
                                                     std::size_t most_bytes);

/** That a file can't be written, with the way out; `error` is an errno. */
std::unexpected<Error> cannot_write_file(const std::filesystem::path& path, int error);

}  // namespace kernelscape
