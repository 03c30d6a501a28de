#pragma once

#include <filesystem>

#include "core/base/result.h"
#include "core/exchange/importer.h"

namespace kernelscape {

/**
 * The sessions of somebody else's database, oldest first, each as the file would be that export writes of it
 * with --format json; the database is only read. Recorded spaces and runs of studies stay where they are, as
 * a notice says. InvalidArgument: it has no others. What comes of it still has to pass the gate.
 */
Result<ImportedFile> read_database(const std::filesystem::path& path);

}  // namespace kernelscape
