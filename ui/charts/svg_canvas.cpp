#include "ui/charts/svg_canvas.h"

#include <QBuffer>
#include <QFontMetricsF>
#include <cmath>

#include "ui/charts/clipping.h"

namespace kernelscape {
namespace {

/** Hundredths of a pixel are enough, and "-0" is written "0". */
QByteArray number(double value) {
  QByteArray text = QByteArray::number(value, 'f', 2);
  while (text.endsWith('0')) text.chop(1);
  if (text.endsWith('.')) text.chop(1);
  return text == "-0" ? QByteArray("0") : text;
}

QByteArray attribute(const char* name, const QByteArray& value) {
  return QByteArray(" ") + name + "=\"" + value + '"';
}

/** Without the control characters that XML 1.0 forbids. */
QByteArray escaped(const QString& text) {
  QString kept;
  for (const QChar character : text)
    if (character.unicode() >= 0x20 && character.unicode() < 0xfffe) kept.append(character);
  return kept.toHtmlEscaped().toUtf8();
}

QByteArray opacity(const char* property, const QColor& colour) {
  return colour.alpha() == 255
             ? QByteArray()
             : QByteArray("; ") + property + ": " + QByteArray::number(colour.alphaF(), 'f', 3);
}

QByteArray points_text(std::span<const QPointF> points) {
  QByteArray text;
  for (const QPointF& point : points) {
    if (!text.isEmpty()) text += ' ';
    text += number(point.x()) + ',' + number(point.y());
  }
  return text;
}

double font_pixels(TextSize size) {
  const QFont font = font_of(size);
  return font.pixelSize() > 0 ? font.pixelSize() : font.pointSizeF() * 96 / 72;
}

const char* size_class(TextSize size) {
  switch (size) {
    case TextSize::Small:
      return "small";
    case TextSize::Large:
      return "large";
    default:
      return "normal";
  }
}

}  // namespace

SvgCanvas::SvgCanvas(QSizeF size, QString title) : size_(size), title_(std::move(title)) {}

QRectF SvgCanvas::clip() const { return clips_.empty() ? QRectF(QPointF(0, 0), size_) : clips_.back(); }

void SvgCanvas::push_clip(const QRectF& rectangle) { clips_.push_back(clip().intersected(rectangle)); }

void SvgCanvas::pop_clip() { clips_.pop_back(); }

QByteArray SvgCanvas::stroke_class(const Ink& ink) {
  const QByteArray name = QByteArray::fromStdString(ink.role) + "-line";
  classes_[name] =
      "fill: none; stroke: " + ink.colour.name().toLatin1() + opacity("stroke-opacity", ink.colour);
  return name;
}

QByteArray SvgCanvas::fill_class(const Ink& ink) {
  const QByteArray name = QByteArray::fromStdString(ink.role) + "-fill";
  classes_[name] =
      "stroke: none; fill: " + ink.colour.name().toLatin1() + opacity("fill-opacity", ink.colour);
  return name;
}

QByteArray SvgCanvas::stroke_attributes(const Stroke& stroke) {
  QByteArray text =
      attribute("class", stroke_class(stroke.ink)) + attribute("stroke-width", number(stroke.width));
  QByteArray dashes;
  for (const double dash : stroke.dashes)
    dashes += (dashes.isEmpty() ? "" : " ") + number(dash * stroke.width);
  if (!dashes.isEmpty()) text += attribute("stroke-dasharray", dashes);
  return text;
}

void SvgCanvas::line(QPointF from, QPointF to, const Stroke& stroke) {
  const auto part = clip_line(from, to, clip());
  if (!part) return;
  body_ += "<line" + attribute("x1", number(part->first.x())) + attribute("y1", number(part->first.y())) +
           attribute("x2", number(part->second.x())) + attribute("y2", number(part->second.y())) +
           stroke_attributes(stroke) + "/>\n";
}

void SvgCanvas::polyline(std::span<const QPointF> points, const Stroke& stroke) {
  for (const auto& piece : clip_polyline(points, clip()))
    body_ += "<polyline" + attribute("points", points_text(piece)) + stroke_attributes(stroke) + "/>\n";
}

void SvgCanvas::polygon(std::span<const QPointF> points, const Ink& ink) {
  const std::vector<QPointF> kept = clip_polygon(points, clip());
  if (kept.size() < 3) return;
  body_ += "<polygon" + attribute("points", points_text(kept)) + attribute("class", fill_class(ink)) + "/>\n";
}

void SvgCanvas::rect(const QRectF& rectangle, const Ink& ink) {
  if (!std::isfinite(rectangle.left() + rectangle.right() + rectangle.top() + rectangle.bottom())) return;
  const QRectF kept = rectangle.normalized().intersected(clip());
  if (!(kept.width() > 0) || !(kept.height() > 0)) return;
  body_ += "<rect" + attribute("x", number(kept.x())) + attribute("y", number(kept.y())) +
           attribute("width", number(kept.width())) + attribute("height", number(kept.height())) +
           attribute("class", fill_class(ink)) + "/>\n";
}

void SvgCanvas::dots(std::span<const QPointF> centres, double radius, const Ink& ink) {
  const QRectF seen = clip();
  QByteArray written;
  for (const QPointF& centre : centres)
    if (holds(seen, centre))
      written += "<circle" + attribute("cx", number(centre.x())) + attribute("cy", number(centre.y())) +
                 attribute("r", number(radius)) + "/>";
  if (!written.isEmpty()) body_ += "<g" + attribute("class", fill_class(ink)) + ">" + written + "</g>\n";
}

void SvgCanvas::text(QPointF position, const QString& text, const TextStyle& style) {
  if (text.isEmpty() || !holds(clip(), position)) return;
  const QFontMetricsF metrics(font_of(style.size));
  double down = 0;
  if (style.anchor & Qt::AlignTop) down = metrics.ascent();
  if (style.anchor & Qt::AlignVCenter) down = metrics.ascent() - metrics.height() / 2;
  if (style.anchor & Qt::AlignBottom) down = metrics.ascent() - metrics.height();
  const char* anchor = style.anchor & Qt::AlignRight     ? "end"
                       : style.anchor & Qt::AlignHCenter ? "middle"
                                                         : "start";
  QByteArray classes = fill_class(style.ink) + ' ' + size_class(style.size);
  if (style.bold) classes += " bold";
  body_ += "<text" + attribute("class", classes) + attribute("text-anchor", anchor);
  if (style.rotation_degrees == 0) {
    body_ += attribute("x", number(position.x())) + attribute("y", number(position.y() + down));
  } else {
    body_ += attribute("transform", "translate(" + number(position.x()) + ' ' + number(position.y()) +
                                        ") rotate(" + number(style.rotation_degrees) + ") translate(0 " +
                                        number(down) + ')');
  }
  body_ += '>' + escaped(text) + "</text>\n";
}

void SvgCanvas::image(const QRectF& rectangle, const QImage& image) {
  const QRectF kept = rectangle.intersected(clip());
  if (image.isNull() || kept.isEmpty()) return;
  // Only what is inside the clip, at two pixels per unit whatever the picture had.
  const double x_scale = image.width() / rectangle.width();
  const double y_scale = image.height() / rectangle.height();
  const QRectF source((kept.left() - rectangle.left()) * x_scale, (kept.top() - rectangle.top()) * y_scale,
                      kept.width() * x_scale, kept.height() * y_scale);
  const QImage scaled = image.copy(source.toAlignedRect())
                            .scaled((kept.size() * pixel_ratio()).toSize().expandedTo({1, 1}),
                                    Qt::IgnoreAspectRatio, Qt::FastTransformation);
  QByteArray png;
  QBuffer buffer(&png);
  buffer.open(QIODevice::WriteOnly);
  scaled.save(&buffer, "PNG");
  body_ += "<image" + attribute("x", number(kept.x())) + attribute("y", number(kept.y())) +
           attribute("width", number(kept.width())) + attribute("height", number(kept.height())) +
           attribute("preserveAspectRatio", "none") +
           attribute("xlink:href", "data:image/png;base64," + png.toBase64()) + "/>\n";
}

QByteArray SvgCanvas::document() const {
  QByteArray text =
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" "
      "xmlns:xlink=\"http://www.w3.org/1999/xlink\"";
  text += attribute("width", number(size_.width())) + attribute("height", number(size_.height())) +
          attribute("viewBox", "0 0 " + number(size_.width()) + ' ' + number(size_.height())) + ">\n<title>" +
          escaped(title_) +
          "</title>\n<style>\ntext { font-family: \"Inter\", \"DejaVu Sans\", sans-serif }\n";
  for (const TextSize size : {TextSize::Large, TextSize::Normal, TextSize::Small})
    text += QByteArray(".") + size_class(size) + " { font-size: " + number(font_pixels(size)) + "px }\n";
  text += ".bold { font-weight: bold }\n";
  for (const auto& [name, declaration] : classes_) text += '.' + name + " { " + declaration + " }\n";
  return text + "</style>\n" + body_ + "</svg>\n";
}

}  // namespace kernelscape
