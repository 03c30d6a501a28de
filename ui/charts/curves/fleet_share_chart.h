#pragma once

#include <optional>
#include <vector>

#include "ui/charts/curves/curve_points.h"
#include "ui/charts/xy_chart.h"

namespace kernelscape::charts {

/** The parameter on the x axis, by which fleets differ. */
enum class FleetAxis : std::uint8_t {
  Workers,
  Batch  ///< candidates that a tuner proposes before it observes
};

/** A share of time of fleets that differ in one parameter. */
struct FleetShareCurve {
  QString name;                 ///< "64 sessions at once"
  std::vector<QPointF> points;  ///< the parameter, ascending, and the share, 0 to 1

  bool operator==(const FleetShareCurve&) const = default;
};

struct FleetShareData {
  FleetAxis axis = FleetAxis::Workers;
  QString share;  ///< "efficiency": the title of the y axis
  std::vector<FleetShareCurve> curves;

  bool operator==(const FleetShareData&) const = default;
};

/**
 * Shares of time of simulated fleets: the share of the workers' time that is useful work, or the busy share
 * of the components that supply the workers. Left and right go from fleet to fleet, up and down from curve to
 * curve.
 */
class FleetShareChart : public XyChart {
  Q_OBJECT

 public:
  explicit FleetShareChart(QWidget* parent = nullptr);

  void set_data(FleetShareData data);                   ///< Sets the data and goes home
  const FleetShareData& data() const { return data_; }  ///< as last set

  Table table() const override;
  QString summary() const override;
  std::optional<Readout> readout_at(QPointF position) const override;

 protected:
  void home_changed() override;
  void paint_data(Canvas& canvas, const PlotFrame& frame) override;
  std::optional<Readout> step_readout(const std::optional<Readout>& from, Qt::Key direction) const override;

 private:
  QString number_text(double number) const;
  Readout readout_of(CurvePoint point, const PlotFrame& frame) const;
  void paint_names(Canvas& canvas, const PlotFrame& frame) const;

  FleetShareData data_;
};

}  // namespace kernelscape::charts
