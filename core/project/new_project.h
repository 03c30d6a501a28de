#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace kernelscape::project {

/** A file of a new project, to be written into its folder. */
struct NewProjectFile {
  std::string name;
  std::string text;
};

/**
 * Returns the files of a project to start from, which runs unchanged: y = a * x + y in a kernel with a few
 * parameters, checked by a C function; or a program that is built and run by commands. The project file
 * (NAME.json) comes first, then the sources and a README.md that explains what to change. Returns
 * InvalidArgument for an unknown language or an invalid file name.
 * @param name letters, digits, _ and -
 * @param language "c", "c++", "opencl", "cuda", "program"
 */
Result<std::vector<NewProjectFile>> new_project(std::string_view name, std::string_view language);

}  // namespace kernelscape::project
