#pragma once

#include <QWidget>

#include "ui/models/compared_run_model.h"
#include "ui/widgets/word_filter.h"

class QLineEdit;
class QPushButton;

namespace kernelscape {

class LibraryTable;
class ThemedLabel;

/** The runs of a comparison as a table, each to be left out or opened. */
class ComparedRunsPage : public QWidget {
  Q_OBJECT

 public:
  explicit ComparedRunsPage(QWidget* parent = nullptr);

  /** @param running the study goes on: runs may still come */
  void set_runs(const std::shared_ptr<const ComparedRuns>& runs, bool running);
  /** Sessions whose runs count nowhere. */
  const std::set<std::int64_t>& hidden() const { return model_.hidden(); }
  /** Lets all runs count again. */
  void show_all();
  /** The keyboard goes to the search. */
  void focus_search();

 signals:
  /** A run was left out or taken in again, here or by `show_all`. */
  void hidden_changed();
  /** @param view "Tune" or "Explore" */
  void run_opened(qint64 session, const QString& view);

 private:
  std::vector<std::int64_t> selected_sessions() const;
  void open_selected(const QString& view);
  void hide_selected();
  void update_state();

  ComparedRunModel model_;
  WordFilter filter_;
  QLineEdit* search_;
  ThemedLabel* count_;
  QPushButton* hide_;
  QPushButton* tune_;
  QPushButton* explore_;
  LibraryTable* table_;
};

}  // namespace kernelscape
