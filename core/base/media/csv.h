#pragma once

#include <span>
#include <string>
#include <string_view>

#include "core/base/written.h"

namespace kernelscape {

/** What becomes of a text that a spreadsheet would calculate. */
enum class CsvFormulas {
  Guarded,  ///< an apostrophe stands before it, which a spreadsheet takes for "this is a text"
  Raw,      ///< it stays as it is, for programs that read it back
};

/**
 * CSV files (RFC 4180). A text that a spreadsheet would take for a formula is one that begins, behind white
 * space, with = + - @ or their full-width forms, or with a tab or a line end; a text that is a number is
 * none. So is what follows a comma, a semicolon, a tab or a line end within a text: who was told of other
 * separators divides it there, and the quotes around the field mean nothing then.
 */
struct Csv {
  /** A field, guarded, in quotes where it has to be. */
  static std::string escaped(std::string_view text);

  /** A field, in quotes where it has to be (2.5 to 2.7). */
  static Written<Csv> field(std::string_view text, CsvFormulas formulas = CsvFormulas::Guarded);

  /** In the fewest digits that read back the same; NaN is an empty field. */
  static Written<Csv> field(double number);
};

using CsvText = Written<Csv>;

/**
 * Tables for the clipboard: cells between tabs, which spreadsheets and editors divide. What a spreadsheet
 * would calculate is guarded as in CSV; tabs and line ends within a cell become spaces.
 */
struct Tsv {
  /** A cell, guarded; in quotes where it begins with one, which a spreadsheet would take off. */
  static std::string escaped(std::string_view text);

  /** A row with its line end. */
  static Written<Tsv> row(std::span<const std::string> cells);
};

using TsvText = Written<Tsv>;

}  // namespace kernelscape
