#include "ui/charts/readout.h"

#include <QRectF>
#include <algorithm>

#include "ui/charts/canvas.h"

namespace kernelscape::charts {

void paint_readout(Canvas& canvas, const Readout& readout, QSizeF room) {
  if (readout.lines.isEmpty()) return;
  constexpr double padding = 6;
  double width = 0;
  for (qsizetype index = 0; index < readout.lines.size(); ++index)
    width = std::max(width, text_width(readout.lines[index], style::TextSize::Small, index == 0));
  const double line_height = text_height(style::TextSize::Small);
  QRectF box(0, 0, width + 2 * padding,
             line_height * static_cast<double>(readout.lines.size()) + 2 * padding);
  // Prefer the place right of the mark and above it; left or below if there is no room. Never cover the
  // mark.
  const QPointF mark = readout.position;
  box.moveTopLeft({mark.x() + 12, mark.y() - 12 - box.height()});
  if (box.right() > room.width() - 2) box.moveRight(mark.x() - 12);
  box.moveLeft(std::max(2.0, box.left()));
  if (box.top() < 2) box.moveTop(std::min(mark.y() + 12, std::max(2.0, room.height() - 2 - box.height())));
  canvas.rect(box, surface_ink());
  canvas.outline(box, {hairline_ink(), 1, {}});
  double y = box.top() + padding + line_height / 2;
  for (qsizetype index = 0; index < readout.lines.size(); ++index) {
    canvas.text({box.left() + padding, y}, readout.lines[index],
                {.size = style::TextSize::Small, .ink = text_ink(), .bold = index == 0});
    y += line_height;
  }
}

}  // namespace kernelscape::charts
