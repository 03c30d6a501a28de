#pragma once

#include <QAbstractTableModel>
#include <vector>

#include "core/study/data_set_tasks.h"

namespace kernelscape {

/** "done", "running", "waits", "failed": what became of a task of a data set so far. */
QString data_set_task_state(const DataSetTask& task);

/** The tasks of a data set, with what was measured of them so far. */
class DataSetTaskModel : public QAbstractTableModel {
  Q_OBJECT

 public:
  enum ColumnId {
    TaskColumn,
    WorkColumn,
    StateColumn,
    TrialsColumn,
    ValidColumn,
    BestColumn,
    TimeColumn,
    column_count
  };
  enum Role { SortRole = Qt::UserRole };

  using QAbstractTableModel::QAbstractTableModel;

  /** Rows keep their place where the tasks are the same, whatever was measured of them meanwhile. */
  void set_tasks(const std::vector<DataSetTask>& tasks);
  /** Of a row of the model, not of a sorted view. */
  const DataSetTask& task(int row) const { return tasks_[static_cast<std::size_t>(row)]; }

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

 private:
  QString text(const DataSetTask& task, int column) const;

  std::vector<DataSetTask> tasks_;
};

}  // namespace kernelscape
