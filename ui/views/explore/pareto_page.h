#pragma once

#include "ui/figures/pareto_figure.h"
#include "ui/views/explore/explore_page.h"

class QComboBox;

namespace kernelscape::views {

/**
 * Shows two quantities of the trials against each other, such as time and energy, with their Pareto front.
 * Both quantities and the direction in which each is better can be chosen.
 */
class ParetoPage : public ExplorePage {
  Q_OBJECT

 public:
  explicit ParetoPage(workspace::Workspace& workspace, QWidget* parent = nullptr);

  bool has_content(const figures::ShownTrials& shown) override;
  /** The front does not depend on the selection, which is marked. */
  void follow_selection() override;

 protected:
  void compute() override;
  void show_current() override;
  void forget() override;

 private:
  /** The boxes of an axis. */
  struct AxisBoxes {
    QComboBox* column = nullptr;  ///< the data of an item are the position of the column
    QComboBox* better = nullptr;
  };

  AxisBoxes make_boxes(const QString& axis);
  void fill_boxes();
  void fill(const AxisBoxes& boxes, std::size_t preferred);
  void show_usual_direction(const AxisBoxes& boxes);

  AxisBoxes x_;
  AxisBoxes y_;
  charts::ParetoChart* chart_ = nullptr;
  bool had_metrics_ = false;  ///< the boxes were filled for trials with metrics
};

}  // namespace kernelscape::views
