#pragma once

#include <optional>
#include <string>

#include "core/base/result.h"
#include "core/project/kernel_project.h"

namespace kernelscape {

/** The project in the file of this name; none where there is no such file, or it is no project's. */
std::optional<Result<KernelProject>> project_named(const std::string& name);

/**
 * Prints the space of a user's own kernel, what the kernel takes, and what its user should hear before a run.
 * Nothing of it is compiled or run.
 */
Result<int> print_project(const KernelProject& project, bool json);

}  // namespace kernelscape
