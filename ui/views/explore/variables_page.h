#pragma once

#include "ui/figures/variable_plane_figure.h"
#include "ui/views/explore/explore_page.h"

class QComboBox;

namespace kernelscape::views {

/**
 * Plots the trials' speed over two variables of the space's constraints, in front of the values that feasible
 * configurations have (Heron, figure 11).
 */
class VariablesPage : public ExplorePage {
  Q_OBJECT

 public:
  explicit VariablesPage(workspace::Workspace& workspace, QWidget* parent = nullptr);

  bool has_content(const figures::ShownTrials& shown) override;

 protected:
  void compute() override;
  void show_current() override;
  void forget() override;

 private:
  void show_outcome(const figures::VariablePlaneOutcome& outcome);
  void fill_boxes();

  QComboBox* x_box_ = nullptr;
  QComboBox* y_box_ = nullptr;
  charts::VariablePlaneChart* chart_ = nullptr;
  figures::VariablePlaneParts parts_;
};

}  // namespace kernelscape::views
