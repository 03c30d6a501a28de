#pragma once

#include <QAbstractTableModel>
#include <vector>

#include "ui/workspace/source.h"

namespace kernelscape::views {

/** A feasible configuration one move away from the current trial, with its measurement if there is one. */
struct NeighbourRow {
  QString knob;
  QString move;   ///< "prime 2 from tile_oc[0] to tile_oc[3]"
  QString value;  ///< of the knob, after the move
  QString full;   ///< the whole configuration
  double probability =
      0;  ///< probability that a q-random walk mutates the current trial into exactly this configuration
  std::int64_t row = analysis::no_row;
  std::int64_t trial = -1;  ///< trial number; -1: not measured
  trial::ErrorCategory category = trial::ErrorCategory::NoError;
  double performance = 0;  ///< 0: failed or not measured
  bool better = false;     ///< faster than the current trial
  std::size_t order = 0;   ///< original position: by knob, then by value

  bool operator==(const NeighbourRow&) const = default;
};

/**
 * Lists the neighbours, sorted by a column. Equal rows keep their original order; unknown values come last.
 */
class NeighbourModel : public QAbstractTableModel {
  Q_OBJECT

 public:
  enum Columns { Knob, Move, Value, Probability, Trial, Performance, Error, ColumnCount };

  using QAbstractTableModel::QAbstractTableModel;

  /** Sets the neighbours. @param unit of the performances: "GFLOPS" or "ms" */
  void set_neighbours(std::vector<NeighbourRow> neighbours, const QString& unit);
  /** Returns the neighbours in the order of the rows, as sorted. */
  const std::vector<NeighbourRow>& neighbours() const { return neighbours_; }

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
  void sort(int column, Qt::SortOrder order) override;

 private:
  QString text(const NeighbourRow& neighbour, int column) const;
  void sort_rows();

  std::vector<NeighbourRow> neighbours_;
  QString unit_;
  int sorted_by_ = -1;  ///< -1: original order
  Qt::SortOrder order_ = Qt::AscendingOrder;
};

}  // namespace kernelscape::views
