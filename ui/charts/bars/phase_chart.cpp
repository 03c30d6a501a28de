#include "ui/charts/bars/phase_chart.h"

#include <numeric>

#include "ui/charts/bars/part_styles.h"
#include "ui/style/numbers.h"

namespace kernelscape::charts {

PhaseChart::PhaseChart(QWidget* parent)
    : StackedBarChart({tr("wall time of a run"), QStringLiteral("s")}, style::format_duration, parent) {
  set_title(tr("Time per phase"), tr("wall seconds, mean per run"));

  set_explanation(tr(
      "The time breakdown of a run, as the mean over the runs of each tuner; all tasks have equal weight. "
      "Every instant of wall time belongs to one phase: run while the device is busy (checking included), "
      "else build while any builder is busy, else search while the tuner computes, else idle. Runs that have "
      "not ended count only if a tuner has no finished run on a task.\n\nTime per phase as in NoSE, figure "
      "6."));
}

void PhaseChart::set_data(const std::vector<ArmPhases>& arms) {
  std::vector<StackedBar> bars;
  for (const auto& [arm, name, times] : arms) {
    bars.push_back(
        {arm, name, {times.search_seconds, times.build_seconds, times.run_seconds, times.idle_seconds}});
    bars.back().all = std::accumulate(bars.back().values.begin(), bars.back().values.end(), 0.0);
  }
  set_bars(std::move(bars));
}

std::vector<StackedPart> PhaseChart::parts() const {
  std::vector<StackedPart> parts;
  for (std::size_t phase = 0; phase < phase_count; ++phase)
    parts.push_back(
        {phase_name(phase), phase_fill(phase), {}, phase_name(phase).toStdString() + " (wall s)"});
  return parts;
}

}  // namespace kernelscape::charts
