#pragma once

#include <QWidget>

#include "ui/models/data_set_task_model.h"
#include "ui/widgets/word_filter.h"
#include "ui/workspace/learning_watch.h"
#include "ui/workspace/study_runner.h"

namespace kernelscape::widgets {
class LibraryTable;
class ThemedLabel;
}  // namespace kernelscape::widgets

namespace kernelscape::views {

/** Shows the tasks that were drawn for a data set and the measurements so far, live. */
class DataSetPage : public QWidget {
  Q_OBJECT

 public:
  explicit DataSetPage(QWidget* parent = nullptr);

  /** Shows another data set; its tasks arrive with `set_snapshot`. */
  void set_summary(const store::StudySummary& summary);
  /** Sets the snapshot. Ignored if it belongs to another data set. */
  void set_snapshot(const workspace::DataSetSnapshotPointer& snapshot);
  /**
   * Sets the progress of the run in this window; nullopt: this window does not run the data set.
   * @param waits the data set waits for another study of this window
   */
  void set_run(const std::optional<workspace::StudyRunView>& run, bool waits);
  /** Returns the state in the headline: how far the data set is. */
  QString state() const;

 signals:
  /** Emitted on Enter or a double click on a task that has a session. */
  void session_opened(qint64 session);
  /** Emitted with a message for the notice bar: a task has no session yet. */
  void notified(const QString& text);

 private:
  void show_state();

  store::StudySummary summary_;
  workspace::DataSetSnapshotPointer snapshot_;
  std::optional<workspace::StudyRunView> run_;
  bool waits_ = false;
  models::DataSetTaskModel model_;
  widgets::WordFilter filter_;
  widgets::ThemedLabel* title_;
  widgets::ThemedLabel* state_;
  widgets::LibraryTable* table_;
};

}  // namespace kernelscape::views
