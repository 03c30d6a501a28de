#pragma once

#include <QAbstractTableModel>
#include <memory>
#include <set>

#include "core/analysis/comparison/compared_runs.h"

namespace kernelscape::models {

/**
 * Table model of the runs of a comparison. Each run has a check box; an unchecked run is excluded from all
 * results.
 */
class ComparedRunModel : public QAbstractTableModel {
  Q_OBJECT

 public:
  enum Column {
    ArmColumn,
    TaskColumn,
    RepeatColumn,
    StateColumn,
    BestColumn,
    ShareColumn,
    TrialsColumn,
    TimeColumn,
    SeedColumn,
    ErrorColumn,
    column_count
  };
  enum Role { SortRole = Qt::UserRole };

  using QAbstractTableModel::QAbstractTableModel;

  /** Sets the runs. @param running whether a process works on the unfinished runs */
  void set_runs(std::shared_ptr<const analysis::ComparedRuns> runs, bool running);
  /** Returns the run of a row of this model, not of a sorted view; there must be runs. */
  const analysis::ComparedRun& run(int row) const { return runs_->runs.at(static_cast<std::size_t>(row)); }

  /** Returns the sessions of the hidden runs. */
  const std::set<std::int64_t>& hidden() const { return hidden_; }
  /** Checks or unchecks the run of a session, even if the run has no row now. */
  void set_hidden(std::int64_t session, bool hidden);

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  bool setData(const QModelIndex& index, const QVariant& value, int role) override;
  Qt::ItemFlags flags(const QModelIndex& index) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

 signals:
  /** A run was hidden or shown, by its check box or by `set_hidden`. */
  void hidden_changed();

 private:
  QString state_text(const analysis::ComparedRun& run) const;
  QString text(const analysis::ComparedRun& run, int column) const;
  QVariant sort_value(const analysis::ComparedRun& run, int column) const;

  std::shared_ptr<const analysis::ComparedRuns> runs_;
  std::set<std::int64_t> hidden_;
  bool running_ = false;
};

}  // namespace kernelscape::models
