#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "core/analysis/distribution.h"
#include "ui/charts/xy_chart.h"

namespace kernelscape {

/** Rows whose performance lies in [low, high), ascending; with the high end where `closed`. */
using RowsBetween = std::function<std::vector<qint64>(double low, double high, bool closed)>;

/** A histogram of performance, with what a chart says beside it. */
struct DistributionData {
  QString quantity;  ///< "speed"
  QString unit;      ///< "GFLOPS"
  Histogram histogram;
  std::vector<std::int64_t> highlighted;  ///< of the selection, by bin; empty: none
  std::optional<double> best;
  bool logarithmic = false;  ///< bins of equal ratio
  RowsBetween rows_between;
};

/** How many trials run how fast: NoSE, figure 4. Bars start at zero; what failed is stated, not drawn. */
class DistributionChart : public XyChart {
  Q_OBJECT

 public:
  explicit DistributionChart(QWidget* parent = nullptr);

  /** Replaces the histogram and the home axes: x over its edges, y from zero. */
  void set_data(DistributionData data);
  const DistributionData& data() const { return data_; }  ///< as last set
  /** The current trial's performance; none: no line. */
  void set_current(std::optional<double> performance);

  ChartTable table() const override;
  QString explanation() const override;
  QString summary() const override;
  std::optional<Readout> readout_at(QPointF position) const override;

 signals:
  /** The user wants bins of equal ratio, or of equal width again. */
  void logarithmic_requested(bool logarithmic);
  /** A bar was clicked: the ends of its bin. */
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
  /** How many trials of a bin are selected. */
  std::int64_t highlighted(std::size_t bin) const;
  Readout readout_of(std::size_t bin, const PlotFrame& frame) const;

  DistributionData data_;
  std::optional<double> current_;
};

}  // namespace kernelscape
