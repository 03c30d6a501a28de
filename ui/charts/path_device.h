#pragma once

#include <QPaintDevice>
#include <QPaintEngine>
#include <QPolygonF>
#include <functional>

namespace kernelscape::charts {

/**
 * Receives a path that a painter fills, with the brush's colour, or strokes, with the pen's colour. The
 * polygon is in device coordinates; it is closed if its last point equals its first.
 */
using PathReceiver = std::function<void(const QColor& colour, const QPolygonF& polygon)>;

/**
 * Passes every path to the receiver and paints nothing. Clips, widths and everything but paths are ignored.
 */
class PathEngine : public QPaintEngine {
 public:
  explicit PathEngine(PathReceiver receiver);

  bool begin(QPaintDevice*) override { return true; }
  bool end() override { return true; }
  void updateState(const QPaintEngineState&) override {}
  void drawPath(const QPainterPath& path) override;
  void drawPixmap(const QRectF&, const QPixmap&, const QRectF&) override {}
  Type type() const override { return User; }

 private:
  PathReceiver receiver_;
};

/** A paint device that reports the paths painted on it instead of producing pixels. */
class PathDevice : public QPaintDevice {
 public:
  /**
   * Makes a device.
   * @param size that the device reports, in pixels; the pixel ratio is 1
   */
  PathDevice(QSize size, PathReceiver receiver) : size_(size), engine_(std::move(receiver)) {}

  QPaintEngine* paintEngine() const override { return &engine_; }

 protected:
  int metric(PaintDeviceMetric metric) const override;

 private:
  QSize size_;
  mutable PathEngine engine_;
};

}  // namespace kernelscape::charts
