#pragma once

#include <QByteArray>
#include <QSizeF>
#include <map>
#include <string>

#include "core/base/media/html.h"
#include "ui/charts/canvas.h"

namespace kernelscape::charts {

/**
 * Writes SVG 1.1. Colours are classes of one style sheet (so that a page can restyle them), fonts name
 * fallbacks, and clipping is applied before writing, since many readers ignore clips. Images are embedded as
 * PNG with two pixels per unit. Equal calls produce equal bytes.
 */
class SvgCanvas : public Canvas {
 public:
  /**
   * Makes an empty document.
   * @param title of the document, for screen readers
   */
  SvgCanvas(QSizeF size, QString title);

  using Canvas::rect;
  void line(QPointF from, QPointF to, const Stroke& stroke) override;
  void polyline(std::span<const QPointF> points, const Stroke& stroke) override;
  void polygon(std::span<const QPointF> points, const Ink& ink) override;
  void rect(const QRectF& rectangle, const Ink& ink) override;
  void dots(std::span<const QPointF> centres, double radius, const Ink& ink) override;
  /**
   * Writes a text. A text outside of the clip is omitted; a text that crosses its border is written whole.
   */
  void text(QPointF position, const QString& text, const TextStyle& style) override;
  void image(const QRectF& rectangle, const QImage& image) override;
  void push_clip(const QRectF& rectangle) override;
  void pop_clip() override;
  double pixel_ratio() const override { return 2; }

  /** Returns the whole document in UTF-8. */
  QByteArray document() const;
  /** Returns the picture as an element of a page, whose style sheet has to define the classes. */
  base::HtmlText element() const;
  /** Returns the declarations of all classes of the element by name: colours, sizes of texts, "bold". */
  const std::map<std::string, base::HtmlText>& classes() const { return classes_; }

 private:
  QRectF clip() const;
  base::HtmlText stroke_class(const Ink& ink);
  base::HtmlText fill_class(const Ink& ink);
  base::HtmlText text_classes(const TextStyle& style);
  base::HtmlText stroke_attributes(const Stroke& stroke);
  base::HtmlText size_attributes() const;
  base::HtmlText title_element() const;

  QSizeF size_;
  QString title_;
  base::HtmlText body_;
  std::map<std::string, base::HtmlText>
      classes_;  ///< name to declaration; sorted, so that the output is in a fixed order
  std::vector<QRectF> clips_;
};

}  // namespace kernelscape::charts
