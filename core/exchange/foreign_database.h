#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/exchange/importer.h"

namespace kernelscape::exchange {

/** A kind of SQLite database of another tuner, which is imported and not opened. */
struct ForeignDatabase {
  std::string_view what;  ///< "a storage of Optuna"
  bool (*recognises)(const std::filesystem::path& path);
  /** Reads it. @param unit of its objective, as a user states it; may be empty */
  Result<ImportedFile> (*read)(const std::filesystem::path& path, const std::string& unit);
};

/** Returns the kind of a file that begins as an SQLite database; null: it is none of another tuner. */
const ForeignDatabase* foreign_database(const std::filesystem::path& path);

}  // namespace kernelscape::exchange
