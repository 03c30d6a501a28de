#pragma once

#include <optional>
#include <string>

#include "core/base/result.h"
#include "core/project/kernel_project.h"

namespace kernelscape::command_line {

/**
 * Returns the project in the file of this name, or nullopt if there is no such file, or it is not a project
 * file.
 * @param outside the user allows files outside the project's folder
 */
std::optional<Result<project::KernelProject>> project_named(const std::string& name, bool outside);

/**
 * Prints the space of a user's own kernel, the kernel's arguments, the tuner to choose, and warnings before a
 * run. Compiles and runs nothing of it. @param trials budget of the search; 0: no limit
 */
Result<int> print_project(const project::KernelProject& project, std::int64_t trials, bool json);

}  // namespace kernelscape::command_line
