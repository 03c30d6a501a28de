#pragma once

#include "ui/charts/canvas.h"

class QPainter;

namespace kernelscape::charts {

/**
 * A canvas that paints with a QPainter, which must outlive it. Straight one-pixel lines are aligned to whole
 * device pixels.
 */
class PainterCanvas : public Canvas {
 public:
  explicit PainterCanvas(QPainter& painter);

  using Canvas::rect;
  void line(QPointF from, QPointF to, const Stroke& stroke) override;
  void polyline(std::span<const QPointF> points, const Stroke& stroke) override;
  void polygon(std::span<const QPointF> points, const Ink& ink) override;
  void rect(const QRectF& rectangle, const Ink& ink) override;
  void dots(std::span<const QPointF> centres, double radius, const Ink& ink) override;
  void text(QPointF position, const QString& text, const TextStyle& style) override;
  void image(const QRectF& rectangle, const QImage& image) override;
  void push_clip(const QRectF& rectangle) override;
  void pop_clip() override;
  double pixel_ratio() const override;

 private:
  void paint_stair(std::span<const QPointF> points, const Stroke& stroke);
  double on_pixel(double coordinate, double width) const;
  QRectF visible() const;

  QPainter& painter_;
  std::vector<QRectF> clips_;
};

}  // namespace kernelscape::charts
