#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace kernelscape::project {

/** A file that a project names. */
struct NamedFile {
  std::filesystem::path path;  ///< its path, with links resolved
  std::string name;  ///< path relative to the project's folder, with "/" and without ".."; empty: outside of
                     ///< the folder
  std::string text;
};

/** Maximum bytes of all files that are stored with one project. */
inline constexpr std::uintmax_t max_project_bytes = 512ULL << 20;
/** Maximum bytes of a source, an included file, or a reference. */
inline constexpr std::uintmax_t max_source_bytes = 4ULL << 20;

/**
 * Reads the files of a project. Files outside its folder, after resolving links, are read only with the
 * user's consent.
 */
class Files {
 public:
  /**
   * @param project_file an existing file; its folder, with links resolved, is the project's folder
   * @param outside the user allows files outside the folder
   */
  static Result<Files> open(const std::filesystem::path& project_file, bool outside);

  const std::filesystem::path& folder() const { return folder_; }  ///< canonical path of the project's folder
  /** Returns true if a canonical path is the project's folder or lies within it. */
  bool has(const std::filesystem::path& path) const;
  /**
   * Reads a file. Errors: NotFound, Refused if it is outside the folder, InvalidArgument if it is too large;
   * they name the file as written in the project.
   * @param written the path as written in the project or a source
   * @param from the folder that the path is relative to
   */
  Result<NamedFile> read(std::string_view written, const std::filesystem::path& from,
                         std::uintmax_t max_bytes);
  /** Reads a file as read() does. The file is not stored, and so does not count towards max_project_bytes. */
  Result<NamedFile> read_unstored(std::string_view written, const std::filesystem::path& from,
                                  std::uintmax_t max_bytes) const;

 private:
  Files(std::filesystem::path folder, bool outside) : folder_(std::move(folder)), outside_(outside) {}

  std::filesystem::path folder_;
  bool outside_;
  std::uintmax_t left_bytes_ = max_project_bytes;
};

}  // namespace kernelscape::project
