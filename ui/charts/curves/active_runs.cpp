#include "ui/charts/curves/active_runs.h"

#include <algorithm>
#include <cmath>

#include "ui/charts/canvas.h"
#include "ui/charts/styles.h"
#include "ui/style/numbers.h"

namespace kernelscape::charts {

std::vector<double> active_runs(const std::vector<const CompareCurve*>& curves) {
  std::vector<double> active;
  for (const CompareCurve* curve : curves) {
    active.resize(curve->curve.active.size());
    for (std::size_t i = 0; i < active.size(); ++i) active[i] += curve->curve.active[i];
  }
  return active;
}

void paint_active_runs(Canvas& canvas, const PlotFrame& frame,
                       const std::vector<const CompareCurve*>& curves) {
  const QRectF& lane = frame.lanes.front();
  const std::vector<double> active = active_runs(curves);
  if (active.empty() || !(active.front() > 0)) return;
  const std::vector<double>& grid = curves.front()->curve.x;
  const ClipScope clip(canvas, lane);
  Ink ink = muted_ink();
  ink.role = "active-runs";
  ink.colour.setAlphaF(0.25F);
  double free_from = lane.left();
  for (std::size_t i = 0; i < active.size();) {
    std::size_t next = i + 1;
    while (next < active.size() && active[next] == active[i]) ++next;
    // The part that a logarithmic axis cannot show begins at its border.
    const double mapped = frame.map_x(grid[i]);
    const double left = std::isfinite(mapped) ? std::max(mapped, lane.left()) : lane.left();
    const double right = std::min(frame.map_x(grid[std::min(next, grid.size() - 1)]), lane.right());
    const double height = (lane.height() - 2) * active[i] / active.front();
    if (right > left) canvas.rect(QRectF(left, lane.bottom() - height, right - left, height), ink);
    const QString text = style::format_count(std::llround(active[i]));
    const double width = text_width(text, style::TextSize::Small);
    if (right > left && left >= free_from && left + width + 6 <= lane.right()) {
      canvas.text({left + 3, lane.center().y()}, text, {.ink = text_ink()});
      free_from = left + width + 12;
    }
    i = next;
  }
}

}  // namespace kernelscape::charts
