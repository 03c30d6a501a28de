#pragma once

#include "ui/views/explore/shown_watch.h"
#include "ui/views/explore/walk_rate.h"
#include "ui/views/view.h"

class QLabel;
class QPushButton;
class QStackedWidget;
class QTabBar;

namespace kernelscape::views {

class ExplorePage;
class FilterBar;
class RooflinePage;
class SessionBox;
class TrialDetailPane;
class TrialTablePanel;

/**
 * The view Explore: shows any session on pages that share one current trial, one selection and one list of
 * filters. Until the user chooses a page, a session opens on the first page that has content. A click in one
 * chart highlights the selected trials in all charts; "Filter to selection" makes the selection a filter
 * chip. "Trials" shows the table of the selected trials and the current trial, as in Tune.
 */
class ExploreView : public View {
  Q_OBJECT

 public:
  explicit ExploreView(ViewContext context);

  void focus_filter() override;
  /**
   * Shows a page, also for other sessions, in place of the first page with content. Indices from 0: Errors,
   * Distribution, Knobs, Parallel, Neighbourhood, Topology, Constraints, Variables, Predictions, Roofline.
   */
  void show_page(int index);
  /** Returns the index of the shown page, as in `show_page`. */
  int page() const;
  /** Returns the table of trials; null until its dock was shown. */
  TrialTablePanel* table() const { return table_; }
  /** Returns the pane of the current trial; null until its dock was shown. */
  TrialDetailPane* details() const { return details_; }

 protected:
  void showEvent(QShowEvent* event) override;
  void hideEvent(QHideEvent* event) override;

 private:
  QWidget* make_bar();
  QWidget* make_empty_state();
  void make_docks();
  void fill_docks();
  void show_docks(bool shown);
  void add_page(ExplorePage* page, const QString& action_id);
  void add_actions();
  void show_source();
  void show_state();
  void show_selection();
  void open_first_page();
  void take_rows(const analysis::RowSet& rows, const QStringList& filters);
  void filter_to_selection();

  ShownWatch watch_;
  WalkRate walk_rate_;  ///< shared by Neighbourhood and Topology
  SessionBox* source_box_ = nullptr;
  QLabel* coverage_ = nullptr;
  FilterBar* filter_bar_ = nullptr;
  QLabel* selected_ = nullptr;
  QPushButton* filter_button_ = nullptr;
  QPushButton* clear_button_ = nullptr;
  QPushButton* trials_button_ = nullptr;
  QDockWidget* trials_dock_ = nullptr;
  QDockWidget* trial_dock_ = nullptr;
  TrialTablePanel* table_ = nullptr;
  TrialDetailPane* details_ = nullptr;
  QTabBar* tabs_ = nullptr;
  QStackedWidget* stack_ = nullptr;  ///< the pages
  QStackedWidget* state_ = nullptr;  ///< the pages, or what to do if there is nothing to show
  QLabel* state_text_ = nullptr;
  QPushButton* state_button_ = nullptr;
  QList<ExplorePage*> pages_;
  RooflinePage* roofline_ = nullptr;
  bool page_chosen_ = false;                    ///< the user chose the page, which then stays
  std::optional<store::SessionId> opened_for_;  ///< the session whose first page was opened
  analysis::RowSet picked_;                     ///< the rows that a page picked
  QStringList picked_filters_;                  ///< filter expressions of the picked rows
};

}  // namespace kernelscape::views
