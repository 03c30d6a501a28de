#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/exchange/formats/table_units.h"
#include "core/exchange/table_options.h"

namespace kernelscape::exchange {

/** The use of a column of a table. */
enum class ColumnRole : std::uint8_t {
  Parameter,  ///< its values form the configuration
  Objective,  ///< its numbers rank
  Status,     ///< says whether a row failed, or why
  Number,     ///< a further result, kept beside the time
  Ignored     ///< numbers of rows, dates, long texts
};

/** A condition under which a row failed. */
struct FailureRule {
  enum class Kind : std::uint8_t {
    NotOk,    ///< its text is no word for success
    HasText,  ///< it has a text, the message
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual
  };
  std::size_t column = 0;
  Kind kind = Kind::NotOk;
  std::string value{};  ///< for comparisons
};

/** The columns of a table, as guessed or as stated. */
struct TableColumns {
  std::vector<std::string> names{};
  std::vector<ColumnRole> roles{};  ///< by column
  std::size_t objective = 0;
  ObjectiveUnit unit{};
  std::vector<FailureRule> failures{};
  bool guessed = true;  ///< the user did not state all of it

  /** Returns the columns with a role, in their order. */
  std::vector<std::size_t> with(ColumnRole role) const;
};

/** The first rows of a table, from which roles are guessed: by row, by column. */
using SampleRows = std::vector<std::vector<std::string>>;

/**
 * Determines the roles of a table's columns from their names and first values, except for those that the user
 * states. Errors, with the option that corrects them: a name occurs twice, an option names no column, no
 * column looks like a result or like a parameter, the unit is unknown.
 */
Result<TableColumns> table_columns(std::vector<std::string> names, const SampleRows& rows,
                                   const TableOptions& options, bool decimal_comma);

/**
 * Returns the roles that names and first values suggest, for a form in which a user corrects them: other than
 * with table_columns(), the objective or the parameters may be missing.
 */
std::vector<ColumnRole> suggested_roles(const std::vector<std::string>& names, const SampleRows& rows,
                                        bool decimal_comma);

/** Returns what was decided, in one line, and how a user corrects it. */
std::string columns_notice(const TableColumns& columns);

/** Returns why a row failed according to the rules; nullopt: it did not. @param field returns the text of a
 * column of the row */
std::optional<std::string> failure_of_row(const TableColumns& columns,
                                          const std::function<std::string_view(std::size_t)>& field,
                                          bool decimal_comma);

}  // namespace kernelscape::exchange
