#pragma once

#include <optional>
#include <vector>

#include "ui/charts/xy_chart.h"

namespace kernelscape {

/** What curves of predictors tell. */
enum class PredictorQuantity : std::uint8_t {
  Loss,   ///< mean squared error of the standardised label, over epochs
  Tau,    ///< Kendall's tau of the validation tasks, over epochs
  Regret  ///< how far from the best one is, over measurements
};

/** Which of a predictor's curves it is. */
enum class PredictorCurveKind : std::uint8_t {
  HeldOut,   ///< on tasks that it did not learn from
  Training,  ///< on those that it did
  Random     ///< of as many measurements drawn at random
};

/** A curve of a predictor. */
struct PredictorCurve {
  std::size_t predictor = 0;  ///< its position among those that are shown: its colour
  QString name;               ///< "conv2d-packed-avx512, validation"
  PredictorCurveKind kind = PredictorCurveKind::HeldOut;
  std::vector<QPointF> points = {};     ///< epochs or measurements, ascending, and values
  std::optional<double> marked_x = {};  ///< the epoch whose weights it has

  bool operator==(const PredictorCurve&) const = default;
};

struct PredictorCurveData {
  PredictorQuantity quantity = PredictorQuantity::Loss;
  std::vector<PredictorCurve> curves = {};

  bool operator==(const PredictorCurveData&) const = default;
};

/**
 * How a predictor learnt over the epochs, or what it is worth after so many measurements; two predictors side
 * by side. Left and right go from epoch to epoch, up and down from curve to curve.
 */
class PredictorCurveChart : public XyChart {
  Q_OBJECT

 public:
  explicit PredictorCurveChart(QWidget* parent = nullptr);

  /** Keeps the zoom where the quantity is the same. */
  void set_data(PredictorCurveData data);
  const PredictorCurveData& data() const { return data_; }  ///< as last set

  ChartTable table() const override;
  QString explanation() const override;
  QString summary() const override;
  std::optional<Readout> readout_at(QPointF position) const override;

 protected:
  void home_changed() override;
  void paint_data(Canvas& canvas, const PlotFrame& frame) override;
  std::optional<Readout> step_readout(const std::optional<Readout>& from, Qt::Key direction) const override;
  /** There is nothing to go to. */
  void activate(const Readout& readout) override;

 private:
  double y_factor() const;
  QString value_text(const PredictorCurve& curve, std::size_t point) const;
  QPointF place(const PlotFrame& frame, QPointF point) const;
  /** @param row curve and point in one number, as Readout::row has it */
  Readout readout_of(std::size_t curve, std::size_t point, const PlotFrame& frame) const;
  void paint_marks(Canvas& canvas, const PlotFrame& frame, const PredictorCurve& curve) const;
  void paint_names(Canvas& canvas, const PlotFrame& frame) const;

  PredictorCurveData data_;
};

}  // namespace kernelscape
