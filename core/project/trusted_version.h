#pragma once

#include <optional>

#include "core/project/kernel_project.h"

namespace kernelscape::project {

/**
 * Trusts the content of a project from now on, as trust() does, and stores a copy of the content in the
 * folder trusted-projects beside trust_file(). The copy serves last_trusted_version() only: a copy that can't
 * be written is no error.
 */
Status trust_project(const KernelProject& project);

/**
 * Returns the version of a project that the user trusted last, for showing what has changed since. Versions
 * belong together if their name and the name of their source are equal. Returns nullopt if there is none, if
 * it is too large (over 16 MiB as JSON), or if its copy is damaged or not trusted.
 */
std::optional<KernelProject> last_trusted_version(const KernelProject& project);

}  // namespace kernelscape::project
