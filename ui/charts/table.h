#pragma once

#include <string>
#include <variant>
#include <vector>

namespace kernelscape::charts {

/** A number or a text; NaN: no value. */
using Cell = std::variant<double, std::string>;

/** The data of a chart as numbers: for CSV files and "show as table". */
struct Table {
  std::vector<std::string> columns;  ///< with the unit: "build (s)"
  std::vector<std::vector<Cell>> rows;
};

/**
 * Returns the table as CSV: RFC 4180 in the C locale, lines end in \n. Numbers are written so that they can
 * be read back exactly; NaN is an empty field.
 */
std::string to_csv(const Table& table);

}  // namespace kernelscape::charts
