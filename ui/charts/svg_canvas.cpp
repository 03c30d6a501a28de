#include "ui/charts/svg_canvas.h"

#include <QBuffer>
#include <QFontMetricsF>
#include <cmath>

#include "ui/charts/clipping.h"

namespace kernelscape::charts {
namespace {

/** Writes a number with a resolution of a hundredth; "-0" is written as "0". */
base::HtmlText number(double value) {
  const double rounded = std::round(value * 100) / 100;
  return base::write<base::Html>("{}", rounded == 0 ? 0.0 : rounded);
}

base::HtmlText attribute(base::Literal name, const base::HtmlText& value) {
  return base::write<base::Html>(" {}=\"{}\"", name, value);
}

base::HtmlText svg_text(const QString& text) { return base::Html::text(text.toStdString()); }

base::HtmlText opacity(base::Literal property, const QColor& colour) {
  if (colour.alpha() == 255) return {};
  return base::write<base::Html>("; {}: {:.3f}", property, colour.alphaF());
}

base::HtmlText points_text(std::span<const QPointF> points) {
  base::HtmlText text;
  for (const QPointF& point : points) {
    if (!text.empty()) text += " ";
    text += number(point.x()) + "," + number(point.y());
  }
  return text;
}

double font_pixels(style::TextSize size) {
  const QFont font = style::font_of(size);
  return font.pixelSize() > 0 ? font.pixelSize() : font.pointSizeF() * 96 / 72;
}

base::Literal size_class(style::TextSize size) {
  switch (size) {
    case style::TextSize::Small:
      return "small";
    case style::TextSize::Large:
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

base::HtmlText SvgCanvas::stroke_class(const Ink& ink) {
  classes_[ink.role + "-line"] =
      base::write<base::Html>("fill: none; stroke: {}", ink.colour.name().toStdString()) +
      opacity("stroke-opacity", ink.colour);
  return base::write<base::Html>("{}-line", ink.role);
}

base::HtmlText SvgCanvas::fill_class(const Ink& ink) {
  classes_[ink.role + "-fill"] =
      base::write<base::Html>("stroke: none; fill: {}", ink.colour.name().toStdString()) +
      opacity("fill-opacity", ink.colour);
  return base::write<base::Html>("{}-fill", ink.role);
}

base::HtmlText SvgCanvas::text_classes(const TextStyle& style) {
  const base::Literal size = size_class(style.size);
  classes_[std::string(size.text())] =
      base::write<base::Html>("font-size: {}px", number(font_pixels(style.size)));
  base::HtmlText names = fill_class(style.ink) + " " + size;
  if (!style.bold) return names;
  classes_["bold"] = base::write<base::Html>("font-weight: bold");
  return names + " bold";
}

base::HtmlText SvgCanvas::stroke_attributes(const Stroke& stroke) {
  base::HtmlText text =
      attribute("class", stroke_class(stroke.ink)) + attribute("stroke-width", number(stroke.width));
  base::HtmlText dashes;
  for (const double dash : stroke.dashes) {
    if (!dashes.empty()) dashes += " ";
    dashes += number(dash * stroke.width);
  }
  if (!dashes.empty()) text += attribute("stroke-dasharray", dashes);
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
  base::HtmlText written;
  for (const QPointF& centre : centres)
    if (holds(seen, centre))
      written += "<circle" + attribute("cx", number(centre.x())) + attribute("cy", number(centre.y())) +
                 attribute("r", number(radius)) + "/>";
  if (!written.empty()) body_ += "<g" + attribute("class", fill_class(ink)) + ">" + written + "</g>\n";
}

void SvgCanvas::text(QPointF position, const QString& text, const TextStyle& style) {
  if (text.isEmpty() || !holds(clip(), position)) return;
  const QFontMetricsF metrics(style::font_of(style.size));
  double down = 0;
  if (style.anchor & Qt::AlignTop) down = metrics.ascent();
  if (style.anchor & Qt::AlignVCenter) down = metrics.ascent() - metrics.height() / 2;
  if (style.anchor & Qt::AlignBottom) down = metrics.ascent() - metrics.height();
  const base::Literal anchor = style.anchor & Qt::AlignRight     ? base::Literal("end")
                               : style.anchor & Qt::AlignHCenter ? base::Literal("middle")
                                                                 : base::Literal("start");
  body_ += "<text" + attribute("class", text_classes(style)) + attribute("text-anchor", anchor);
  if (style.rotation_degrees == 0) {
    body_ += attribute("x", number(position.x())) + attribute("y", number(position.y() + down));
  } else {
    body_ += attribute("transform", "translate(" + number(position.x()) + " " + number(position.y()) +
                                        ") rotate(" + number(style.rotation_degrees) + ") translate(0 " +
                                        number(down) + ")");
  }
  body_ += ">" + svg_text(text) + "</text>\n";
}

void SvgCanvas::image(const QRectF& rectangle, const QImage& image) {
  const QRectF kept = rectangle.intersected(clip());
  if (image.isNull() || kept.isEmpty()) return;
  // Embed only the part inside the clip, at two pixels per unit, whatever the resolution of the image.
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
  body_ +=
      "<image" + attribute("x", number(kept.x())) + attribute("y", number(kept.y())) +
      attribute("width", number(kept.width())) + attribute("height", number(kept.height())) +
      attribute("preserveAspectRatio", {"none"}) +
      attribute("xlink:href", "data:image/png;base64," + base::Html::text(png.toBase64().toStdString())) +
      "/>\n";
}

base::HtmlText SvgCanvas::size_attributes() const {
  return attribute("width", number(size_.width())) + attribute("height", number(size_.height())) +
         attribute("viewBox", "0 0 " + number(size_.width()) + " " + number(size_.height()));
}

base::HtmlText SvgCanvas::title_element() const { return "<title>" + svg_text(title_) + "</title>\n"; }

QByteArray SvgCanvas::document() const {
  base::HtmlText text(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" "
      "xmlns:xlink=\"http://www.w3.org/1999/xlink\"");
  text += size_attributes() + ">\n" + title_element() +
          "<style>\ntext { font-family: \"Inter\", \"DejaVu Sans\", sans-serif }\n";
  for (const auto& [name, declaration] : classes_)
    text += base::write<base::Html>(".{} {{ {} }}\n", name, declaration);
  text += "</style>\n" + body_ + "</svg>\n";
  return QByteArray::fromStdString(text.text());
}

base::HtmlText SvgCanvas::element() const {
  return "<svg class=\"chart\" role=\"img\" xmlns=\"http://www.w3.org/2000/svg\" "
         "xmlns:xlink=\"http://www.w3.org/1999/xlink\"" +
         size_attributes() + ">\n" + title_element() + body_ + "</svg>\n";
}

}  // namespace kernelscape::charts
