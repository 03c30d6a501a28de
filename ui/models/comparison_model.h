#pragma once

#include <QAbstractTableModel>
#include <memory>
#include <vector>

#include "core/analysis/comparison/comparison_table.h"

namespace kernelscape {

/** The table of a comparison: each arm over all tasks, then each arm on each task. */
class ComparisonModel : public QAbstractTableModel {
  Q_OBJECT

 public:
  enum Column {
    ArmColumn,
    TaskColumn,
    RunsColumn,
    FinalColumn,
    ShareColumn,
    Goal90Column,
    Goal95Column,
    Goal99Column,
    AreaColumn,
    ScoreColumn,
    PColumn,
    A12Column,
    WilcoxonColumn,
    column_count
  };
  enum Role { SortRole = Qt::UserRole };

  using QAbstractTableModel::QAbstractTableModel;

  /** Rows keep their place while arms and tasks are the same. @param axis in which goals are told */
  void set_rows(std::shared_ptr<const ComparedRuns> runs, std::vector<ComparisonRow> rows,
                std::size_t baseline, CompareAxis axis);
  /** Of a row of the model, not of a sorted view. */
  const ComparisonRow& row(int row) const { return rows_.at(static_cast<std::size_t>(row)); }

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

 private:
  QString text(const ComparisonRow& row, int column) const;
  QVariant sort_value(const ComparisonRow& row, int column) const;
  QString tool_tip(const ComparisonRow& row, int column) const;
  QString final_text(const ComparisonRow& row) const;
  QString test_text(const ComparisonRow& row) const;
  double goal_value(const GoalReached& goal) const;

  std::shared_ptr<const ComparedRuns> runs_;
  std::vector<ComparisonRow> rows_;
  std::size_t baseline_ = 0;
  CompareAxis axis_ = CompareAxis::Seconds;
};

/** "12.3 s (7/8)", "∞ (2/8)": median and how many runs got there. */
QString goal_text(const GoalReached& goal, CompareAxis axis);

/** "341 GFLOPS", or "12 calls/s" where the task's FLOPs are not known. */
QString performance_text(const ComparedTask& task, double performance);

}  // namespace kernelscape
