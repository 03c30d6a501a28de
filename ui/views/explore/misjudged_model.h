#pragma once

#include <QAbstractTableModel>

#include "ui/figures/misjudged_trials.h"

namespace kernelscape::views {

/** Lists the trials that a tuner's model mispredicted, the worst first. */
class MisjudgedModel : public QAbstractTableModel {
  Q_OBJECT

 public:
  enum Columns { Trial, Predicted, Measured, Factor, Configuration, ColumnCount };

  using QAbstractTableModel::QAbstractTableModel;

  /**
   * Sets the trials. Does nothing if they are unchanged.
   * @param unit of the predicted and measured values: "GFLOPS"
   */
  void set_trials(const std::vector<figures::MisjudgedTrial>& trials, const QString& unit);
  /** Returns the trial of a row, which must exist. */
  const figures::MisjudgedTrial& trial(int row) const { return trials_[static_cast<std::size_t>(row)]; }
  /** Returns the row of this model for a row of the trial table, or -1 if it is not listed. */
  int row_of(std::int64_t trial_row) const;

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  QString text(const figures::MisjudgedTrial& trial, int column) const;

  std::vector<figures::MisjudgedTrial> trials_;
  QString unit_;
};

}  // namespace kernelscape::views
