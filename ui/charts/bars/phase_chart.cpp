#include "ui/charts/bars/phase_chart.h"

#include <numeric>

#include "ui/charts/bars/part_looks.h"
#include "ui/style/numbers.h"

namespace kernelscape {

PhaseChart::PhaseChart(QWidget* parent) : StackedBarChart(parent) {
  set_title(tr("Time per phase"), tr("wall seconds, mean per run"));
}

void PhaseChart::set_data(const std::vector<ArmPhases>& arms) {
  std::vector<StackedBar> bars;
  for (const ArmPhases& arm : arms)
    bars.push_back(
        {arm.arm,
         arm.name,
         {arm.times.search_seconds, arm.times.build_seconds, arm.times.run_seconds, arm.times.idle_seconds}});
  set_bars(std::move(bars));
}

std::size_t PhaseChart::part_count() const { return phase_count; }

QString PhaseChart::part_name(std::size_t part) const { return phase_name(part); }

Fill PhaseChart::part_fill(std::size_t part) const { return phase_fill(part); }

Axis PhaseChart::value_axis() const {
  return {tr("wall time of a run"), QStringLiteral("s"), AxisScale::Linear, {}};
}

QString PhaseChart::value_text(double value) const { return format_duration(value); }

ChartTable PhaseChart::table() const {
  ChartTable table{
      {"tuner", "search (wall s)", "build (wall s)", "run (wall s)", "idle (wall s)", "all (wall s)"}, {}};
  for (const StackedBar* bar : shown()) {
    std::vector<ChartCell> row{bar->name.toStdString()};
    row.insert(row.end(), bar->values.begin(), bar->values.end());
    row.emplace_back(std::accumulate(bar->values.begin(), bar->values.end(), 0.0));
    table.rows.push_back(std::move(row));
  }
  return table;
}

QString PhaseChart::explanation() const {
  return tr(
      "Where the wall time of a run goes, as the mean over the runs of each tuner; tasks weigh the same. "
      "Every "
      "instant belongs to one phase: run while the device is busy (checking included), else build while any "
      "builder is busy, else search while the tuner computes, else idle. Runs that go on count only where a "
      "tuner has no finished one on a task.\n\nTime per phase as in NoSE, figure 6.");
}

}  // namespace kernelscape
