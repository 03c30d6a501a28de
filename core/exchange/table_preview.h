#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace kernelscape::exchange {

/** The first rows of a table, from which a user sees what its columns are. */
struct TablePreview {
  std::vector<std::string> names{};              ///< of the columns
  std::vector<std::vector<std::string>> rows{};  ///< by row, by column; up to 2,000
  bool decimal_comma = false;                    ///< "0,5" is a number
};

/**
 * Returns the first rows of a file if it is a table whose columns have to be guessed; nullopt for the files
 * of known programs, and for all that is no table or cannot be read, which the import reports.
 */
std::optional<TablePreview> preview_table(const std::filesystem::path& path);

}  // namespace kernelscape::exchange
