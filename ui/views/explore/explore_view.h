#pragma once

#include "ui/views/explore/shown_watch.h"
#include "ui/views/explore/walk_rate.h"
#include "ui/views/view.h"

class QLabel;
class QPushButton;
class QStackedWidget;
class QTabBar;

namespace kernelscape {

class ExplorePage;
class FilterBar;
class RooflinePage;
class SessionBox;

/**
 * Explore: any session, in pages that share one current trial, one selection and one list of filters. Until
 * the user chooses a page, a session opens on the first page that has content. What a click selects in one
 * chart is highlighted in all; "filter to selection" makes it a chip.
 */
class ExploreView : public View {
  Q_OBJECT

 public:
  explicit ExploreView(ViewContext context);

  void focus_filter() override;
  /** Shows a page in place of the first one with content, also of other sessions. From 0: Errors,
   * Distribution, Knobs, Parallel, Neighbourhood, Topology, Constraints, Variables, Predictions, Roofline. */
  void show_page(int index);
  /** As in `show_page`. */
  int page() const;

 protected:
  void showEvent(QShowEvent* event) override;
  void hideEvent(QHideEvent* event) override;

 private:
  QWidget* make_bar();
  QWidget* make_empty_state();
  void add_page(ExplorePage* page, const QString& action_id);
  void add_actions();
  void show_source();
  void show_state();
  void show_selection();
  void open_first_page();
  void take_rows(const RowSet& rows, const QStringList& filters);
  void filter_to_selection();

  ShownWatch watch_;
  WalkRate walk_rate_;  ///< of Neighbourhood and Topology
  SessionBox* source_box_ = nullptr;
  QLabel* coverage_ = nullptr;
  FilterBar* filter_bar_ = nullptr;
  QLabel* selected_ = nullptr;
  QPushButton* filter_button_ = nullptr;
  QPushButton* clear_button_ = nullptr;
  QTabBar* tabs_ = nullptr;
  QStackedWidget* stack_ = nullptr;  ///< pages
  QStackedWidget* state_ = nullptr;  ///< pages, or what to do where there is nothing to show
  QLabel* state_text_ = nullptr;
  QPushButton* state_button_ = nullptr;
  QList<ExplorePage*> pages_;
  RooflinePage* roofline_ = nullptr;
  bool page_chosen_ = false;             ///< by the user, who keeps that page
  std::optional<SessionId> opened_for_;  ///< the session whose first page was opened
  RowSet picked_;                        ///< what a page picked
  QStringList picked_filters_;           ///< and how it says that
};

}  // namespace kernelscape
