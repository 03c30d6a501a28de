#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "core/base/result.h"

namespace kernelscape {

/**
 * The text of a regular file with tasks in it. Errors: NotFound, InvalidArgument where it has more than
 * `most_bytes`, Refused for a database that this process has open, Environment where it can't be read.
 */
Result<std::string> read_task_file(const std::filesystem::path& path, std::uintmax_t most_bytes);

}  // namespace kernelscape
