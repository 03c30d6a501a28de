#pragma once

#include <filesystem>
#include <string>

#include "core/base/result.h"
#include "core/exchange/importer.h"

namespace kernelscape::exchange {

/** Returns true if a file that begins as an SQLite database is a database of OpenTuner. */
bool is_opentuner_database(const std::filesystem::path& path);

/**
 * Reads the results of OpenTuner's database: each program, with its input and machine, becomes a recorded
 * space whose knobs are the members of its configurations. Results are ranked by their time; by the
 * reciprocal of their accuracy if the run's objective maximizes it. Configurations are pickles, of which only
 * plain values are read (formats/pickled_dict.h). The database is opened read-only; the result is not
 * validated yet.
 * @param unit of the times; empty: seconds, as OpenTuner measures them
 */
Result<ImportedFile> read_opentuner_database(const std::filesystem::path& path, const std::string& unit);

}  // namespace kernelscape::exchange
