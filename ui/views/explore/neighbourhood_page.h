#pragma once

#include "ui/views/explore/explore_page.h"
#include "ui/views/explore/neighbour_model.h"

class QLabel;
class QPushButton;
class QStackedWidget;
class QTableView;

namespace kernelscape::views {

class WalkRate;
struct NeighbourhoodOutcome;

/**
 * Lists the feasible configurations one move away from the current trial (OpEvo, figures 1 and 2), the
 * probability that a q-random walk leads there, and the results of those that were measured.
 */
class NeighbourhoodPage : public ExplorePage {
  Q_OBJECT

 public:
  /** Makes the page. @param rate shared with other pages */
  NeighbourhoodPage(workspace::Workspace& workspace, WalkRate& rate, QWidget* parent = nullptr);

  void follow_selection() override {}

  bool has_content(const figures::ShownTrials& shown) override;

 protected:
  void compute() override;
  void show_current() override { refresh(); }
  void forget() override { show_nothing(); }

 private:
  void show_outcome(NeighbourhoodOutcome outcome);
  void make_nothing();
  void show_nothing();
  void go_to(const QModelIndex& index);

  WalkRate& rate_;
  QLabel* trial_ = nullptr;
  QLabel* caption_ = nullptr;
  QStackedWidget* stack_ = nullptr;
  QTableView* table_ = nullptr;
  QWidget* nothing_ = nullptr;  ///< shown while no trial is chosen
  QPushButton* best_ = nullptr;
  NeighbourModel* model_ = nullptr;
  std::int64_t shown_row_ = analysis::no_row;
};

}  // namespace kernelscape::views
