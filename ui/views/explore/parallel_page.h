#pragma once

#include <map>

#include "ui/charts/landscape/parallel_chart.h"
#include "ui/views/explore/explore_page.h"

class QMenu;
class QToolButton;

namespace kernelscape::views {

/** Shows parallel coordinates. The user chooses the axes and selects trials with brushes. */
class ParallelPage : public ExplorePage {
  Q_OBJECT

 public:
  explicit ParallelPage(workspace::Workspace& workspace, QWidget* parent = nullptr);

  /** Returns the columns that are axes, from the left. */
  const std::vector<std::size_t>& axes() const { return axes_; }
  /** Sets the axes, from the left. Brushes of columns that are no longer axes are removed. */
  void set_axes(std::vector<std::size_t> columns);

  bool has_content(const figures::ShownTrials& shown) override;

 protected:
  void compute() override;
  void show_current() override;
  void forget() override;

 private:
  void choose_default_axes();
  void fill_menu();
  void take_brushes(const std::vector<std::optional<charts::Brush>>& brushes);
  void pick_brushed();
  void clear_brushes();
  QStringList brush_filters() const;

  charts::ParallelChart* chart_ = nullptr;
  QToolButton* axes_button_ = nullptr;
  QToolButton* clear_button_ = nullptr;
  QMenu* axes_menu_ = nullptr;
  workspace::JobTracker brush_jobs_;
  std::vector<std::size_t> axes_;
  std::vector<std::size_t> shown_axes_;           ///< axes of the data in the chart
  std::map<std::size_t, charts::Brush> brushes_;  ///< by column
  std::uint64_t space_ = 0;                       ///< fingerprint of the space that the axes belong to
  analysis::RowSet picked_;
  charts::ParallelData data_;
};

}  // namespace kernelscape::views
