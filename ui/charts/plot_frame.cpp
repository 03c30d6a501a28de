#include "ui/charts/plot_frame.h"

#include <algorithm>

#include "ui/charts/styles.h"

namespace kernelscape::charts {
namespace {

constexpr int pixels_per_y_tick = 40;
constexpr int min_pixels_per_x_tick = 60;

/** Returns the lower end of the plot, its lanes and its strip. */
double axis_bottom(const PlotFrame& frame) {
  if (!frame.strip.isEmpty()) return frame.strip.bottom();
  return frame.lanes.empty() ? frame.plot.bottom() : frame.lanes.back().bottom();
}

double tick_reach(const Tick& tick) { return tick.major ? tick_length : tick_length / 2; }

}  // namespace

std::vector<Tick> x_ticks(const Axis& axis, double width) {
  for (int count = std::clamp(static_cast<int>(width / min_pixels_per_x_tick), 2, 16);; --count) {
    std::vector<Tick> ticks = axis.ticks(count);
    double widest = 0;
    double majors = 0;
    for (const Tick& tick : ticks) {
      if (!tick.major) continue;
      widest = std::max(widest, text_width(tick.label, style::TextSize::Small));
      majors += 1;
    }
    if (count <= 2 || (widest + 16) * majors <= width + widest) return ticks;
  }
}

std::vector<Tick> y_ticks(const Axis& axis, double height) {
  return axis.ticks(std::clamp(static_cast<int>(height / pixels_per_y_tick), 2, 12));
}

void paint_x_grid(Canvas& canvas, const PlotFrame& frame) {
  for (const Tick& tick : x_ticks(frame.x, frame.plot.width())) {
    const double x = frame.map_x(tick.value);
    if (tick.major) canvas.line({x, frame.plot.top()}, {x, frame.plot.bottom()}, thin_stroke(grid_ink()));
  }
}

void paint_y_grid(Canvas& canvas, const PlotFrame& frame, double height) {
  for (const Tick& tick : y_ticks(frame.y, height)) {
    const double y = frame.map_y(tick.value);
    if (tick.major) canvas.line({frame.plot.left(), y}, {frame.plot.right(), y}, thin_stroke(grid_ink()));
  }
}

void paint_x_axis(Canvas& canvas, const PlotFrame& frame, double right) {
  const Stroke hairline = thin_stroke(hairline_ink());
  const double bottom = axis_bottom(frame);
  canvas.line(frame.plot.bottomLeft(), frame.plot.bottomRight(), hairline);
  if (bottom > frame.plot.bottom())
    canvas.line({frame.plot.left(), bottom}, {frame.plot.right(), bottom}, hairline);
  const TextStyle label{.ink = muted_ink(), .anchor = Qt::AlignHCenter | Qt::AlignTop};
  for (const Tick& tick : x_ticks(frame.x, frame.plot.width())) {
    const double x = frame.map_x(tick.value);
    canvas.line({x, bottom}, {x, bottom + tick_reach(tick)}, hairline);
    if (!tick.major) continue;
    const double half = text_width(tick.label, style::TextSize::Small) / 2;
    canvas.text({std::min(x, right - half), bottom + tick_length}, tick.label, label);
  }
  canvas.text({frame.plot.center().x(), bottom + tick_length + text_height(style::TextSize::Small)},
              elided(frame.x.full_title(), style::TextSize::Small, frame.plot.width()),
              {.ink = text_ink(), .anchor = Qt::AlignHCenter | Qt::AlignTop});
}

void paint_y_axis(Canvas& canvas, const PlotFrame& frame, const QRectF& area) {
  const Stroke hairline = thin_stroke(hairline_ink());
  const double left = frame.plot.left();
  canvas.line(frame.plot.topLeft(), {left, axis_bottom(frame)}, hairline);
  const TextStyle label{.ink = muted_ink(), .anchor = Qt::AlignRight | Qt::AlignVCenter};
  for (const Tick& tick : y_ticks(frame.y, area.height())) {
    const double y = frame.map_y(tick.value);
    canvas.line({left - tick_reach(tick), y}, {left, y}, hairline);
    if (tick.major) canvas.text({left - tick_length - 2, y}, tick.label, label);
  }
  canvas.text({area.left(), frame.plot.top() - frame.head - text_height(style::TextSize::Small) / 2 - 2},
              elided(frame.y.full_title(), style::TextSize::Small, area.width() / 2), {.ink = text_ink()});
}

}  // namespace kernelscape::charts
