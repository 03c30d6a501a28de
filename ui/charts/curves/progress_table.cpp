#include "ui/charts/curves/progress_table.h"

#include <limits>

#include "ui/charts/curves/machine_strip.h"
#include "ui/charts/curves/progress_axis.h"

namespace kernelscape::charts {

Table progress_table(const ProgressData& data) {
  Table table;
  table.columns = {"row", "trial", "category", "session time (s)", "time per call (s)", "best so far (s)"};
  if (data.flops > 0) table.columns.insert(table.columns.end(), {"speed (GFLOPS)", "best so far (GFLOPS)"});
  if (data.speeds) add_machine_columns(table);
  const double none = std::numeric_limits<double>::quiet_NaN();
  double best = none;
  auto next = data.improvements.begin();
  table.rows.reserve(static_cast<std::size_t>(data.trials.size()));
  for (std::int64_t index = 0; index < data.trials.size(); ++index) {
    const trial::Row row = data.trials.row(index);
    if (next != data.improvements.end() && next->row == index) best = next++->median_seconds;
    const double seconds = has_time(row) ? row.median_seconds : none;
    std::vector<Cell> cells{static_cast<double>(index),
                            static_cast<double>(row.number),
                            std::string(trial::to_string(row.category)),
                            row.finished_seconds,
                            seconds,
                            best};
    if (data.flops > 0) {
      cells.emplace_back(data.flops / seconds / 1e9);
      cells.emplace_back(data.flops / best / 1e9);
    }
    if (data.speeds) add_machine_cells(cells, row);
    table.rows.push_back(std::move(cells));
  }
  return table;
}

}  // namespace kernelscape::charts
