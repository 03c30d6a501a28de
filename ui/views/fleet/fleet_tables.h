#pragma once

#include <QSplitter>
#include <optional>
#include <string>
#include <vector>

#include "ui/models/fleet_model.h"

class QAction;
class QTabWidget;

namespace kernelscape::widgets {
class LibraryTable;
class ThemedLabel;
}  // namespace kernelscape::widgets

namespace kernelscape::views {

/** Lists the workers of a fleet by device class, and below them its queues and the abandoned tasks. */
class FleetTables : public QSplitter {
  Q_OBJECT

 public:
  explicit FleetTables(QWidget* parent = nullptr);

  /** Replaces the shown state. Selected rows stay selected if they still exist. */
  void set_state(const fleet::State& state);
  /** Sets the entries of the workers' context menu. */
  void set_actions(const QList<QAction*>& actions);

  /** Returns the selected workers; selected headings are ignored. */
  std::vector<fleet::WorkerState> selected_workers() const;
  /**
   * Returns the class of all selected rows, headings included; nullopt if they are of several classes or of
   * none.
   */
  std::optional<std::string> selected_class() const;

  const models::FleetWorkerModel& workers() const { return workers_; }  ///< as set
  const models::FleetQueueModel& queues() const { return queues_; }     ///< as set
  const models::DeadLetterModel& letters() const { return letters_; }   ///< as set
  widgets::LibraryTable& worker_table() { return *worker_table_; }      ///< for its style and selection

 signals:
  /** Emitted when the selection changed, or the state of a selected row changed. */
  void selection_changed();
  /** Emitted on Enter or a double click on a worker or its class. */
  void class_opened();

 private:
  static widgets::LibraryTable* make_table(const QString& name, QAbstractItemModel& model);
  QWidget* make_letters_page();
  void span_headings();
  void select(const std::vector<std::string>& keys);

  models::FleetWorkerModel workers_;
  models::FleetQueueModel queues_;
  models::DeadLetterModel letters_;
  widgets::LibraryTable* worker_table_;
  QTabWidget* tabs_;
  widgets::LibraryTable* letter_table_ = nullptr;
  widgets::ThemedLabel* no_letters_ = nullptr;
};

}  // namespace kernelscape::views
