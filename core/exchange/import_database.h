#pragma once

#include <filesystem>

#include "core/base/result.h"
#include "core/exchange/importer.h"

namespace kernelscape::exchange {

/**
 * Reads the sessions of another user's database, oldest first, each as the file that export writes with
 * --format json; the database is opened read-only. Recorded spaces and runs of studies are not read, and a
 * notice reports this. Returns InvalidArgument if the database has no other sessions. The result is not
 * validated yet.
 */
Result<ImportedFile> read_database(const std::filesystem::path& path);

}  // namespace kernelscape::exchange
