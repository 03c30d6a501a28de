#pragma once

#include <optional>
#include <vector>

#include "core/analysis/landscape/knob_graph.h"
#include "ui/charts/chart.h"

namespace kernelscape::charts {

enum class TopologyColour : std::uint8_t { Probability, BestMeasured };

/** The data of a value of the knob. */
struct TopologyValue {
  QString text;            ///< "[4, 1, 8, 2]"
  double probability = 0;  ///< probability that the walk ends here
  bool member = true;  ///< whether the base trial with this value instead of its current one is a feasible
                       ///< configuration
  std::int64_t trials = 0;  ///< number of trials with this value
  std::int64_t valid = 0;
  double best = 0;  ///< best performance of the valid trials; 0: no trial was timed
  double median = 0;
  std::int64_t selected = 0;  ///< number of selected trials
};

struct TopologyData {
  QString knob;
  analysis::KnobGraph graph;
  std::vector<TopologyValue> values;  ///< by node
  double q = 0;                       ///< rate of the walk
  double further_probability = 0;     ///< probability of the values that are not in the graph
  TopologyColour colour = TopologyColour::Probability;
  QString quantity;  ///< "speed"
  QString unit;      ///< "GFLOPS"
  bool higher_is_better = true;
  QString base;  ///< the trial whose other knobs decide feasibility: "trial 12"; empty: none
  std::optional<std::size_t> current;  ///< node of the current trial's value
};

/**
 * A knob's values and the moves between them (OpEvo, figure 1), coloured by the probability that a q-random
 * walk ends there (figure 2) or by the best measured performance. Arrow keys go along the edges; Enter and a
 * click start the walk at a node.
 */
class TopologyChart : public Chart {
  Q_OBJECT

 public:
  explicit TopologyChart(QWidget* parent = nullptr);

  /** Sets the data. The readout stays at its value if the knob is unchanged. */
  void set_data(TopologyData data);
  const TopologyData& data() const { return data_; }  ///< as last set
  /** Returns the centre of a node in the widget's logical pixels. */
  QPointF position_of(std::size_t node) const;
  /** Returns the node of the readout. */
  std::optional<std::size_t> current_node() const;

  Table table() const override;
  QString summary() const override;
  std::optional<Readout> readout_at(QPointF position) const override;

 signals:
  /** Emitted when the user chooses this value of the knob as the start of the walk. */
  void start_activated(quint32 value);

 protected:
  void paint_chart(Canvas& canvas, const QRectF& area) override;
  void paint_overlay(Canvas& canvas, const QRectF& area) override;
  std::optional<Readout> step_readout(const std::optional<Readout>& from, Qt::Key direction) const override;
  void activate(const Readout& readout) override;

 private:
  Readout readout_of(std::size_t node) const;
  QStringList measured_lines(const TopologyValue& value) const;

  TopologyData data_;
};

}  // namespace kernelscape::charts
