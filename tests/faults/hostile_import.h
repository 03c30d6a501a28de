#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "core/base/random.h"
#include "core/base/result.h"

namespace kernelscape::faults {

/**
 * Imports many hostile files into a database, in a process of its own with 1 GiB of memory: each is refused,
 * with its name in the error and nothing changed in the database, or taken, within ten seconds.
 * @param folder an empty one; a file that breaks this stays there
 * @param next_file the bytes of the next one
 */
Status import_hostile_files(const std::filesystem::path& folder, int count,
                            const std::function<std::string()>& next_file);

}  // namespace kernelscape::faults
