#pragma once

#include "ui/figures/slice_figures.h"
#include "ui/views/explore/explore_page.h"

class QComboBox;

namespace kernelscape::views {

/**
 * Shows what a model predicts along one knob, and along two, while all other knobs keep the values of the
 * best or of the current trial.
 */
class SlicesPage : public ExplorePage {
  Q_OBJECT

 public:
  explicit SlicesPage(workspace::Workspace& workspace, QWidget* parent = nullptr);

  bool has_content(const figures::ShownTrials& shown) override;
  /** The predictions do not depend on the selection. */
  void follow_selection() override {}

 protected:
  void compute() override;
  void show_current() override;
  void forget() override;

 private:
  void fill_boxes();
  std::optional<std::int64_t> base_row();
  void show_outcome(const figures::SliceOutcome& outcome);
  void open_cell(int x, int y);

  QComboBox* x_box_ = nullptr;
  QComboBox* y_box_ = nullptr;
  QComboBox* base_box_ = nullptr;
  charts::SliceChart* slice_ = nullptr;
  charts::HeatMapChart* contour_ = nullptr;
  figures::TrainedSlices trained_;
  std::optional<std::int64_t> shown_base_;  ///< the base of the last job
};

}  // namespace kernelscape::views
