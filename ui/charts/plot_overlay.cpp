#include "ui/charts/plot_overlay.h"

#include <algorithm>

#include "ui/charts/styles.h"
#include "ui/style/numbers.h"

namespace kernelscape::charts {

void paint_drag(Canvas& canvas, const QRectF& rectangle, const Ink& line) {
  QColor faint = line.colour;
  faint.setAlphaF(0.12F);
  canvas.rect(rectangle, Ink{"band", faint});
  canvas.outline(rectangle, thin_stroke(line));
}

void paint_crosshair(Canvas& canvas, const PlotFrame& frame, QPointF at, bool is_readout) {
  const Stroke stroke{muted_ink(), 1, {2, 2}};
  canvas.line({at.x(), frame.plot.top()}, {at.x(), frame.plot.bottom()}, stroke);
  canvas.line({frame.plot.left(), at.y()}, {frame.plot.right(), at.y()}, stroke);
  canvas.ring(at, 5, {text_ink(), is_readout ? 1.5 : 0.0, {}});
  // Do not repeat values that the readout shows.
  if (is_readout) return;
  const QString values =
      frame.x.text(frame.x_at(at.x())) + QStringLiteral("   ") + frame.y.text(frame.y_at(at.y()));
  const double width = text_width(values, style::TextSize::Small) + 8;
  const QRectF chip(frame.plot.right() - width, frame.plot.top() - text_height(style::TextSize::Small) - 1,
                    width, text_height(style::TextSize::Small));
  canvas.rect(chip, surface_ink());
  canvas.text({chip.right() - 4, chip.center().y()}, values,
              {.ink = text_ink(), .anchor = Qt::AlignRight | Qt::AlignVCenter});
}

QString difference_text(const PlotCursors& cursors, const Axis& x, const Axis& y) {
  if (!cursors.a || !cursors.b) return {};
  const QPointF difference = *cursors.b - *cursors.a;
  QStringList parts;
  if (x.named.empty()) parts.append(x.text(difference.x()));
  if (y.named.empty()) {
    parts.append(y.text(difference.y()));
    if (cursors.a->y() > 0)
      parts.last() += QStringLiteral("   (%1 x)").arg(style::format_number(cursors.b->y() / cursors.a->y()));
  }
  return parts.isEmpty() ? QString() : QStringLiteral("B - A   ") + parts.join(QStringLiteral(", "));
}

void paint_cursors(Canvas& canvas, const PlotFrame& frame, const PlotCursors& cursors,
                   const QString& difference) {
  QStringList lines;
  const auto values = [&](QPointF cursor) {
    return frame.x.text(cursor.x()) + QStringLiteral(", ") + frame.y.text(cursor.y());
  };
  const auto paint = [&](const QPointF& cursor, const QString& name) {
    const QPointF at = frame.map(cursor.x(), cursor.y());
    const Stroke stroke{marked_ink(), 1, {}};
    const ClipScope clip(canvas, frame.plot);
    canvas.line({at.x(), frame.plot.top()}, {at.x(), frame.plot.bottom()}, stroke);
    canvas.line({frame.plot.left(), at.y()}, {frame.plot.right(), at.y()}, stroke);
    canvas.text({at.x() + 3, frame.plot.top() + 2}, name,
                {.ink = marked_ink(), .anchor = Qt::AlignLeft | Qt::AlignTop, .bold = true});
    lines.append(name + QStringLiteral("   ") + values(cursor));
  };
  if (cursors.a) paint(*cursors.a, QStringLiteral("A"));
  if (cursors.b) paint(*cursors.b, QStringLiteral("B"));
  if (lines.isEmpty()) return;
  if (!difference.isEmpty()) lines.append(difference);
  double width = 0;
  for (const QString& text : lines) width = std::max(width, text_width(text, style::TextSize::Small));
  const double line = text_height(style::TextSize::Small);
  const QSizeF size(width + 12, line * static_cast<double>(lines.size()) + 8);
  const QRectF box(frame.plot.bottomRight() - QPointF(size.width() + 4, size.height() + 4), size);
  canvas.rect(box, surface_ink());
  canvas.outline(box, thin_stroke(hairline_ink()));
  for (qsizetype index = 0; index < lines.size(); ++index)
    canvas.text({box.left() + 6, box.top() + 4 + line * (static_cast<double>(index) + 0.5)}, lines[index],
                {.ink = text_ink()});
}

}  // namespace kernelscape::charts
