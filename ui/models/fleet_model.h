#pragma once

#include <QAbstractTableModel>
#include <string>
#include <vector>

#include "core/fleet/fleet_state.h"

namespace kernelscape {

/** A row of the workers' table: a heading, or a worker below it. */
struct FleetRow {
  std::string device_class{};  ///< empty: of workers that only build
  bool heading = false;
  QString text{};        ///< of a heading: its class, how many workers serve, and what waits
  QString facts{};       ///< of a heading: what makes the class, a line each
  WorkerState worker{};  ///< below a heading

  /** What it is, whatever it does meanwhile: rows of equal keys are the same. */
  std::string key() const { return device_class + '\n' + (heading ? std::string() : worker.identity.id); }
};

/** By class, those that serve before those that left; workers without a device come last. */
std::vector<FleetRow> fleet_rows(const FleetState& state);

/** The workers of a fleet by the class of their device, below a heading for each class. */
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
  enum Role { ShareRole = Qt::UserRole };  ///< of the load, 0 to 1; -1: there is none

  using QAbstractTableModel::QAbstractTableModel;

  /** Rows keep their place where the workers are the same, whatever they do meanwhile. */
  void set_rows(std::vector<FleetRow> rows);
  const FleetRow& row(int row) const { return rows_[static_cast<std::size_t>(row)]; }  ///< as set

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

 private:
  static QString text(const WorkerState& worker, int column);

  std::vector<FleetRow> rows_;
};

/** The streams of a fleet's tasks as rows. */
class FleetQueueModel : public QAbstractTableModel {
  Q_OBJECT

 public:
  enum ColumnId { QueueColumn, KindColumn, WaitingColumn, InHandColumn, column_count };

  using QAbstractTableModel::QAbstractTableModel;

  /** In place of those before. */
  void set_queues(std::vector<FleetQueue> queues);

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

 private:
  std::vector<FleetQueue> queues_;
};

/** The tasks that a fleet gave up as rows, the latest first. */
class DeadLetterModel : public QAbstractTableModel {
  Q_OBJECT

 public:
  enum ColumnId { GivenUpColumn, ReasonColumn, TellerColumn, TaskColumn, column_count };

  using QAbstractTableModel::QAbstractTableModel;

  /** In place of those before. */
  void set_letters(std::vector<DeadLetter> letters);

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

 private:
  std::vector<DeadLetter> letters_;
};

}  // namespace kernelscape
