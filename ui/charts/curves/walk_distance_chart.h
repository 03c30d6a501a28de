#pragma once

#include "core/analysis/landscape/knob_graph.h"
#include "ui/charts/bars/stacked_bar_chart.h"

namespace kernelscape::charts {

/**
 * The distance that a q-random walk reaches: its probability by the number of moves from the start (OpEvo,
 * figure 2).
 */
class WalkDistanceChart : public StackedBarChart {
  Q_OBJECT

 public:
  explicit WalkDistanceChart(QWidget* parent = nullptr);

  /** Sets the probabilities by ascending distance; distances beyond the first dozens share a bar. */
  void set_data(const std::vector<analysis::DistanceMass>& masses);

  Table table() const override;

 protected:
  std::vector<StackedPart> parts() const override;
  QStringList details(const StackedBar& bar, std::size_t part) const override;
  QString bar_text(const StackedBar& bar) const override;

 private:
  const analysis::DistanceMass& mass_of(const StackedBar& bar) const;

  std::vector<analysis::DistanceMass> masses_;  ///< all probabilities, by distance
  std::vector<analysis::DistanceMass> bars_;    ///< the probabilities of the bars
};

}  // namespace kernelscape::charts
