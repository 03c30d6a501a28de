#pragma once

#include <filesystem>
#include <string>

#include "core/base/result.h"
#include "core/exchange/importer.h"

namespace kernelscape::exchange {

/** Returns true if a file that begins as an SQLite database is a storage of Optuna. */
bool is_optuna_storage(const std::filesystem::path& path);

/**
 * Reads Optuna's storage (RDBStorage on SQLite, since Optuna 2.4): each study becomes a recorded space whose
 * knobs are its parameters. Trials are ranked by their first objective; of a study that maximizes it, by its
 * reciprocal. The database is opened read-only; the result is not validated yet. @param unit of the objective
 * ("ms"); empty: none, so that numbers are shown as seconds
 */
Result<ImportedFile> read_optuna_storage(const std::filesystem::path& path, const std::string& unit);

}  // namespace kernelscape::exchange
