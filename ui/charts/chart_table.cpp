#include "ui/charts/chart_table.h"

#include <fmt/format.h>

#include <cmath>

namespace kernelscape {
namespace {

std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string result = "\"";
  for (const char character : text) {
    if (character == '"') result += '"';
    result += character;
  }
  return result + '"';
}

std::string field(const ChartCell& cell) {
  if (const double* number = std::get_if<double>(&cell))
    return std::isnan(*number) ? std::string() : fmt::format("{}", *number);
  return quoted(std::get<std::string>(cell));
}

}  // namespace

std::string to_csv(const ChartTable& table) {
  std::string text;
  for (std::size_t column = 0; column < table.columns.size(); ++column)
    text += (column == 0 ? "" : ",") + quoted(table.columns[column]);
  text += '\n';
  for (const auto& row : table.rows) {
    for (std::size_t column = 0; column < row.size(); ++column) {
      if (column > 0) text += ',';
      text += field(row[column]);
    }
    text += '\n';
  }
  return text;
}

}  // namespace kernelscape
