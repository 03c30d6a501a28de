#include "ui/charts/plot_layout.h"

#include <algorithm>
#include <cmath>

#include "ui/charts/canvas.h"
#include "ui/charts/styles.h"

namespace kernelscape::charts {
namespace {

constexpr double lane_gap = 4;

double lane_height() { return std::max(12.0, text_height(style::TextSize::Small) - 2); }

double lanes_height(const PlotLayout& layout) {
  return static_cast<double>(layout.lanes.size()) * lane_height() + lane_gap;
}

double strip_room(const PlotLayout& layout) {
  return layout.strip_height > 0 ? layout.strip_height + lane_gap : 0;
}

}  // namespace

double PlotLayout::label_width(const Axis& y, double height) const {
  double widest = lanes.empty() ? 0 : text_width(QStringLiteral("W"), style::TextSize::Small);
  for (const Tick& tick : y_ticks(y, height))
    if (tick.major) widest = std::max(widest, text_width(tick.label, style::TextSize::Small));
  // Round up to the grid, so that the plot does not move when labels change slightly.
  return std::ceil((widest + tick_length + 4) / 8) * 8;
}

QSize PlotLayout::minimum_size(const Axis& y, double height) const {
  const double line = text_height(style::TextSize::Small);
  const double left = left_margin.value_or(label_width(y, height));
  return {static_cast<int>(left) + 12,
          static_cast<int>(3 * line + tick_length + lanes_height(*this) + strip_room(*this) + 8)};
}

PlotFrame PlotLayout::frame(const QRectF& area, const Axis& x, const Axis& y, double height,
                            const std::function<double(QSizeF)>& head_height) const {
  PlotFrame frame;
  frame.x = x;
  frame.y = y;
  const double line = text_height(style::TextSize::Small);
  const double below = lanes.empty() ? 0 : lanes_height(*this);
  const double left = std::round(area.left() + left_margin.value_or(label_width(y, height)));
  const double bottom = std::round(area.bottom() - 2 * line - tick_length - below - strip_room(*this));
  // The last label of x extends beyond the plot by half of its width.
  const double right = std::round(area.right() - 10);
  const double title_bottom = std::round(area.top() + line + 2);
  frame.head = head_height({right - left, bottom - title_bottom});
  const double top = title_bottom + frame.head;
  frame.plot = QRectF(left, top, std::max(1.0, right - left), std::max(1.0, bottom - top));
  for (std::size_t lane = 0; lane < lanes.size(); ++lane)
    frame.lanes.emplace_back(frame.plot.left(),
                             frame.plot.bottom() + lane_gap + lane_height() * static_cast<double>(lane),
                             frame.plot.width(), lane_height());
  const double lowest = frame.lanes.empty() ? frame.plot.bottom() : frame.lanes.back().bottom();
  if (strip_height > 0)
    frame.strip = QRectF(frame.plot.left(), lowest + lane_gap, frame.plot.width(), strip_height);
  return frame;
}

void PlotLayout::paint_lane_labels(Canvas& canvas, const PlotFrame& frame) const {
  for (std::size_t lane = 0; lane < frame.lanes.size(); ++lane) {
    const QRectF& row = frame.lanes[lane];
    const Ink ink = lanes[lane].category ? category_ink(*lanes[lane].category) : muted_ink();
    canvas.text({row.left() - tick_length - 2, row.center().y()}, lanes[lane].label,
                {.ink = ink, .anchor = Qt::AlignRight | Qt::AlignVCenter, .bold = true});
    if (lane > 0) canvas.line(row.topLeft(), row.topRight(), thin_stroke(grid_ink()));
  }
}

}  // namespace kernelscape::charts
