#include "ui/models/data_set_task_model.h"

#include <algorithm>
#include <array>

#include "core/trial/trial.h"
#include "ui/style/numbers.h"

namespace kernelscape::models {
namespace {

bool is_text(int column) {
  return column == DataSetTaskModel::TaskColumn || column == DataSetTaskModel::StateColumn;
}

/** Returns GFLOP/s, or calls per second if the FLOPs are not known; 0 if no trial is valid yet. */
double best_speed(const study::DataSetTask& task) {
  return task.status.best_trial >= 0 ? trial::fitness_of(task.status.best_seconds, task.flops) : 0;
}

}  // namespace

QString data_set_task_state(const study::DataSetTask& task) {
  if (!task.session)
    return task.error.empty() ? DataSetTaskModel::tr("waiting") : DataSetTaskModel::tr("failed");
  return QString::fromStdString(std::string(store::to_string(task.status.state)));
}

void DataSetTaskModel::set_tasks(const std::vector<study::DataSetTask>& tasks) {
  if (std::ranges::equal(tasks, tasks_, {}, &study::DataSetTask::task, &study::DataSetTask::task)) {
    tasks_ = tasks;
    if (rowCount() > 0) emit dataChanged(index(0, 0), index(rowCount() - 1, column_count - 1));
    return;
  }
  beginResetModel();
  tasks_ = tasks;
  endResetModel();
}

int DataSetTaskModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(tasks_.size());
}

int DataSetTaskModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : column_count;
}

QString DataSetTaskModel::text(const study::DataSetTask& task, int column) const {
  switch (column) {
    case TaskColumn:
      return QString::fromStdString(task.task);
    case WorkColumn:
      return task.flops > 0 ? style::format_quantity(task.flops, QStringLiteral("FLOP")) : style::no_number();
    case StateColumn:
      return data_set_task_state(task);
    case TrialsColumn:
      return style::format_count(task.status.trial_count);
    case ValidColumn:
      return task.status.trial_count > 0 ? style::format_percent(task.valid_share()) : style::no_number();
    case BestColumn:
      return task.status.best_trial < 0
                 ? style::no_number()
                 : style::format_quantity(best_speed(task), task.flops > 0 ? QStringLiteral("GFLOPS")
                                                                           : QStringLiteral("calls/s"));
    case TimeColumn:
      return task.session ? style::format_duration(task.status.session_seconds) : style::no_number();
    default:
      return {};
  }
}

QVariant DataSetTaskModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || index.row() >= rowCount()) return {};
  const study::DataSetTask& shown = task(index.row());
  switch (role) {
    case Qt::DisplayRole:
      return text(shown, index.column());
    case Qt::ToolTipRole:
      return index.column() == StateColumn && !shown.error.empty() ? QString::fromStdString(shown.error)
                                                                   : text(shown, index.column());
    case Qt::TextAlignmentRole:
      return QVariant(Qt::AlignVCenter | (is_text(index.column()) ? Qt::AlignLeft : Qt::AlignRight));
    case SortRole:
      if (index.column() == WorkColumn) return shown.flops;
      if (index.column() == TrialsColumn) return qlonglong{shown.status.trial_count};
      if (index.column() == ValidColumn) return shown.valid_share();
      if (index.column() == BestColumn) return best_speed(shown);
      if (index.column() == TimeColumn) return shown.status.session_seconds;
      return text(shown, index.column());
    default:
      return {};
  }
}

QVariant DataSetTaskModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || section < 0 || section >= column_count) return {};
  if (role == Qt::TextAlignmentRole)
    return QVariant(Qt::AlignVCenter | (is_text(section) ? Qt::AlignLeft : Qt::AlignRight));
  if (role != Qt::DisplayRole) return {};
  const std::array<QString, column_count> titles = {tr("Task"),  tr("Work"), tr("State"), tr("Trials"),
                                                    tr("Valid"), tr("Best"), tr("Time")};
  return titles[static_cast<std::size_t>(section)];
}

}  // namespace kernelscape::models
