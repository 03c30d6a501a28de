#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "core/base/result.h"

namespace kernelscape::task {

/**
 * Reads the text of a regular file that contains tasks. Errors: NotFound, InvalidArgument if the file has
 * more than `max_bytes` or cannot be read, Refused for a database that this process has open.
 */
Result<std::string> read_task_file(const std::filesystem::path& path, std::uintmax_t max_bytes);

}  // namespace kernelscape::task
