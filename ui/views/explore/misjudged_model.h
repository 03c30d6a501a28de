#pragma once

#include <QAbstractTableModel>

#include "ui/figures/misjudged_trials.h"

namespace kernelscape {

/** The trials that a tuner's model misjudged, worst first. */
class MisjudgedModel : public QAbstractTableModel {
  Q_OBJECT

 public:
  enum Columns { Trial, Predicted, Measured, Factor, Configuration, ColumnCount };

  using QAbstractTableModel::QAbstractTableModel;

  /** Nothing changes where they are the same. @param unit of what was predicted and measured: "GFLOPS" */
  void set_trials(const std::vector<MisjudgedTrial>& trials, const QString& unit);
  /** `row` has to exist. */
  const MisjudgedTrial& trial(int row) const { return trials_[static_cast<std::size_t>(row)]; }
  /** The row of the model with a row of the trial table; -1: none. */
  int row_of(std::int64_t trial_row) const;

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  QString text(const MisjudgedTrial& trial, int column) const;

  std::vector<MisjudgedTrial> trials_;
  QString unit_;
};

}  // namespace kernelscape
