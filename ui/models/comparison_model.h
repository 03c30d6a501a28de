#pragma once

#include <QAbstractTableModel>
#include <memory>
#include <vector>

#include "ui/models/comparison_text.h"

namespace kernelscape::models {

/**
 * Table model of a comparison: each arm over all tasks, then each arm on each task, with intervals, and with
 * test and verdict by one measure.
 */
class ComparisonModel : public QAbstractTableModel {
  Q_OBJECT

 public:
  enum Column {
    ArmColumn,
    TaskColumn,
    RunsColumn,
    RandomColumn,
    // The primary measure of tuners, since final performances often do not differ.
    Goal95Column,
    DifferenceColumn,
    PColumn,
    EffectColumn,
    VerdictColumn,
    Goal90Column,
    Goal99Column,
    FinalColumn,
    ShareColumn,
    AreaColumn,
    ScoreColumn,
    column_count
  };
  enum Role { SortRole = Qt::UserRole };

  using QAbstractTableModel::QAbstractTableModel;

  /** Sets the rows. Existing rows keep their place if arms, tasks, axis and measure are unchanged. */
  void set_rows(JudgedRows rows);
  /** Returns the contents of a row of this model, not of a sorted view. */
  const analysis::ComparisonRow& row(int row) const { return judged_.rows.at(static_cast<std::size_t>(row)); }

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

 private:
  QString text(int row, int column) const;
  QVariant sort_value(int row, int column) const;
  QString tool_tip(int row, int column) const;
  QString arm_text(const analysis::ComparisonRow& row) const;
  QString final_text(const analysis::ComparisonRow& row) const;
  QString goal_tip(const analysis::ComparisonRow& row, int column) const;
  double goal_value(const analysis::GoalReached& goal) const;
  bool is_baseline(const analysis::ComparisonRow& row) const { return row.arm == judged_.baseline; }

  JudgedRows judged_;
};

}  // namespace kernelscape::models
