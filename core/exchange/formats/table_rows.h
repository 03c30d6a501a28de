#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "core/exchange/formats/result_table.h"
#include "core/exchange/formats/table_columns.h"
#include "core/exchange/import_text.h"
#include "core/exchange/importer.h"
#include "core/exchange/skipped_entries.h"
#include "core/exchange/table_preview.h"

namespace kernelscape::exchange {

/**
 * Reads the rows of a table of any form. The first rows are held back, until the roles of the columns can be
 * guessed from them.
 */
class TableRows {
 public:
  /** @param file must outlive this object */
  explicit TableRows(ImportText& file) : file_(file), skipped_(file.path(), "rows"), table_(file.held()) {}

  /** Sets the names of the columns; more may follow while rows are held back. */
  void set_names(std::vector<std::string> names) { names_ = std::move(names); }
  const std::vector<std::string>& names() const { return names_; }  ///< the names of the columns
  /** Adds a column to the held rows; returns nullopt if the roles are determined already. */
  std::optional<std::size_t> add_name(std::string_view name);
  /** Treats "0,5" as a number. */
  void set_decimal_comma();

  /** Holds the first rows and reads no others: take_preview() returns them. */
  void hold_only() { holds_only_ = true; }
  /** Returns true if all rows are held that hold_only() asks for. */
  bool enough() const { return holds_only_ && held_enough(); }
  /** Returns the held rows after hold_only(). */
  TablePreview take_preview() { return {std::move(names_), std::move(held_rows_), decimal_comma_}; }

  /** Adds a row. @param fields by column; missing ones are empty @param line of the row, from 1 */
  Status add(std::span<const std::string_view> fields, std::size_t line);
  /** Skips a row that cannot be read. */
  Status skip(std::size_t line, const Error& why);

  /** Returns the file after its last row. */
  Result<ImportedFile> finish();

 private:
  bool held_enough() const;
  Status decide();
  Status take(std::span<const std::string_view> fields, std::size_t line);
  Status take_result(std::span<const std::string_view> fields);
  std::string samples_of(std::string_view text);
  std::unexpected<Error> in_file(const Error& error) const;

  ImportText& file_;
  SkippedEntries skipped_;
  ResultTable table_;
  std::vector<std::string> names_;
  SampleRows held_rows_;
  std::vector<std::size_t> held_lines_;
  std::size_t held_bytes_ = 0;
  std::optional<TableColumns> columns_;
  std::vector<std::size_t> parameters_;  ///< by parameter of the table: its column
  std::vector<std::size_t> numbers_;     ///< by column of numbers of the table: its column
  std::vector<double> samples_;
  std::string first_failure_;
  bool decimal_comma_ = false;
  bool holds_only_ = false;
};

}  // namespace kernelscape::exchange
