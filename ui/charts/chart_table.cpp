#include "ui/charts/chart_table.h"

#include "core/base/csv.h"

namespace kernelscape {

std::string to_csv(const ChartTable& table) {
  std::string text;
  for (std::size_t column = 0; column < table.columns.size(); ++column) {
    if (column > 0) text += ',';
    append_csv_field(text, table.columns[column]);
  }
  text += '\n';
  for (const auto& row : table.rows) {
    for (std::size_t column = 0; column < row.size(); ++column) {
      if (column > 0) text += ',';
      std::visit([&](const auto& cell) { append_csv_field(text, cell); }, row[column]);
    }
    text += '\n';
  }
  return text;
}

}  // namespace kernelscape
