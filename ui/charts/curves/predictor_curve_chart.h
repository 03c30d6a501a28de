#pragma once

#include <optional>
#include <vector>

#include "ui/charts/curves/curve_points.h"
#include "ui/charts/xy_chart.h"

namespace kernelscape::charts {

/** The quantity of predictors' curves. */
enum class PredictorQuantity : std::uint8_t {
  Loss,   ///< mean squared error of the standardised label, over epochs
  Tau,    ///< Kendall's tau of the validation tasks, over epochs
  Regret  ///< distance from the best configuration, over measurements
};

/** The kind of a predictor's curve. */
enum class PredictorCurveKind : std::uint8_t {
  HeldOut,   ///< on tasks that are not in the training set
  Training,  ///< on the tasks of the training set
  Random     ///< expected regret of as many measurements drawn at random
};

/** A curve of a predictor. */
struct PredictorCurve {
  std::size_t predictor = 0;  ///< position among the shown predictors: its colour
  QString name;               ///< "conv2d-packed-avx512, validation"
  PredictorCurveKind kind = PredictorCurveKind::HeldOut;
  std::vector<QPointF> points = {};     ///< epochs or measurements, ascending, with their values
  std::optional<double> marked_x = {};  ///< the epoch whose weights the predictor has

  bool operator==(const PredictorCurve&) const = default;
};

struct PredictorCurveData {
  PredictorQuantity quantity = PredictorQuantity::Loss;
  std::vector<PredictorCurve> curves = {};

  bool operator==(const PredictorCurveData&) const = default;
};

/**
 * The learning curve of a predictor over the epochs, or its regret after a number of measurements; two
 * predictors can be compared. Left and right go from epoch to epoch, up and down from curve to curve.
 */
class PredictorCurveChart : public XyChart {
  Q_OBJECT

 public:
  explicit PredictorCurveChart(QWidget* parent = nullptr);

  /** Sets the data. The zoom is kept if the quantity is unchanged. */
  void set_data(PredictorCurveData data);
  const PredictorCurveData& data() const { return data_; }  ///< as last set

  Table table() const override;
  QString explanation() const override;
  QString summary() const override;
  std::optional<Readout> readout_at(QPointF position) const override;

 protected:
  void home_changed() override;
  void paint_data(Canvas& canvas, const PlotFrame& frame) override;
  std::optional<Readout> step_readout(const std::optional<Readout>& from, Qt::Key direction) const override;

 private:
  double y_factor() const;
  QString value_text(const PredictorCurve& curve, std::size_t point) const;
  QPointF place(const PlotFrame& frame, QPointF point) const;
  Readout readout_of(CurvePoint point, const PlotFrame& frame) const;
  void paint_marks(Canvas& canvas, const PlotFrame& frame, const PredictorCurve& curve) const;
  void paint_names(Canvas& canvas, const PlotFrame& frame) const;

  PredictorCurveData data_;
};

}  // namespace kernelscape::charts
