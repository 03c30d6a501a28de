#pragma once

#include <filesystem>

#include "core/base/result.h"

namespace kernelscape {

/**
 * Writes a project of a kernel in C to start from into a new folder, "my-kernel" or the next name that is
 * free. Nothing that is there is replaced. Errors: Environment, the folder can't be written.
 * @return the project's file
 */
Result<std::filesystem::path> write_new_project(const std::filesystem::path& parent);

}  // namespace kernelscape
