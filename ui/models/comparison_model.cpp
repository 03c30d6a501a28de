#include "ui/models/comparison_model.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "ui/style/numbers.h"

namespace kernelscape::models {
namespace {

/** Returns "0.62 [0.55, 0.7]", or a dash. */
QString number_with_interval(bool known, double value,
                             const std::optional<analysis::ConfidenceInterval>& interval) {
  if (!known) return style::no_number();
  if (!interval) return style::format_number(value, 3);
  return QStringLiteral("%1 [%2, %3]")
      .arg(style::format_number(value, 3), style::format_number(interval->low, 3),
           style::format_number(interval->high, 3));
}

QString share_with_interval(double share, const std::optional<analysis::ConfidenceInterval>& interval) {
  if (!interval) return style::format_percent(share);
  return QStringLiteral("%1 [%2, %3]")
      .arg(style::format_percent(share), style::format_percent(interval->low),
           style::format_percent(interval->high));
}

bool same_places(const std::vector<analysis::ComparisonRow>& first,
                 const std::vector<analysis::ComparisonRow>& second) {
  return std::ranges::equal(first, second,
                            [](const analysis::ComparisonRow& a, const analysis::ComparisonRow& b) {
                              return a.arm == b.arm && a.task == b.task;
                            });
}

/** In the order of goal_shares. */
constexpr std::array goal_columns{ComparisonModel::Goal90Column, ComparisonModel::Goal95Column,
                                  ComparisonModel::Goal99Column};

bool is_goal(int column) { return std::ranges::find(goal_columns, column) != goal_columns.end(); }

const analysis::GoalReached& goal_of(const analysis::ComparisonRow& row, int column) {
  return row.goals.at(
      static_cast<std::size_t>(std::ranges::find(goal_columns, column) - goal_columns.begin()));
}

bool is_judgement(int column) {
  return column >= ComparisonModel::DifferenceColumn && column <= ComparisonModel::VerdictColumn;
}

bool is_text_column(int column) {
  return column <= ComparisonModel::RunsColumn || column == ComparisonModel::VerdictColumn;
}

/** Returns the meaning of a column's numbers; empty if the title explains it. */
QString column_meaning(int column) {
  switch (column) {
    case ComparisonModel::RandomColumn:
      return ComparisonModel::tr(
          "trials of a run that were drawn at random before the tuner used what it had learnt");
    case ComparisonModel::Goal90Column:
    case ComparisonModel::Goal95Column:
    case ComparisonModel::Goal99Column:
      return ComparisonModel::tr(
          "median over the runs; in round brackets the number of runs that reached the goal; a run that did "
          "not reach it counts as ∞");
    case ComparisonModel::DifferenceColumn:
      return ComparisonModel::tr(
          "for seconds and trials the ratio of medians (below 1 x: earlier), otherwise the difference, with "
          "its 95 % interval");
    case ComparisonModel::PColumn:
      return ComparisonModel::tr(
          "two-sided, corrected after Holm over all tests of the table: within a task Mann-Whitney, or "
          "Wilcoxon's signed rank where starts are paired; over tasks Wilcoxon's signed rank");
    case ComparisonModel::EffectColumn:
      return ComparisonModel::tr(
          "A12 within a task: the probability that a run is better than one of the baseline's, 0.5 for no "
          "difference. Over tasks and for paired starts the rank correlation, from -1 (worse in all) to 1 "
          "(better in all)");
    case ComparisonModel::FinalColumn:
      return ComparisonModel::tr(
          "mean over the runs of the best value at the end of the run; over all tasks its share of the "
          "optimum");
    case ComparisonModel::ShareColumn:
      return ComparisonModel::tr(
          "the final best as a share of the optimum, or of the best found if the optimum is not known");
    case ComparisonModel::AreaColumn:
      return ComparisonModel::tr("mean share of the optimum over the duration of the run, 0 to 1");
    case ComparisonModel::ScoreColumn:
      return ComparisonModel::tr(
          "0: equal to the expected random search, 1: the optimum at once, below 0: worse than random; needs "
          "a recording of the whole space");
    default:
      return {};
  }
}

QString interval_origin(bool over_tasks) {
  return over_tasks
             ? ComparisonModel::tr("in square brackets the 95 % interval, by bootstrap over tasks and runs")
             : ComparisonModel::tr("in square brackets the 95 % interval, by bootstrap over runs");
}

}  // namespace

void ComparisonModel::set_rows(JudgedRows rows) {
  const bool same =
      same_places(rows.rows, judged_.rows) && rows.axis == judged_.axis && rows.measure == judged_.measure;
  const bool first = judged_.rows.empty() && !rows.rows.empty();
  if (first) {
    beginInsertRows({}, 0, static_cast<int>(rows.rows.size()) - 1);
  } else if (!same) {
    beginResetModel();
  }
  judged_ = std::move(rows);
  if (first) {
    endInsertRows();
    emit headerDataChanged(Qt::Horizontal, 0, column_count - 1);
  } else if (!same) {
    endResetModel();
  } else if (!judged_.rows.empty()) {
    emit dataChanged(index(0, 0), index(rowCount() - 1, column_count - 1));
  }
}

int ComparisonModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(judged_.rows.size());
}

int ComparisonModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : column_count;
}

QString ComparisonModel::arm_text(const analysis::ComparisonRow& row) const {
  const analysis::ComparedArm& arm = judged_.runs->arms[row.arm];
  const QString name = QString::fromStdString(arm.name);
  // Most control arms have the word in their names.
  const bool marked = name.contains(QStringLiteral("control"));
  return arm.control && !marked ? tr("%1 (control)").arg(name) : name;
}

QString ComparisonModel::final_text(const analysis::ComparisonRow& row) const {
  if (row.runs == 0) return style::no_number();
  if (!row.task) return share_with_interval(row.mean_final, row.mean_final_interval);
  QString text = performance_text(judged_.runs->tasks[*row.task], row.mean_final);
  if (!row.mean_final_interval) return text;
  return QStringLiteral("%1 [%2, %3]")
      .arg(text, style::format_number(row.mean_final_interval->low),
           style::format_number(row.mean_final_interval->high));
}

QString ComparisonModel::text(int place, int column) const {
  const analysis::ComparisonRow& row = this->row(place);
  const bool known = row.runs > 0;
  const bool seconds = judged_.axis == analysis::CompareAxis::Seconds;
  if (is_goal(column)) return goal_text(goal_of(row, column), judged_.axis);
  switch (column) {
    case ArmColumn:
      return arm_text(row);
    case TaskColumn:
      return row.task ? QString::fromStdString(judged_.runs->tasks[*row.task].name) : tr("all tasks");
    case RunsColumn: {
      QString runs = style::format_count(static_cast<qint64>(row.runs));
      if (row.unfinished > 0) runs += tr(" + %1 unfinished").arg(row.unfinished);
      if (row.failed > 0) runs += tr(" + %1 failed").arg(row.failed);
      return runs;
    }
    case RandomColumn:
      return random_phase_text(judged_.runs->arms[row.arm], row);
    case FinalColumn:
      return final_text(row);
    case ShareColumn:
      return known ? share_with_interval(row.final_share, row.share_interval) : style::no_number();
    case AreaColumn:
      return seconds ? number_with_interval(known, row.area_by_seconds, row.area_by_seconds_interval)
                     : number_with_interval(known, row.area_by_trials, row.area_by_trials_interval);
    case ScoreColumn:
      return number_with_interval(known && std::isfinite(row.score), row.score, row.score_interval);
    case DifferenceColumn:
      return is_baseline(row) ? tr("baseline") : difference_text(row, judged_.measure);
    case PColumn:
      return is_baseline(row) ? tr("baseline") : corrected_p_text(row, judged_.measure);
    case EffectColumn:
      return is_baseline(row) ? style::no_number() : effect_text(row, judged_.measure);
    case VerdictColumn:
      return judged_.verdicts[static_cast<std::size_t>(place)];
    default:
      return {};
  }
}

double ComparisonModel::goal_value(const analysis::GoalReached& goal) const {
  return judged_.axis == analysis::CompareAxis::Seconds ? goal.median_seconds : goal.median_trials;
}

QVariant ComparisonModel::sort_value(int place, int column) const {
  const analysis::ComparisonRow& row = this->row(place);
  if (is_goal(column)) return goal_value(goal_of(row, column));
  const auto& within = analysis::row_test(row, judged_.measure);
  const auto& over = analysis::row_tasks_test(row, judged_.measure);
  switch (column) {
    // Performances on several tasks are not comparable, but their shares are.
    case FinalColumn:
      return row.task ? row.mean_final : row.final_share;
    case ShareColumn:
      return row.final_share;
    case RunsColumn:
      return static_cast<qulonglong>(row.runs);
    case RandomColumn:
      return row.random_trials;
    case AreaColumn:
      return judged_.axis == analysis::CompareAxis::Seconds ? row.area_by_seconds : row.area_by_trials;
    case ScoreColumn:
      return std::isfinite(row.score) ? row.score : -HUGE_VAL;
    case PColumn:
      return row.task ? (within ? within->corrected_p : 2.0) : (over ? over->corrected_p : 2.0);
    case EffectColumn:
      return row.task ? (within ? (within->paired ? within->pair_effect : within->a12) : -2.0)
                      : (over ? over->effect : -2.0);
    default:
      return text(place, column);
  }
}

