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

/** Lists the workers of a fleet by device class, and below them its queues and the abandoned tasks. */
class FleetTables : public QSplitter {
  Q_OBJECT

 public:
  explicit FleetTables(QWidget* parent = nullptr);

  /** Replaces the shown state. Selected rows stay selected if they still exist. */
  void set_state(const FleetState& state);
  /** Sets the entries of the workers' context menu. */
  void set_actions(const QList<QAction*>& actions);

  /** Returns the selected workers; selected headings are ignored. */
  std::vector<WorkerState> selected_workers() const;
  /**
   * Returns the class of all selected rows, headings included; nullopt if they are of several classes or of
   * none.
   */
  std::optional<std::string> selected_class() const;

  const FleetWorkerModel& workers() const { return workers_; }  ///< as set
  const FleetQueueModel& queues() const { return queues_; }     ///< as set
  const DeadLetterModel& letters() const { return letters_; }   ///< as set
  LibraryTable& worker_table() { return *worker_table_; }       ///< for its style and selection

 signals:
  /** Emitted when the selection changed, or the state of a selected row changed. */
  void selection_changed();
  /** Emitted on Enter or a double click on a worker or its class. */
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
