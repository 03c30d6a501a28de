#pragma once

#include <optional>
#include <vector>

#include "ui/charts/xy_chart.h"

namespace kernelscape {

/** What fleets are told apart by along the x axis. */
enum class FleetAxis : std::uint8_t {
  Workers,
  Batch  ///< candidates that a tuner proposes before it observes
};

/** A share of time, for fleets that differ in one number. */
struct FleetShareCurve {
  QString name;                 ///< "64 sessions at once"
  std::vector<QPointF> points;  ///< that number, ascending, and the share, 0 to 1

  bool operator==(const FleetShareCurve&) const = default;
};

struct FleetShareData {
  FleetAxis axis = FleetAxis::Workers;
  QString share;  ///< "efficiency": the title of the y axis
  std::vector<FleetShareCurve> curves;

  bool operator==(const FleetShareData&) const = default;
};

/**
 * Shares of time of simulated fleets: of the workers' that is work, or of the parts' that feed them. Left and
 * right go from fleet to fleet, up and down from curve to curve.
 */
class FleetShareChart : public XyChart {
  Q_OBJECT

 public:
  explicit FleetShareChart(QWidget* parent = nullptr);

  void set_data(FleetShareData data);                   ///< goes home
  const FleetShareData& data() const { return data_; }  ///< as last set

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
  QString number_text(double number) const;
  /** @param row curve and point in one number, as Readout::row has it */
  Readout readout_of(std::size_t curve, std::size_t point, const PlotFrame& frame) const;
  void paint_names(Canvas& canvas, const PlotFrame& frame) const;

  FleetShareData data_;
};

}  // namespace kernelscape
