#include "ui/charts/curves/model_latency_chart.h"

namespace kernelscape::charts {

ModelLatencyChart::ModelLatencyChart(QWidget* parent) : NetworkCurveChart(parent) {
  set_title(tr("Latency of the whole model"));
  set_quantity(tr("latency"));
  set_explanation(tr(
      "The time of one run of the whole model, warm: its library is built with the best kernels so far, "
      "checked against a reference and measured after rounds in which a kernel got better. It includes what "
      "the sum of the layers does not: other operators, conversions of memory layouts, and caches that the "
      "layers share. All these measurements take at most a tenth of the tuning time, so that some rounds "
      "have "
      "none.\n\nA kernel that is faster alone but makes the whole slower is not kept in the model. The "
      "dashed "
      "line is onnxruntime, and the diamond the latency that was measured at the end, in turns with it."));
}

}  // namespace kernelscape::charts
