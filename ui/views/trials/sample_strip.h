#pragma once

#include <QWidget>
#include <vector>

#include "ui/charts/axis.h"

namespace kernelscape::views {

/** A unit for a time, such as "ms" or "µs", and the factor from seconds to it. */
struct TimeUnit {
  QString name;
  double factor = 1;
};
/**
 * Returns the unit for a time, from ns to s. The next larger unit is used from 0.1 of it: 100 µs are "0.1
 * ms".
 */
TimeUnit unit_for(double seconds);

/** Draws the samples of a trial in order of measuring, downwards, along a time axis, over their quartiles. */
class SampleStrip : public QWidget {
  Q_OBJECT

 public:
  explicit SampleStrip(QWidget* parent = nullptr);

  /** Sets the samples in seconds, in order of measuring. An empty list draws nothing. */
  void set_samples(std::vector<double> seconds);
  /** Extends the axis to these seconds, so that strips of several trials can be compared. */
  void set_least_span(double min_seconds, double max_seconds);
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  /** Maps times to positions. */
  struct Scale {
    QRectF plot;
    TimeUnit unit;
    charts::Axis axis;

    double x_of(double seconds) const;
  };

  Scale scale_of(const QRectF& plot) const;
  void paint_axis(QPainter& painter, const Scale& scale) const;
  void paint_quartiles(QPainter& painter, const Scale& scale) const;
  void paint_samples(QPainter& painter, const Scale& scale) const;

  std::vector<double> seconds_;
  std::vector<double> span_;  ///< range that the axis has to cover; empty: only the samples
};

}  // namespace kernelscape::views
