#include "ui/charts/shaded_intervals.h"

#include <algorithm>

#include "ui/charts/canvas.h"
#include "ui/charts/plot_frame.h"
#include "ui/charts/styles.h"

namespace kernelscape::charts {
namespace {

constexpr float shade_opacity = 0.18F;

Ink shade_ink() {
  Ink ink{"shaded", style::colours().warning};
  ink.colour.setAlphaF(shade_opacity);
  return ink;
}

}  // namespace

bool ShadedIntervals::set(const QString& label, std::vector<ShadedInterval> intervals) {
  if (label == label_ && intervals == intervals_) return false;
  label_ = label;
  intervals_ = std::move(intervals);
  return true;
}

void ShadedIntervals::paint(Canvas& canvas, const PlotFrame& frame) const {
  for (const ShadedInterval& interval : intervals_) {
    const double left = std::max(frame.map_x(interval.x.low), frame.plot.left());
    const double right = std::min(std::max(frame.map_x(interval.x.high), left + 1), frame.plot.right());
    if (!(right > left)) continue;
    for (const QRectF& area : {frame.plot, frame.strip})
      if (!area.isEmpty()) canvas.rect(QRectF(left, area.top(), right - left, area.height()), shade_ink());
  }
}

std::optional<LegendEntry> ShadedIntervals::legend_entry() const {
  if (intervals_.empty()) return std::nullopt;
  return LegendEntry{label_, shade_ink(), LegendMark::UprightBar};
}

const ShadedInterval* ShadedIntervals::find(double x) const {
  const auto found = std::ranges::find_if(
      intervals_, [&](const ShadedInterval& interval) { return interval.x.contains(x); });
  return found == intervals_.end() ? nullptr : &*found;
}

}  // namespace kernelscape::charts
