#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace kernelscape {

/** A file that a project names. */
struct NamedFile {
  std::filesystem::path path;  ///< where it lies, links followed
  std::string name;            ///< from the project's folder, with "/" and without ".."; empty: outside of it
  std::string text;
};

/** Most bytes of all files that one project names. */
inline constexpr std::uintmax_t most_project_bytes = 512ULL << 20;
/** Most bytes of a source, an included file, a reference. */
inline constexpr std::uintmax_t most_source_bytes = 4ULL << 20;

/** Reads the files of a project: those outside its folder, links followed, by consent alone. */
class ProjectFiles {
 public:
  /**
   * @param project_file exists; its folder, links followed, is the project's
   * @param outside the user allows files that lie elsewhere
   */
  static Result<ProjectFiles> open(const std::filesystem::path& project_file, bool outside);

  const std::filesystem::path& folder() const { return folder_; }  ///< canonical
  /** Whether a canonical path lies within the project's folder, or is it. */
  bool has(const std::filesystem::path& path) const;
  /**
   * Errors: NotFound, Refused where it lies outside the folder, InvalidArgument where it is too large; they
   * name the file as it is written.
   * @param written as the project or a source writes it
   * @param from the folder that it is written from
   */
  Result<NamedFile> read(std::string_view written, const std::filesystem::path& from,
                         std::uintmax_t most_bytes);

 private:
  ProjectFiles(std::filesystem::path folder, bool outside) : folder_(std::move(folder)), outside_(outside) {}

  std::filesystem::path folder_;
  bool outside_;
  std::uintmax_t left_bytes_ = most_project_bytes;
};

}  // namespace kernelscape
