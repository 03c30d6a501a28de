#pragma once

#include <optional>
#include <vector>

#include "core/analysis/landscape/believed_cell.h"
#include "core/analysis/landscape/heat_map.h"
#include "ui/charts/xy_chart.h"

namespace kernelscape::charts {

/** The data of a slice: predictions for the values of one knob. */
struct SliceData {
  QString knob;
  QString quantity;                  ///< "speed"
  QString unit;                      ///< "GFLOPS"
  bool higher_is_better = true;      ///< of the quantity
  bool ordered = true;               ///< false: the values have no order, so no line joins them
  std::vector<QString> labels = {};  ///< of the values
  std::vector<analysis::BelievedCell> predictions = {};  ///< by value; without members: infeasible
  std::vector<analysis::HeatCell> measured = {};         ///< by value: trials of exactly this configuration
  std::vector<bool> corrected = {};      ///< by value: its best trial is of a slow phase, its time corrected
  std::optional<std::size_t> base = {};  ///< value of the configuration that gives the other knobs
};

/**
 * The predicted performance for the values of one knob, with one standard deviation of a measurement, while
 * all other knobs keep their values; measured configurations are dots. As the slice plots of
 * optuna-dashboard, but of a model. A click on a dot activates its best trial.
 */
class SliceChart : public XyChart {
  Q_OBJECT

 public:
  explicit SliceChart(QWidget* parent = nullptr);

  /** Sets the data. The zoom is kept if the values of the knob are unchanged. */
  void set_data(SliceData data);
  const SliceData& data() const { return data_; }  ///< as last set

  Table table() const override;
  QString summary() const override;
  std::optional<Readout> readout_at(QPointF position) const override;

 protected:
  void paint_data(Canvas& canvas, const PlotFrame& frame) override;
  void paint_around(Canvas& canvas, const PlotFrame& frame) override;
  std::optional<Readout> step_readout(const std::optional<Readout>& from, Qt::Key direction) const override;

 private:
  bool feasible(std::size_t value) const { return data_.predictions[value].members > 0; }
  bool corrected(std::size_t value) const { return value < data_.corrected.size() && data_.corrected[value]; }
  std::optional<std::size_t> best() const;
  Readout readout_of(const PlotFrame& frame, std::size_t value) const;
  void paint_predictions(Canvas& canvas, const PlotFrame& frame);
  void set_axes();

  SliceData data_;
};

}  // namespace kernelscape::charts
