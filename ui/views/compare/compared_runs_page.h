#pragma once

#include <QWidget>

#include "ui/models/compared_run_model.h"
#include "ui/widgets/word_filter.h"

class QLineEdit;
class QPushButton;

namespace kernelscape::widgets {
class LibraryTable;
class ThemedLabel;
}  // namespace kernelscape::widgets

namespace kernelscape::views {

/** Lists the runs of a comparison in a table. Each run can be excluded or opened. */
class ComparedRunsPage : public QWidget {
  Q_OBJECT

 public:
  explicit ComparedRunsPage(QWidget* parent = nullptr);

  /** Sets the runs. @param running true: the study still runs, so more runs may be added */
  void set_runs(const std::shared_ptr<const analysis::ComparedRuns>& runs, bool running);
  /** Returns the sessions whose runs are excluded. */
  const std::set<std::int64_t>& hidden() const { return model_.hidden(); }
  /** Includes all runs again. */
  void show_all();
  /** Moves the keyboard focus to the search. */
  void focus_search();

 signals:
  /** Emitted after a run was excluded or included, by the user or by `show_all`. */
  void hidden_changed();
  /** Emitted when the user opens a run. @param view "Tune" or "Explore" */
  void run_opened(qint64 session, const QString& view);

 private:
  std::vector<std::int64_t> selected_sessions() const;
  void open_selected(const QString& view);
  void hide_selected();
  void update_state();

  models::ComparedRunModel model_;
  widgets::WordFilter filter_;
  QLineEdit* search_;
  widgets::ThemedLabel* count_;
  QPushButton* hide_;
  QPushButton* tune_;
  QPushButton* explore_;
  widgets::LibraryTable* table_;
};

}  // namespace kernelscape::views
