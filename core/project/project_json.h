#pragma once

#include <string_view>

#include "core/project/kernel_project.h"
#include "core/space/knob_json.h"

namespace kernelscape {

/** How contents of files stand in a project's JSON. */
enum class ProjectBytes {
  Whole,  ///< in base64: to be read back
  Hashed  ///< their SHA-256 and size: to be compared
};

/** Everything of a project but notices, members sorted by name. */
Json project_object(const KernelProject& project, ProjectBytes bytes);

/** A text of a file: itself, or {"base64": ...} where it is no UTF-8. */
Json text_json(std::string_view text);

}  // namespace kernelscape
