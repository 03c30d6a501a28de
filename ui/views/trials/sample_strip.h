#pragma once

#include <QWidget>
#include <vector>

#include "ui/charts/axis.h"

namespace kernelscape {

/** "ms", "µs" or another that suits a time, and what seconds are multiplied with. */
struct TimeUnit {
  QString name;
  double factor = 1;
};
/** From ns to s; one step up from 0.1 of the larger unit on: 100 µs are "0.1 ms". */
TimeUnit unit_for(double seconds);

/** The samples of a trial in order of measuring, downwards, along an axis of time, over their quartiles. */
class SampleStrip : public QWidget {
  Q_OBJECT

 public:
  explicit SampleStrip(QWidget* parent = nullptr);

  /** In seconds, in order of measuring; empty: nothing is drawn. */
  void set_samples(std::vector<double> seconds);
  /** The axis spans these seconds as well, so that strips of several trials can be compared. */
  void set_least_span(double least_seconds, double most_seconds);
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  /** Where times stand. */
  struct Scale {
    QRectF plot;
    TimeUnit unit;
    Axis axis;

    double x_of(double seconds) const;
  };

  Scale scale_of(const QRectF& plot) const;
  void paint_axis(QPainter& painter, const Scale& scale) const;
  void paint_quartiles(QPainter& painter, const Scale& scale) const;
  void paint_samples(QPainter& painter, const Scale& scale) const;

  std::vector<double> seconds_;
  std::vector<double> span_;  ///< that the axis has to show; empty: the samples alone
};

}  // namespace kernelscape
