#pragma once

#include "core/analysis/comparison/phase_shares.h"
#include "ui/charts/bars/stacked_bar_chart.h"

namespace kernelscape::charts {

/** The phase times of an arm. */
struct ArmPhases {
  std::size_t arm = 0;
  QString name;
  analysis::PhaseTimes times;
};

/** Wall time of a run by phase, a stacked bar for each tuner (NoSE, figure 6). */
class PhaseChart : public StackedBarChart {
  Q_OBJECT

 public:
  explicit PhaseChart(QWidget* parent = nullptr);

  /** Sets a bar for each arm, in this order: its search, build, run and idle seconds. */
  void set_data(const std::vector<ArmPhases>& arms);

 protected:
  std::vector<StackedPart> parts() const override;
  std::string all_column() const override { return "all (wall s)"; }
};

}  // namespace kernelscape::charts
