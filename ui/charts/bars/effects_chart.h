#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "core/analysis/order_statistics.h"
#include "ui/charts/chart.h"
#include "ui/charts/qt_plot.h"

namespace kernelscape::charts {

/** The trials of one value of a column, or of a range of values. */
struct EffectBox {
  QString label;  ///< of the value
  std::int64_t count = 0;
  std::int64_t valid = 0;
  std::int64_t highlighted = 0;     ///< number of selected trials
  analysis::Quartiles performance;  ///< quartiles of the valid trials
  std::optional<double> mean;
  std::optional<std::pair<double, double>>
      mean_interval;  ///< 95 % interval of the mean, only if the trials are a random sample of the space
  std::optional<std::pair<double, double>>
      share_interval;          ///< 95 % interval of the valid share, under the same condition
  std::vector<double> points;  ///< every valid trial if there are fewer than 5
};

struct EffectsData {
  QString column;    ///< "tile_oc[3]"
  QString quantity;  ///< "speed"
  QString unit;      ///< "GFLOPS"
  bool higher_is_better = true;
  std::vector<EffectBox> boxes;
  std::optional<std::size_t> current;  ///< box of the current trial
};

/**
 * Performance by the values of one column: a box of the quartiles with whiskers to minimum and maximum; n and
 * the valid share stand below. Fewer than five valid trials are drawn as points, since quartiles of so few
 * are meaningless.
 */
class EffectsChart : public Chart {
  Q_OBJECT

 public:
  explicit EffectsChart(QWidget* parent = nullptr);

  /** Sets boxes in the order given and removes the readout. */
  void set_data(EffectsData data);
  const EffectsData& data() const { return data_; }  ///< as last set

  Table table() const override;
  QString summary() const override;
  std::optional<Readout> readout_at(QPointF position) const override;

 signals:
  /** Emitted when a box is clicked or Enter is pressed on it, with its position in the data's boxes. */
  void box_activated(int index);

 protected:
  void paint_chart(Canvas& canvas, const QRectF& area) override;
  std::optional<Readout> step_readout(const std::optional<Readout>& from, Qt::Key direction) const override;
  void activate(const Readout& readout) override;

 private:
  /** Returns the frame of the plot; the boxes stand at 0.5, 1.5, ... of x. */
  PlotFrame frame_for(const QRectF& area) const;
  void add_series(std::vector<PlotSeries>& series, const PlotFrame& frame, std::size_t index) const;
  void paint_counts(Canvas& canvas, const PlotFrame& frame) const;
  Readout readout_of(std::size_t index) const;

  EffectsData data_;
  QtPlot plot_;
};

}  // namespace kernelscape::charts
