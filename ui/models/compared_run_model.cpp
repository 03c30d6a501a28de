#include "ui/models/compared_run_model.h"

#include <array>
#include <cmath>

#include "ui/models/comparison_model.h"
#include "ui/style/numbers.h"

namespace kernelscape::models {
namespace {

double share_of_optimum(const analysis::ComparedRuns& runs, const analysis::ComparedRun& run) {
  const double optimum = runs.tasks[run.task].optimum;
  return optimum > 0 ? run.curve.best() / optimum : std::nan("");
}

bool is_run_number(int column) {
  return column == ComparedRunModel::RepeatColumn ||
         (column >= ComparedRunModel::BestColumn && column <= ComparedRunModel::SeedColumn);
}

}  // namespace

void ComparedRunModel::set_runs(std::shared_ptr<const analysis::ComparedRuns> runs, bool running) {
  const int before = rowCount();
  const int now = runs ? static_cast<int>(runs->runs.size()) : 0;
  bool kept = runs != nullptr && before <= now;
  for (int row = 0; kept && row < before; ++row)
    kept = run(row).session == runs->runs[static_cast<std::size_t>(row)].session;
  running_ = running;
  // New runs of a live study are inserted between others, in the order of its plan, which changes the rows'
  // order.
  if (!kept) beginResetModel();
  if (kept && now > before) beginInsertRows({}, before, now - 1);
  runs_ = std::move(runs);
  if (!kept) return endResetModel();
  if (now > before) endInsertRows();
  if (before > 0) emit dataChanged(index(0, 0), index(before - 1, column_count - 1));
}

void ComparedRunModel::set_hidden(std::int64_t session, bool hidden) {
  const bool changed = hidden ? hidden_.insert(session).second : hidden_.erase(session) > 0;
  if (!changed) return;
  for (int row = 0; row < rowCount(); ++row)
    if (run(row).session == session) emit dataChanged(index(row, 0), index(row, 0));
  emit hidden_changed();
}

int ComparedRunModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() || !runs_ ? 0 : static_cast<int>(runs_->runs.size());
}

int ComparedRunModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : column_count;
}

QString ComparedRunModel::state_text(const analysis::ComparedRun& run) const {
  if (!run.error.empty()) return tr("failed");
  if (run.finished) return tr("done");
  return running_ ? tr("running") : tr("interrupted");
}

QString ComparedRunModel::text(const analysis::ComparedRun& run, int column) const {
  switch (column) {
    case ArmColumn:
      return QString::fromStdString(runs_->arms[run.arm].name);
    case TaskColumn:
      return QString::fromStdString(runs_->tasks[run.task].name);
    case RepeatColumn:
      return QString::number(run.repeat + 1);
    case StateColumn:
      return state_text(run);
    case BestColumn:
      return run.curve.performance.empty() ? style::no_number()
                                           : performance_text(runs_->tasks[run.task], run.curve.best());
    case ShareColumn:
      return run.curve.performance.empty() ? style::no_number()
                                           : style::format_percent(share_of_optimum(*runs_, run));
    case TrialsColumn:
      return style::format_count(std::llround(run.curve.end_trials));
    case TimeColumn:
      return style::format_duration(run.curve.end_seconds);
    case SeedColumn:
      return QString::number(run.seed);
    case ErrorColumn:
      return QString::fromStdString(run.error).section(QLatin1Char('\n'), 0, 0);
    default:
      return {};
  }
}

QVariant ComparedRunModel::sort_value(const analysis::ComparedRun& run, int column) const {
  switch (column) {
    case RepeatColumn:
      return run.repeat;
    case BestColumn:
      return run.curve.best();
    case ShareColumn: {
      const double share = share_of_optimum(*runs_, run);
      return std::isnan(share) ? -1 : share;
    }
    case TrialsColumn:
      return run.curve.end_trials;
    case TimeColumn:
      return run.curve.end_seconds;
    case SeedColumn:
      return qulonglong{run.seed};
    default:
      return text(run, column);
  }
}

QVariant ComparedRunModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || index.row() >= rowCount() || index.column() >= column_count) return {};
  const analysis::ComparedRun& shown = run(index.row());
  switch (role) {
    case Qt::DisplayRole:
      return text(shown, index.column());
    case Qt::ToolTipRole:
      return index.column() == ErrorColumn ? QString::fromStdString(shown.error)
                                           : text(shown, index.column());
    case Qt::CheckStateRole:
      if (index.column() != ArmColumn) return {};
      return hidden_.contains(shown.session) ? Qt::Unchecked : Qt::Checked;
    case Qt::TextAlignmentRole:
      return static_cast<int>(Qt::AlignVCenter) |
             static_cast<int>(is_run_number(index.column()) ? Qt::AlignRight : Qt::AlignLeft);
    case SortRole:
      return sort_value(shown, index.column());
    default:
      return {};
  }
}

bool ComparedRunModel::setData(const QModelIndex& index, const QVariant& value, int role) {
  if (!index.isValid() || role != Qt::CheckStateRole || index.column() != ArmColumn) return false;
  set_hidden(run(index.row()).session, value.toInt() == Qt::Unchecked);
  return true;
}

Qt::ItemFlags ComparedRunModel::flags(const QModelIndex& index) const {
  const Qt::ItemFlags flags = QAbstractTableModel::flags(index);
  return index.column() == ArmColumn ? flags | Qt::ItemIsUserCheckable : flags;
}

QVariant ComparedRunModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || section < 0 || section >= column_count) return {};
  if (role == Qt::TextAlignmentRole)
    return static_cast<int>(Qt::AlignVCenter) |
           static_cast<int>(is_run_number(section) ? Qt::AlignRight : Qt::AlignLeft);
  if (role != Qt::DisplayRole) return {};
  const std::array<QString, column_count> titles = {tr("Tuner"), tr("Task"),  tr("Repeat"), tr("State"),
                                                    tr("Best"),  tr("Share"), tr("Trials"), tr("Time"),
                                                    tr("Seed"),  tr("Error")};
  return titles[static_cast<std::size_t>(section)];
}

}  // namespace kernelscape::models
