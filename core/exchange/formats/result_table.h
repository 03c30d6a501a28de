#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/base/result.h"
#include "core/exchange/compact_trials.h"
#include "core/exchange/importer.h"
#include "core/exchange/reading_budget.h"

namespace kernelscape::exchange {

/** The result of a row of a table. */
struct TableResult {
  std::span<const double> samples_seconds{};                           ///< none: the row failed
  trial::ErrorCategory category = trial::ErrorCategory::UnknownError;  ///< of a failed row
  std::string_view failure{};                                          ///< why the row failed
  double build_seconds = 0;                                            ///< 0: not known
};

/** Parses a whole text as a finite number. @param decimal_comma "0,5" is a number as well */
std::optional<double> number_of_text(std::string_view text, bool decimal_comma = false);

/** Returns the category of a failure that a text names: "timeout", "compile error", "wrong answer". */
trial::ErrorCategory category_of_text(std::string_view text);

/**
 * Collects the rows of a table as compact trials. Parameters and further numbers may appear while rows are
 * added: earlier rows have the value `none`, or no number. A parameter whose values are all whole numbers,
 * numbers or truth values has values of this kind, otherwise texts.
 */
class ResultTable {
 public:
  /** @param held memory of the file's reader, which must outlive the table */
  explicit ResultTable(HeldMemory& held) : held_(&held) {}

  /** Returns the position of a parameter; a new name adds one. Errors: too many, or an invalid name. */
  Result<std::size_t> parameter(std::string_view name);
  /** Returns the position of a column of numbers; a new name adds one. Errors: as for parameter(). */
  Result<std::size_t> column(std::string_view name);

  /** Sets a value of the row that add() ends; an empty text is no value. */
  void set(std::size_t parameter, std::string_view value);
  /** Sets a number of the row that add() ends; a number that is not finite is no number. */
  void set_number(std::size_t column, double number);
  /** Ends the row. If it is impossible, it is dropped, and InvalidArgument says why. */
  Status add(const TableResult& result);
  /** Drops the values that were set since the last row. */
  void drop();

  std::size_t size() const { return trials_.sample_ends.size(); }  ///< number of rows
  std::size_t valid() const { return valid_; }                     ///< number of rows with samples
  /** Treats "0,5" as a number. */
  void set_decimal_comma() { decimal_comma_ = true; }

  /**
   * Returns the rows as a part of a file, and leaves the table empty. Errors: no row, no parameter. @param
   * keep_constants false: parameters with one value are dropped if others vary
   */
  Result<ImportedTrials> take(trial::RecordingHeader header, bool keep_constants = true);

  /** Returns "m=1024 n=1024": the parameters with one value. */
  std::string constants_text() const;

 private:
  struct TextHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };
  using Positions = std::unordered_map<std::string, std::uint32_t, TextHash, std::equal_to<>>;
  struct Parameter {
    std::string name;
    std::vector<std::string> values;  ///< in the order of their first use
    Positions positions;
    std::vector<std::uint32_t> rows;  ///< by row: position of its value
    std::uint32_t next = 0;           ///< value of the row that add() ends, if `set`
    bool set = false;
  };

  std::uint32_t position_in(Parameter& parameter, std::string_view value);
  std::uint32_t failure_of(const TableResult& result);
  std::vector<space::KnobValue> typed_values(const Parameter& parameter) const;
  Status keep_row(const TableResult& result);

  HeldMemory* held_;
  std::vector<Parameter> parameters_;
  std::unordered_map<std::string, std::size_t> parameter_positions_;
  std::vector<trial::RecordedColumn> columns_;
  std::vector<double> numbers_;  ///< by column: of the row that add() ends
  CompactTrials trials_;
  Positions failure_positions_;
  std::size_t valid_ = 0;
  std::uint64_t new_bytes_ = 0;  ///< bytes of new values that are not counted yet
  bool decimal_comma_ = false;
};

}  // namespace kernelscape::exchange
