#pragma once

#include <QWidget>

#include "ui/models/data_set_task_model.h"
#include "ui/widgets/word_filter.h"
#include "ui/workspace/learning_watch.h"
#include "ui/workspace/study_runner.h"

namespace kernelscape {

class LibraryTable;
class ThemedLabel;

/** The tasks that were drawn for a data set and what was measured of them so far, live. */
class DataSetPage : public QWidget {
  Q_OBJECT

 public:
  explicit DataSetPage(QWidget* parent = nullptr);

  /** Another data set: its tasks follow with `set_snapshot`. */
  void set_summary(const StudySummary& summary);
  /** Ignored where it is of another data set. */
  void set_snapshot(const DataSetSnapshotPointer& snapshot);
  /** How it goes on in this window; none: it does not. @param waits for another study of this window */
  void set_run(const std::optional<StudyRunView>& run, bool waits);
  /** What the headline says: how far it is. */
  QString state() const;

 signals:
  /** Enter or a double click on a task that has a session. */
  void session_opened(qint64 session);
  /** Something to tell in passing: a task has no session yet. */
  void notified(const QString& text);

 private:
  void show_state();

  StudySummary summary_;
  DataSetSnapshotPointer snapshot_;
  std::optional<StudyRunView> run_;
  bool waits_ = false;
  DataSetTaskModel model_;
  WordFilter filter_;
  ThemedLabel* title_;
  ThemedLabel* state_;
  LibraryTable* table_;
};

}  // namespace kernelscape
