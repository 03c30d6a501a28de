#pragma once

#include <span>
#include <string>
#include <string_view>

#include "core/base/written.h"

namespace kernelscape::base {

/** How to write a text that a spreadsheet would evaluate as a formula. */
enum class CsvFormulas {
  Guarded,  ///< with an apostrophe before it, which marks a text in spreadsheets
  Raw,      ///< unchanged, for programs that read it back
};

/**
 * CSV files (RFC 4180). A text counts as a formula if it begins, after white space, with = + - @ or their
 * full-width forms, or with a tab or a line end; numbers are not formulas. The same test applies to each part
 * after a comma, a semicolon, a tab or a line end within a text: a spreadsheet configured with other
 * separators splits the text there and ignores the quotes around the field.
 */
struct Csv {
  /** Returns a guarded field, in quotes if needed. */
  static std::string escaped(std::string_view text);

  /** Returns a field, in quotes if needed (RFC 4180, sections 2.5 to 2.7). */
  static Written<Csv> field(std::string_view text, CsvFormulas formulas = CsvFormulas::Guarded);

  /** Returns a number in the fewest digits that read back to the same value; NaN gives an empty field. */
  static Written<Csv> field(double number);
};

using CsvText = Written<Csv>;

/**
 * Tables for the clipboard: cells separated by tabs, as spreadsheets and editors expect. Formulas are guarded
 * as in CSV; tabs and line ends within a cell become spaces.
 */
struct Tsv {
  /**
   * Returns a guarded cell; it is put in quotes if it begins with a quote, which a spreadsheet would remove.
   */
  static std::string escaped(std::string_view text);

  /** Returns a row with its line end. */
  static Written<Tsv> row(std::span<const std::string> cells);
};

using TsvText = Written<Tsv>;

}  // namespace kernelscape::base
