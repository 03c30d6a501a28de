#pragma once

#include <QAbstractTableModel>
#include <vector>

#include "core/study/data_set_tasks.h"

namespace kernelscape::models {

/** Returns the state of a task of a data set: "done", "running", "waiting" or "failed". */
QString data_set_task_state(const study::DataSetTask& task);

/** Table model of the tasks of a data set, with their measurements so far. */
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

  /** Sets the tasks. Rows keep their place if the tasks are the same, even if their measurements changed. */
  void set_tasks(const std::vector<study::DataSetTask>& tasks);
  /** Returns the task of a row of this model, not of a sorted view. */
  const study::DataSetTask& task(int row) const { return tasks_[static_cast<std::size_t>(row)]; }

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

 private:
  QString text(const study::DataSetTask& task, int column) const;

  std::vector<study::DataSetTask> tasks_;
};

}  // namespace kernelscape::models
