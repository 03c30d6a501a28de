#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace kernelscape {

/** A file of a new project, to be written into its folder. */
struct NewProjectFile {
  std::string name;
  std::string text;
};

/**
 * A project to start from, which runs as it is: y = a * x + y in a kernel with a few parameters, checked by a
 * C function. The project file comes first (NAME.json), then the kernel, the function and a README.md that
 * says what to change. Errors: InvalidArgument, no language, or a name that is none for a file.
 * @param name letters, digits, _ and -
 * @param language "c", "c++", "opencl", "cuda"
 */
Result<std::vector<NewProjectFile>> new_project(std::string_view name, std::string_view language);

}  // namespace kernelscape
