#pragma once

#include <QSplitter>
#include <optional>
#include <string>
#include <vector>

#include "ui/models/fleet_model.h"

class QAction;
class QTabWidget;

namespace kernelscape {

class LibraryTable;
class ThemedLabel;

/** The workers of a fleet by class, and below them its queues and the tasks that it gave up. */
class FleetTables : public QSplitter {
  Q_OBJECT

 public:
  explicit FleetTables(QWidget* parent = nullptr);

  /** In place of the state before: what is selected stays so, where it is still there. */
  void set_state(const FleetState& state);
  /** Entries of the workers' context menu. */
  void set_actions(const QList<QAction*>& actions);

  /** Of the selected rows, the workers; headings are none. */
  std::vector<WorkerState> selected_workers() const;
  /** That of all selected rows, headings too; none: they are of several, or of no device. */
  std::optional<std::string> selected_class() const;

  const FleetWorkerModel& workers() const { return workers_; }  ///< as set
  const FleetQueueModel& queues() const { return queues_; }     ///< as set
  const DeadLetterModel& letters() const { return letters_; }   ///< as set
  LibraryTable& worker_table() { return *worker_table_; }       ///< for its looks and selection

 signals:
  /** Other rows are selected, or what is selected does something else. */
  void selection_changed();
  /** Enter or a double click on a worker or its class. */
  void class_opened();

 private:
  static LibraryTable* make_table(const QString& name, QAbstractItemModel& model);
  QWidget* make_letters_page();
  void span_headings();
  void select(const std::vector<std::string>& keys);

  FleetWorkerModel workers_;
  FleetQueueModel queues_;
  DeadLetterModel letters_;
  LibraryTable* worker_table_;
  QTabWidget* tabs_;
  LibraryTable* letter_table_ = nullptr;
  ThemedLabel* no_letters_ = nullptr;
};

}  // namespace kernelscape
