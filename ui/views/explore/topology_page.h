#pragma once

#include "ui/figures/topology_outcome.h"
#include "ui/views/explore/explore_page.h"

class QComboBox;
class QPushButton;

namespace kernelscape::charts {
class WalkDistanceChart;
}  // namespace kernelscape::charts

namespace kernelscape::views {

class WalkRate;

/**
 * Shows the topology of one knob and the q-random walk over it from a chosen value (OpEvo, figures 1 and 2):
 * its graph, and the walk's probability by the number of moves.
 */
class TopologyPage : public ExplorePage {
  Q_OBJECT

 public:
  /** Makes the page. @param rate shared with other pages */
  TopologyPage(workspace::Workspace& workspace, WalkRate& rate, QWidget* parent = nullptr);

  bool has_content(const figures::ShownTrials& shown) override;

 protected:
  void compute() override;
  void show_current() override { refresh(); }
  void forget() override;

 private:
  QWidget* make_controls();
  void fill_knobs();
  void start_at(std::uint32_t value);
  std::optional<std::int64_t> current_row();
  void show_outcome(figures::TopologyOutcome outcome);
  void show_graph();

  WalkRate& rate_;
  QComboBox* knob_box_ = nullptr;
  QComboBox* colour_box_ = nullptr;
  QPushButton* back_ = nullptr;
  charts::TopologyChart* graph_ = nullptr;
  charts::WalkDistanceChart* distances_ = nullptr;
  std::optional<std::uint32_t> chosen_;  ///< start value; nullopt: the base trial's value
  figures::TopologyOutcome outcome_;
};

}  // namespace kernelscape::views
