#pragma once

#include <cstdint>
#include <string_view>

#include "core/project/kernel_project.h"
#include "core/space/knob_json.h"

namespace kernelscape::project {

/** The form of file contents in a project's JSON. */
enum class ProjectBytes {
  Whole,  ///< in base64: can be read back
  Hashed  ///< SHA-256 and size: for comparisons
};

/** The version of a stored project that is a program; that of a kernel is 1, which earlier versions read. */
inline constexpr std::int64_t program_project_version = 2;
/** The version of a stored kernel with data files, which earlier versions cannot read. */
inline constexpr std::int64_t data_file_project_version = 3;

/** Returns everything of a project except notices, with members sorted by name. */
space::Json project_object(const KernelProject& project, ProjectBytes bytes);

/** Returns a file's text as a JSON string, or {"base64": ...} if it is not UTF-8. */
space::Json text_json(std::string_view text);

}  // namespace kernelscape::project
