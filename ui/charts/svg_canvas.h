#pragma once

#include <QByteArray>
#include <QSizeF>
#include <map>
#include <string>

#include "core/base/media/html.h"
#include "ui/charts/canvas.h"

namespace kernelscape {

/**
 * Writes SVG 1.1. Colours are classes of one style sheet (so that a page can restyle them), fonts name
 * fallbacks, and what is clipped is cut before it is written, since many readers ignore clips. Pictures are
 * embedded as PNG with two pixels per unit. The same calls give the same bytes.
 */
class SvgCanvas : public Canvas {
 public:
  /** @param title of the document, for readers that speak */
  SvgCanvas(QSizeF size, QString title);

  using Canvas::rect;
  void line(QPointF from, QPointF to, const Stroke& stroke) override;
  void polyline(std::span<const QPointF> points, const Stroke& stroke) override;
  void polygon(std::span<const QPointF> points, const Ink& ink) override;
  void rect(const QRectF& rectangle, const Ink& ink) override;
  void dots(std::span<const QPointF> centres, double radius, const Ink& ink) override;
  /** A text that stands outside of the clip is left out; one that crosses its border is written whole. */
  void text(QPointF position, const QString& text, const TextStyle& style) override;
  void image(const QRectF& rectangle, const QImage& image) override;
  void push_clip(const QRectF& rectangle) override;
  void pop_clip() override;
  double pixel_ratio() const override { return 2; }

  /** The whole document, in UTF-8. */
  QByteArray document() const;
  /** As an element of a page, whose style sheet has the classes. */
  HtmlText element() const;
  /** Declarations of all classes that the element has, by their names: colours, sizes of texts, "bold". */
  const std::map<std::string, HtmlText>& classes() const { return classes_; }

 private:
  QRectF clip() const;
  HtmlText stroke_class(const Ink& ink);
  HtmlText fill_class(const Ink& ink);
  HtmlText text_classes(const TextStyle& style);
  HtmlText stroke_attributes(const Stroke& stroke);
  HtmlText size_attributes() const;
  HtmlText title_element() const;

  QSizeF size_;
  QString title_;
  HtmlText body_;
  std::map<std::string, HtmlText> classes_;  ///< name to declaration, so that they are written sorted
  std::vector<QRectF> clips_;
};

}  // namespace kernelscape
