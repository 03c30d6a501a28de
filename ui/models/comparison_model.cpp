#include "ui/models/comparison_model.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "ui/style/numbers.h"

namespace kernelscape {
namespace {

QString number_or_none(bool known, double value, int digits = 3) {
  return known ? format_number(value, digits) : no_number();
}

QString p_text(double p) { return p < 1e-4 ? QStringLiteral("< 0.0001") : format_number(p, 2); }

bool same_places(const std::vector<ComparisonRow>& first, const std::vector<ComparisonRow>& second) {
  return std::ranges::equal(first, second, [](const ComparisonRow& a, const ComparisonRow& b) {
    return a.arm == b.arm && a.task == b.task;
  });
}

bool is_goal(int column) {
  return column >= ComparisonModel::Goal90Column && column <= ComparisonModel::Goal99Column;
}

const GoalReached& goal_of(const ComparisonRow& row, int column) {
  return row.goals.at(static_cast<std::size_t>(column - ComparisonModel::Goal90Column));
}

}  // namespace

QString goal_text(const GoalReached& goal, CompareAxis axis) {
  if (goal.runs == 0) return no_number();
  const double median = axis == CompareAxis::Seconds ? goal.median_seconds : goal.median_trials;
  const QString value = !std::isfinite(median)         ? QStringLiteral("∞")
                        : axis == CompareAxis::Seconds ? format_duration(median)
                                                       : format_number(median);
  return QStringLiteral("%1 (%2/%3)").arg(value).arg(goal.reached).arg(goal.runs);
}

QString performance_text(const ComparedTask& task, double performance) {
  return task.floating_flops ? format_quantity(performance, QStringLiteral("GFLOPS"))
                             : ComparisonModel::tr("%1 calls/s").arg(format_number(performance));
}

void ComparisonModel::set_rows(std::shared_ptr<const ComparedRuns> runs, std::vector<ComparisonRow> rows,
                               std::size_t baseline, CompareAxis axis) {
  const bool same = same_places(rows, rows_) && axis == axis_;
  const bool first = rows_.empty() && !rows.empty();
  if (first) {
    beginInsertRows({}, 0, static_cast<int>(rows.size()) - 1);
  } else if (!same) {
    beginResetModel();
  }
  runs_ = std::move(runs);
  rows_ = std::move(rows);
  baseline_ = baseline;
  axis_ = axis;
  if (first) {
    endInsertRows();
    emit headerDataChanged(Qt::Horizontal, 0, column_count - 1);
  } else if (!same) {
    endResetModel();
  } else if (!rows_.empty()) {
    emit dataChanged(index(0, 0), index(rowCount() - 1, column_count - 1));
  }
}

int ComparisonModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(rows_.size());
}

int ComparisonModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : column_count;
}

QString ComparisonModel::final_text(const ComparisonRow& row) const {
  if (row.runs == 0) return no_number();
  return row.task ? performance_text(runs_->tasks[*row.task], row.mean_final)
                  : format_percent(row.mean_final);
}

QString ComparisonModel::test_text(const ComparisonRow& row) const {
  if (row.arm == baseline_) return tr("baseline");
  if (!row.test) return no_number();
  return row.test->can_be_significant ? p_text(row.test->corrected_p) : tr("needs more seeds");
}

QString ComparisonModel::text(const ComparisonRow& row, int column) const {
  const bool known = row.runs > 0;
  if (is_goal(column)) return goal_text(goal_of(row, column), axis_);
  switch (column) {
    case ArmColumn:
      return QString::fromStdString(runs_->arms[row.arm].name);
    case TaskColumn:
      return row.task ? QString::fromStdString(runs_->tasks[*row.task].name) : tr("all tasks");
    case RunsColumn: {
      QString runs = format_count(static_cast<qint64>(row.runs));
      if (row.unfinished > 0) runs += tr(" + %1 unfinished").arg(row.unfinished);
      if (row.failed > 0) runs += tr(" + %1 failed").arg(row.failed);
      return runs;
    }
    case FinalColumn:
      return final_text(row);
    case ShareColumn:
      return known ? format_percent(row.final_share) : no_number();
    case AreaColumn:
      return number_or_none(known, axis_ == CompareAxis::Seconds ? row.area_by_seconds : row.area_by_trials);
    case ScoreColumn:
      return number_or_none(known && std::isfinite(row.score), row.score);
    case PColumn:
      return test_text(row);
    case A12Column:
      return number_or_none(row.test.has_value(), row.test ? row.test->a12 : 0);
    case WilcoxonColumn:
      if (row.arm == baseline_ && !row.task) return tr("baseline");
      return row.wilcoxon_p ? p_text(*row.wilcoxon_p) : no_number();
    default:
      return {};
  }
}

