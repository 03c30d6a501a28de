#pragma once

#include "ui/charts/curves/compare_curve_chart.h"

namespace kernelscape::charts {

/**
 * Share of valid offspring among the children that a tuner drew, with median and quartiles (Heron, figure
 * 12).
 */
class MemberShareChart : public CompareCurveChart {
  Q_OBJECT

 public:
  explicit MemberShareChart(QWidget* parent = nullptr);
};

}  // namespace kernelscape::charts
