#pragma once

#include <QAbstractTableModel>
#include <string>
#include <vector>

#include "core/fleet/state.h"

namespace kernelscape::models {

/** A row of the table of workers: a heading, or a worker below it. */
struct FleetRow {
  std::string device_class{};  ///< empty: workers that only build
  bool heading = false;
  QString text{};               ///< heading only: device class, number of serving workers, and queue length
  QString facts{};              ///< heading only: properties of the device class, one per line
  fleet::WorkerState worker{};  ///< worker of a row below a heading

  /**
   * Returns a key that identifies the row independently of the worker's state: rows with equal keys are the
   * same.
   */
  std::string key() const { return device_class + '\n' + (heading ? std::string() : worker.identity.id); }
};

/**
 * Returns the workers ordered by device class, serving workers before those that left; workers without a
 * device come last.
 */
std::vector<FleetRow> fleet_rows(const fleet::State& state);

/** Table model of the workers of a fleet, grouped by device class with a heading for each class. */
class FleetWorkerModel : public QAbstractTableModel {
  Q_OBJECT

 public:
  enum ColumnId {
    WorkerColumn,
    StateColumn,
    LoadColumn,
    TemperatureColumn,
    DoneColumn,
    DeliveriesColumn,
    SeenColumn,
    HostColumn,
    DeviceColumn,
    BuildersColumn,
    SaysColumn,
    column_count
  };
  enum Role { ShareRole = Qt::UserRole };  ///< the load, 0 to 1; -1: there is none

  using QAbstractTableModel::QAbstractTableModel;

  /** Sets the rows. They keep their place if the workers are the same, even if their states changed. */
  void set_rows(std::vector<FleetRow> rows);
  const FleetRow& row(int row) const { return rows_[static_cast<std::size_t>(row)]; }  ///< as set

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

 private:
  static QString text(const fleet::WorkerState& worker, int column);

  std::vector<FleetRow> rows_;
};

/** Table model of the task streams of a fleet. */
class FleetQueueModel : public QAbstractTableModel {
  Q_OBJECT

 public:
  enum ColumnId { QueueColumn, KindColumn, WaitingColumn, InHandColumn, column_count };

  using QAbstractTableModel::QAbstractTableModel;

  /** Replaces all rows. */
  void set_queues(std::vector<fleet::Queue> queues);

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

 private:
  std::vector<fleet::Queue> queues_;
};

/** Table model of the tasks that a fleet has given up, the latest first. */
class DeadLetterModel : public QAbstractTableModel {
  Q_OBJECT

 public:
  enum ColumnId { GivenUpColumn, ReasonColumn, TellerColumn, TaskColumn, column_count };

  using QAbstractTableModel::QAbstractTableModel;

  /** Replaces all rows. */
  void set_letters(std::vector<fleet::DeadLetter> letters);

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

 private:
  std::vector<fleet::DeadLetter> letters_;
};

}  // namespace kernelscape::models
