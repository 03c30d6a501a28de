#pragma once

#include <QAbstractTableModel>
#include <memory>
#include <set>

#include "core/analysis/comparison/compared_runs.h"

namespace kernelscape {

/** The runs of a comparison. Each has a check box: a run without it counts nowhere. */
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

  /** @param running whether a process works on the runs that are not finished */
  void set_runs(std::shared_ptr<const ComparedRuns> runs, bool running);
  /** Of a row of the model, not of a sorted view; there must be runs. */
  const ComparedRun& run(int row) const { return runs_->runs.at(static_cast<std::size_t>(row)); }

  /** By session. */
  const std::set<std::int64_t>& hidden() const { return hidden_; }
  /** Checks or unchecks the session's run, whether it has a row now or not. */
  void set_hidden(std::int64_t session, bool hidden);

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  bool setData(const QModelIndex& index, const QVariant& value, int role) override;
  Qt::ItemFlags flags(const QModelIndex& index) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

 signals:
  /** A run was hidden or shown again, by its check box or by `set_hidden`. */
  void hidden_changed();

 private:
  QString state_text(const ComparedRun& run) const;
  QString text(const ComparedRun& run, int column) const;
  QVariant sort_value(const ComparedRun& run, int column) const;

  std::shared_ptr<const ComparedRuns> runs_;
  std::set<std::int64_t> hidden_;
  bool running_ = false;
};

}  // namespace kernelscape
