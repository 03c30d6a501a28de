#pragma once

#include <filesystem>

#include "core/base/result.h"

namespace kernelscape::workspace {

/**
 * Writes an example project with a kernel in C into a new folder, named "my-kernel" or the next free name.
 * Replaces no existing file. Errors: Environment if the folder can't be written.
 * @return path of the project file
 */
Result<std::filesystem::path> write_new_project(const std::filesystem::path& parent);

}  // namespace kernelscape::workspace
