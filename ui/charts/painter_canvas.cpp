#include "ui/charts/painter_canvas.h"

#include <QFontMetricsF>
#include <QPainter>
#include <QPixmap>
#include <QPolygonF>
#include <array>
#include <cmath>

#include "ui/charts/clipping.h"

namespace kernelscape::charts {
namespace {

QPen pen_of(const Stroke& stroke) {
  QPen pen(stroke.ink.colour, stroke.width, Qt::SolidLine, Qt::FlatCap, Qt::RoundJoin);
  if (!stroke.dashes.empty()) pen.setDashPattern(QList<qreal>(stroke.dashes.begin(), stroke.dashes.end()));
  return pen;
}

/** Returns the offset of a text's top left corner from its anchor. */
QPointF anchor_offset(Qt::Alignment anchor, QSizeF size) {
  const double x = anchor & Qt::AlignRight     ? -size.width()
                   : anchor & Qt::AlignHCenter ? -size.width() / 2
                                               : 0;
  const double y = anchor & Qt::AlignBottom    ? -size.height()
                   : anchor & Qt::AlignVCenter ? -size.height() / 2
                                               : 0;
  return {x, y};
}

/** Returns true if all pieces are horizontal or vertical. */
bool is_stair(std::span<const QPointF> points) {
  for (std::size_t index = 0; index + 1 < points.size(); ++index)
    if (points[index].x() != points[index + 1].x() && points[index].y() != points[index + 1].y())
      return false;
  return true;
}

/** Returns a picture of one dot, so that painting each of many dots is a copy. */
QPixmap dot_picture(double radius, const QColor& colour, double ratio) {
  const int side = static_cast<int>(std::ceil((radius * 2 + 2) * ratio));
  QPixmap picture(side, side);
  picture.fill(Qt::transparent);
  QPainter painter(&picture);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(Qt::NoPen);
  painter.setBrush(colour);
  painter.drawEllipse(QPointF(side / 2.0, side / 2.0), radius * ratio, radius * ratio);
  painter.end();
  return picture;
}

}  // namespace

PainterCanvas::PainterCanvas(QPainter& painter) : painter_(painter) {
  painter_.setRenderHint(QPainter::Antialiasing);
}

double PainterCanvas::pixel_ratio() const { return painter_.device()->devicePixelRatioF(); }

double PainterCanvas::on_pixel(double coordinate, double width) const {
  const double ratio = pixel_ratio();
  const bool odd = std::lround(width * ratio) % 2 == 1;
  return odd ? (std::floor(coordinate * ratio) + 0.5) / ratio : std::round(coordinate * ratio) / ratio;
}

QRectF PainterCanvas::visible() const {
  if (!clips_.empty()) return clips_.back();
  // Pictures have their own pixel ratio; widgets use that of the window.
  const QPaintDevice& device = *painter_.device();
  const double ratio = device.devType() == QInternal::Widget ? 1 : pixel_ratio();
  return QRectF(0, 0, device.width() / ratio, device.height() / ratio);
}

void PainterCanvas::line(QPointF from, QPointF to, const Stroke& stroke) {
  // Clip: distant ends would slow down the dasher and the rasteriser, or overflow their fixed-point numbers.
  const double reach = stroke.width + 2;
  const auto part = clip_line(from, to, visible().adjusted(-reach, -reach, reach, reach));
  if (!part) return;
  auto [start, end] = *part;
  if (start.x() == end.x()) start.rx() = end.rx() = on_pixel(start.x(), stroke.width);
  if (start.y() == end.y()) start.ry() = end.ry() = on_pixel(start.y(), stroke.width);
  painter_.setPen(pen_of(stroke));
  painter_.drawLine(start, end);
}

void PainterCanvas::polyline(std::span<const QPointF> points, const Stroke& stroke) {
  // `line` aligns horizontal and vertical lines to whole pixels.
  if (points.size() == 2 && !stroke.dashes.empty()) return line(points[0], points[1], stroke);
  painter_.setPen(pen_of(stroke));
  const double reach = stroke.width + 2;
  for (const auto& piece : clip_polyline(points, visible().adjusted(-reach, -reach, reach, reach))) {
    if (stroke.dashes.empty() && is_stair(piece)) {
      paint_stair(piece, stroke);
    } else {
      painter_.drawPolyline(piece.data(), static_cast<int>(piece.size()));
    }
  }
}

/**
 * Paints rectangles on whole device pixels: crisp, and a hundred times as fast as the outline of a wide
 * stroke.
 */
void PainterCanvas::paint_stair(std::span<const QPointF> points, const Stroke& stroke) {
  const double ratio = pixel_ratio();
  const double width = std::max(1.0, std::round(stroke.width * ratio)) / ratio;
  const auto snapped = [&](double coordinate) {
    return std::round((coordinate - width / 2) * ratio) / ratio;
  };
  for (std::size_t index = 0; index + 1 < points.size(); ++index) {
    const QPointF& from = points[index];
    const QPointF& to = points[index + 1];
    const QPointF corner(snapped(std::min(from.x(), to.x())), snapped(std::min(from.y(), to.y())));
    const QPointF opposite(snapped(std::max(from.x(), to.x())), snapped(std::max(from.y(), to.y())));
    painter_.fillRect(QRectF(corner, opposite + QPointF(width, width)), stroke.ink.colour);
  }
}

void PainterCanvas::polygon(std::span<const QPointF> points, const Ink& ink) {
  const std::vector<QPointF> kept = clip_polygon(points, visible().adjusted(-2, -2, 2, 2));
  painter_.setPen(Qt::NoPen);
  painter_.setBrush(ink.colour);
  painter_.drawPolygon(kept.data(), static_cast<int>(kept.size()));
  painter_.setBrush(Qt::NoBrush);
}

void PainterCanvas::rect(const QRectF& rectangle, const Ink& ink) {
  const std::array corners = {rectangle.topLeft(), rectangle.bottomRight()};
  for (const QPointF& corner : corners)
    if (!std::isfinite(corner.x()) || !std::isfinite(corner.y())) return;
  painter_.fillRect(rectangle.intersected(visible().adjusted(-2, -2, 2, 2)), ink.colour);
}

void PainterCanvas::dots(std::span<const QPointF> centres, double radius, const Ink& ink) {
  const double ratio = pixel_ratio();
  const QPixmap picture = dot_picture(radius, ink.colour, ratio);
  const QRectF source(0, 0, picture.width(), picture.height());
  const QRectF seen = visible().adjusted(-radius, -radius, radius, radius);
  QList<QPainter::PixmapFragment> fragments;
  fragments.reserve(static_cast<qsizetype>(centres.size()));
  for (const QPointF& centre : centres)
    if (holds(seen, centre))
      fragments.append(QPainter::PixmapFragment::create(centre, source, 1 / ratio, 1 / ratio));
  painter_.drawPixmapFragments(fragments.constData(), static_cast<int>(fragments.size()), picture);
}

void PainterCanvas::text(QPointF position, const QString& text, const TextStyle& style) {
  if (!std::isfinite(position.x()) || !std::isfinite(position.y())) return;
  QFont font = style::font_of(style.size);
  font.setBold(style.bold);
  const QFontMetricsF metrics(font);
  const QPointF corner = anchor_offset(style.anchor, {metrics.horizontalAdvance(text), metrics.height()});
  painter_.save();
  painter_.translate(position);
  if (style.rotation_degrees != 0) painter_.rotate(style.rotation_degrees);
  painter_.setFont(font);
  painter_.setPen(style.ink.colour);
  painter_.drawText(corner + QPointF(0, metrics.ascent()), text);
  painter_.restore();
}

void PainterCanvas::image(const QRectF& rectangle, const QImage& image) {
  if (image.isNull() || rectangle.isEmpty()) return;
  painter_.setRenderHint(QPainter::SmoothPixmapTransform, false);
  painter_.drawImage(rectangle, image, QRectF(image.rect()));
}

void PainterCanvas::push_clip(const QRectF& rectangle) {
  const QRectF inner = clips_.empty() ? rectangle : clips_.back().intersected(rectangle);
  clips_.push_back(inner);
  painter_.save();
  painter_.setClipRect(inner, clips_.size() == 1 ? Qt::ReplaceClip : Qt::IntersectClip);
}

void PainterCanvas::pop_clip() {
  clips_.pop_back();
  painter_.restore();
}

}  // namespace kernelscape::charts
