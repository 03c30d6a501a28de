#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "core/analysis/distribution.h"
#include "ui/charts/xy_chart.h"

namespace kernelscape::charts {

/** Returns the rows whose performance lies in [low, high), ascending; in [low, high] if `closed`. */
using RowsBetween = std::function<std::vector<qint64>(double low, double high, bool closed)>;

/** A histogram of performance, with the texts of its chart. */
struct DistributionData {
  QString quantity;  ///< "speed"
  QString unit;      ///< "GFLOPS"
  analysis::Histogram histogram;
  std::vector<std::int64_t> highlighted;  ///< selected trials, by bin; empty: no selection
  std::optional<double> best;
  bool logarithmic = false;  ///< bins of equal ratio instead of equal width
  RowsBetween rows_between;
};

/**
 * A histogram of the trials' performance: NoSE, figure 4. Bars start at zero; failed trials are counted in a
 * text, not drawn.
 */
class DistributionChart : public XyChart {
  Q_OBJECT

 public:
  explicit DistributionChart(QWidget* parent = nullptr);

  /** Replaces the histogram and the home axes: x over its edges, y from zero. */
  void set_data(DistributionData data);
  const DistributionData& data() const { return data_; }  ///< as last set
  /** Sets the current trial's performance; nullopt: no line. */
  void set_current(std::optional<double> performance);

  Table table() const override;
  QString summary() const override;
  std::optional<Readout> readout_at(QPointF position) const override;

 signals:
  /** Emitted when the user switches between bins of equal ratio and bins of equal width. */
  void logarithmic_requested(bool logarithmic);
  /** Emitted when a bar is clicked, with the ends of its bin. */
  void range_activated(double low, double high, bool closed);

 protected:
  void paint_data(Canvas& canvas, const PlotFrame& frame) override;
  void paint_plot_overlay(Canvas& canvas, const PlotFrame& frame) override;
  std::vector<qint64> rows_in(const QRectF& rectangle) const override;
  std::optional<Readout> step_readout(const std::optional<Readout>& from, Qt::Key direction) const override;
  void activate(const Readout& readout) override;
  void extend_menu(QMenu& menu) override;

 private:
  std::optional<std::size_t> bin_of(double value) const;
  /** Returns the number of selected trials in a bin. */
  std::int64_t highlighted(std::size_t bin) const;
  Readout readout_of(std::size_t bin, const PlotFrame& frame) const;

  DistributionData data_;
  std::optional<double> current_;
};

}  // namespace kernelscape::charts