double ComparisonModel::goal_value(const GoalReached& goal) const {
  return axis_ == CompareAxis::Seconds ? goal.median_seconds : goal.median_trials;
}

QVariant ComparisonModel::sort_value(const ComparisonRow& row, int column) const {
  if (is_goal(column)) return goal_value(goal_of(row, column));
  switch (column) {
    // Performances of several tasks can't be compared; their shares can.
    case FinalColumn:
      return row.task ? row.mean_final : row.final_share;
    case ShareColumn:
      return row.final_share;
    case RunsColumn:
      return static_cast<qulonglong>(row.runs);
    case AreaColumn:
      return axis_ == CompareAxis::Seconds ? row.area_by_seconds : row.area_by_trials;
    case ScoreColumn:
      return std::isfinite(row.score) ? row.score : -HUGE_VAL;
    case PColumn:
      return row.test ? row.test->corrected_p : 2.0;
    case A12Column:
      return row.test ? row.test->a12 : -1.0;
    case WilcoxonColumn:
      return row.wilcoxon_p.value_or(2.0);
    default:
      return text(row, column);
  }
}

QString ComparisonModel::tool_tip(const ComparisonRow& row, int column) const {
  if (is_goal(column))
    return tr("median over the runs, in brackets the runs that got there; one that did not counts as ∞");
  switch (column) {
    case ArmColumn: {
      const QString settings = QString::fromStdString(runs_->arms[row.arm].settings);
      return settings.isEmpty() ? tr("default settings") : settings;
    }
    case PColumn:
      if (!row.test) return {};
      return row.test->can_be_significant
                 ? tr("Mann-Whitney against the baseline, two-sided, corrected after Holm; uncorrected %1")
                       .arg(p_text(row.test->p))
                 : tr("with so few runs even the most extreme outcome could not pass the correction for all "
                      "tests of the table; repeat more often");
    case A12Column:
      return tr("chance that a run of this tuner ends better than one of the baseline's");
    case ScoreColumn:
      return tr(
          "0: as the expected random search, 1: the optimum at once; needs the whole space's recording");
    case WilcoxonColumn:
      return tr("Wilcoxon's signed rank of the tasks' differences to the baseline, not corrected");
    case AreaColumn:
      return tr("mean share of the optimum from the beginning to the end, 0 to 1");
    default:
      return text(row, column);
  }
}

QVariant ComparisonModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || index.row() >= rowCount() || index.column() >= column_count) return {};
  const ComparisonRow& shown = row(index.row());
  switch (role) {
    case Qt::DisplayRole:
      return text(shown, index.column());
    case Qt::ToolTipRole:
      return tool_tip(shown, index.column());
    case Qt::TextAlignmentRole:
      return static_cast<int>(Qt::AlignVCenter) |
             static_cast<int>(index.column() > RunsColumn ? Qt::AlignRight : Qt::AlignLeft);
    case SortRole:
      return sort_value(shown, index.column());
    default:
      return {};
  }
}

QVariant ComparisonModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || section < 0 || section >= column_count) return {};
  if (role == Qt::TextAlignmentRole)
    return static_cast<int>(Qt::AlignVCenter) |
           static_cast<int>(section > RunsColumn ? Qt::AlignRight : Qt::AlignLeft);
  if (role != Qt::DisplayRole) return {};
  const bool seconds = axis_ == CompareAxis::Seconds;
  const QString to = seconds ? tr("Time to %1 %") : tr("Trials to %1 %");
  const std::array<QString, column_count> titles = {
      tr("Tuner"), tr("Task"), tr("Runs"),  tr("Final best"), tr("Share"), to.arg(90),      to.arg(95),
      to.arg(99),  tr("Area"), tr("Score"), tr("p (Holm)"),   tr("A12"),   tr("Wilcoxon p")};
  return titles[static_cast<std::size_t>(section)];
}

}  // namespace kernelscape
