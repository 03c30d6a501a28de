#pragma once

#include "ui/charts/curves/compare_curve_chart.h"

namespace kernelscape::charts {

/** Speed-up of every tuner over a baseline, on a log2 axis around 1 (NoSE, figure 5B). */
class SpeedUpChart : public CompareCurveChart {
  Q_OBJECT

 public:
  explicit SpeedUpChart(QWidget* parent = nullptr);

 protected:
  Interval y_range() const override;
};

}  // namespace kernelscape::charts
