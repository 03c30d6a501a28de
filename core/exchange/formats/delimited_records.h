#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/exchange/import_text.h"

namespace kernelscape::exchange {

/** Maximum number of columns of a table. */
inline constexpr std::size_t max_table_columns = 1024;

/**
 * Returns the character that separates the fields of a table with this first line: a tab, a semicolon or a
 * comma; 0 if the line has none of them.
 */
char delimiter_of(std::string_view first_line);

/**
 * Returns true if a line before the first record of a table is a comment: it begins with #, and # is not the
 * name of its first column.
 */
bool is_table_comment(std::string_view line);

/** Returns the fields of one line without line ends in quotes. */
std::vector<std::string> fields_of_line(std::string_view line, char delimiter);

/**
 * Reads the records of a delimited text (RFC 4180) one by one: fields in quotes may have delimiters, line
 * ends and doubled quotes; records end with LF, CR LF or CR, also mixed. Blanks around fields without quotes
 * are removed. Empty lines, and lines that begin with #, are skipped, except a first record whose first field
 * is
 * #.
 */
class DelimitedRecords {
 public:
  DelimitedRecords(ImportText& text, char delimiter) : text_(text), delimiter_(delimiter) {}

  /**
   * Reads the next record. Returns false after the last one. Errors, with the line: a quote that is not
   * closed, more than max_table_columns fields, errors of the text.
   */
  Result<bool> next();

  std::size_t size() const { return ends_.size(); }  ///< number of fields of the record
  /** Returns a field of the record; valid until the next call of next(). */
  std::string_view field(std::size_t column) const;
  std::size_t line() const { return record_line_; }  ///< line in which the record begins, from 1

 private:
  bool skip_line_end();
  bool skip_comment();
  Status read_quoted();
  Status end_field(bool quoted);
  Result<bool> read_record();
  std::unexpected<Error> at_record(std::string message, std::string hint) const;

  ImportText& text_;
  char delimiter_;
  std::string bytes_;              ///< the fields of the record, one after the other
  std::vector<std::size_t> ends_;  ///< by field: its end in bytes_
  bool begun_ = false;             ///< a record was read
  std::size_t line_ = 1;
  std::size_t record_line_ = 1;
};

}  // namespace kernelscape::exchange
