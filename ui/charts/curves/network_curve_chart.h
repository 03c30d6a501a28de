#pragma once

#include <optional>
#include <vector>

#include "ui/charts/curves/progress_data.h"
#include "ui/charts/xy_chart.h"

namespace kernelscape::charts {

/** The network's time from a point of the session on. */
struct NetworkCurvePoint {
  double x = 0;        ///< session time or trials
  double seconds = 0;  ///< time of the network
  QString cause = {};  ///< the layer that became faster
};

struct NetworkCurveData {
  ProgressX x = ProgressX::Seconds;
  std::vector<NetworkCurvePoint> points;
  double end = 0;                                ///< end of the curve along x
  std::vector<ReferenceLine> references;         ///< times of the vendor's library and the machine's limit
  std::optional<double> confirmed_seconds = {};  ///< time of the best kernels, measured again at the end
};

/** The network's time while its layers are tuned, with the vendor's library and the machine's limit. */
class NetworkCurveChart : public XyChart {
  Q_OBJECT

 public:
  explicit NetworkCurveChart(QWidget* parent = nullptr);

  /** Sets the data. The zoom is kept if the quantity of x is unchanged. */
  void set_data(NetworkCurveData data);
  const NetworkCurveData& data() const { return data_; }  ///< as last set

  Table table() const override;
  QString summary() const override;
  std::optional<Readout> readout_at(QPointF position) const override;

 protected:
  /** Sets the name of what the curve shows, for the axis and the table. */
  void set_quantity(const QString& quantity);
  void home_changed() override;
  void paint_data(Canvas& canvas, const PlotFrame& frame) override;
  std::optional<Readout> step_readout(const std::optional<Readout>& from, Qt::Key direction) const override;

 private:
  Readout readout_of(std::size_t point, const PlotFrame& frame) const;
  void paint_names(Canvas& canvas, const PlotFrame& frame) const;
  void paint_confirmed(Canvas& canvas, const PlotFrame& frame) const;

  NetworkCurveData data_;
  QString quantity_ = tr("time of the network");
};

}  // namespace kernelscape::charts
