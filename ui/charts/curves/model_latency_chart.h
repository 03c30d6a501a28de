#pragma once

#include "ui/charts/curves/network_curve_chart.h"

namespace kernelscape::charts {

/** The latency of the whole model while its layers are tuned, beside onnxruntime's. */
class ModelLatencyChart final : public NetworkCurveChart {
  Q_OBJECT

 public:
  explicit ModelLatencyChart(QWidget* parent = nullptr);
};

}  // namespace kernelscape::charts