QString ComparisonModel::goal_tip(const analysis::ComparisonRow& row, int column) const {
  const analysis::GoalReached& goal = goal_of(row, column);
  if (!goal.within_noise) {
    QString tip = column_meaning(column);
    if (goal.seconds_interval || goal.trials_interval)
      tip += QStringLiteral("\n") + interval_origin(!row.task.has_value());
    if (goal.in_random_phase)
      tip += QStringLiteral("\n") +
             tr("the median lies in the random phase, before the tuner used what it had learnt");
    return tip;
  }
  const QString share = style::format_percent(goal.share);
  if (!row.task) return tr("not offered: %1 is within the measurement noise of every task").arg(share);
  return tr("not offered: the difference between %1 and the optimum is within the measurement noise (%2)")
      .arg(share, style::format_percent(judged_.runs->tasks[*row.task].noise));
}

QString ComparisonModel::tool_tip(int place, int column) const {
  const analysis::ComparisonRow& row = this->row(place);
  if (is_goal(column)) return goal_tip(row, column);
  const analysis::ComparedArm& arm = judged_.runs->arms[row.arm];
  switch (column) {
    case ArmColumn: {
      QStringList lines{arm.settings.empty() ? tr("default settings") : QString::fromStdString(arm.settings)};
      if (arm.batch > 0) lines.append(tr("in batches of %1").arg(arm.batch));
      if (arm.control)
        lines.append(tr("control: added automatically, to isolate the effect of the batch size"));
      return lines.join(QLatin1Char('\n'));
    }
    case RandomColumn:
      return column_meaning(column);
    case FinalColumn:
      return (row.confirmed ? tr("remeasured at the end; ") : QString()) +
             interval_origin(!row.task.has_value());
    case PColumn:
    case EffectColumn:
    case VerdictColumn:
    case DifferenceColumn: {
      QStringList lines{text(place, VerdictColumn)};
      lines += test_lines(row);
      const auto& test = analysis::row_test(row, judged_.measure);
      if (row.task && test && test->paired) {
        lines.append(
            tr("Wilcoxon's signed rank test of %1 pairs with the same seed, two-sided, corrected after Holm "
               "over all tests of the table; rank correlation: 1 if it is better in every pair, -1 if worse")
                .arg(test->pairs));
        return lines.join(QLatin1Char('\n'));
      }
      lines.append(
          row.task
              ? tr("Mann-Whitney test against the baseline, two-sided, corrected after Holm over all tests "
                   "of the table; A12: probability that a run is better than one of the baseline's")
              : tr("Wilcoxon's signed rank test over the tasks, corrected after Holm; rank correlation: 1 if "
                   "it is better on every task, -1 if worse"));
      return lines.join(QLatin1Char('\n'));
    }
    case ScoreColumn:
    case AreaColumn:
      return column_meaning(column) + QLatin1Char('\n') + interval_origin(!row.task.has_value());
    case ShareColumn:
      return interval_origin(!row.task.has_value());
    default:
      return text(place, column);
  }
}

QVariant ComparisonModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || index.row() >= rowCount() || index.column() >= column_count) return {};
  switch (role) {
    case Qt::DisplayRole:
      return text(index.row(), index.column());
    case Qt::ToolTipRole:
      return tool_tip(index.row(), index.column());
    case Qt::TextAlignmentRole:
      return static_cast<int>(Qt::AlignVCenter) |
             static_cast<int>(is_text_column(index.column()) ? Qt::AlignLeft : Qt::AlignRight);
    case SortRole:
      return sort_value(index.row(), index.column());
    default:
      return {};
  }
}

QVariant ComparisonModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || section < 0 || section >= column_count) return {};
  if (role == Qt::TextAlignmentRole)
    return static_cast<int>(Qt::AlignVCenter) |
           static_cast<int>(is_text_column(section) ? Qt::AlignLeft : Qt::AlignRight);
  const QString measure = measure_text(judged_.measure);
  if (role == Qt::ToolTipRole) {
    const QString meaning = column_meaning(section);
    if (!is_judgement(section)) return meaning.isEmpty() ? QVariant() : QVariant(meaning);
    const QString by = tr("by %1").arg(measure);
    return meaning.isEmpty() ? by : by + QStringLiteral(": ") + meaning;
  }
  if (role != Qt::DisplayRole) return {};
  const bool seconds = judged_.axis == analysis::CompareAxis::Seconds;
  const QString to = seconds ? tr("Time to %1 %") : tr("Trials to %1 %");
  const std::array<QString, column_count> titles = {
      tr("Tuner"),        tr("Task"),   tr("Runs"),
      tr("Random phase"), to.arg(95),   tr("Against the baseline"),
      tr("p (Holm)"),     tr("Effect"), tr("Verdict, %1").arg(measure),
      to.arg(90),         to.arg(99),   tr("Final best"),
      tr("Share"),        tr("Area"),   tr("Score")};
  return titles[static_cast<std::size_t>(section)];
}

}  // namespace kernelscape::models
