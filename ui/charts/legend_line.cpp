#include "ui/charts/legend_line.h"

#include <array>

namespace kernelscape::charts {
namespace {

constexpr double legend_dot_radius = 3;
constexpr double entry_gap = 12;
constexpr double mark_room = 10;

double width_of(const LegendEntry& entry) {
  return mark_room + text_width(entry.text, style::TextSize::Small) + entry_gap;
}

void paint_mark(Canvas& canvas, QPointF at, const LegendEntry& entry) {
  switch (entry.mark) {
    case LegendMark::Dot:
      return canvas.dots(std::array{at}, legend_dot_radius, entry.ink);
    case LegendMark::UprightBar:
      return canvas.rect(QRectF(at.x() - 2, at.y() - 5, 6, 10), entry.ink);
    case LegendMark::LevelBar:
      return canvas.rect(QRectF(at.x() - 5, at.y() - 1, 11, 2), entry.ink);
  }
}

}  // namespace

void paint_legend_line(Canvas& canvas, const PlotFrame& frame, std::vector<LegendEntry> entries) {
  const double room = frame.plot.width() - text_width(frame.y.full_title(), style::TextSize::Small);
  double width = 0;
  for (const LegendEntry& entry : entries) width += width_of(entry);
  for (; !entries.empty() && width > room; entries.pop_back()) width -= width_of(entries.back());
  const double y = frame.plot.top() - frame.head - text_height(style::TextSize::Small) / 2 - 2;
  double x = frame.plot.right() - width + entry_gap;
  for (const LegendEntry& entry : entries) {
    paint_mark(canvas, {x, y}, entry);
    canvas.text({x + mark_room, y}, entry.text, {.ink = muted_ink()});
    x += width_of(entry);
  }
}

}  // namespace kernelscape::charts
