#pragma once

#include <string>
#include <variant>
#include <vector>

namespace kernelscape {

/** A number or a text; NaN: none. */
using ChartCell = std::variant<double, std::string>;

/** What a chart shows, as numbers: for CSV files and "show as table". */
struct ChartTable {
  std::vector<std::string> columns;  ///< with the unit: "build (s)"
  std::vector<std::vector<ChartCell>> rows;
};

/** RFC 4180 in the C locale, lines end in \n; numbers read back exactly, none is an empty field. */
std::string to_csv(const ChartTable& table);

}  // namespace kernelscape
