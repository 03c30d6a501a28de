#include "ui/charts/table.h"

#include "core/base/media/csv.h"

namespace kernelscape::charts {

std::string to_csv(const Table& table) {
  base::CsvText text;
  for (std::size_t column = 0; column < table.columns.size(); ++column) {
    if (column > 0) text += ",";
    text += base::Csv::field(table.columns[column]);
  }
  text += "\n";
  for (const auto& row : table.rows) {
    for (std::size_t column = 0; column < row.size(); ++column) {
      if (column > 0) text += ",";
      text += std::visit([](const auto& cell) { return base::Csv::field(cell); }, row[column]);
    }
    text += "\n";
  }
  return text.text();
}

}  // namespace kernelscape::charts
