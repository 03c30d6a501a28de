#pragma once

#include <QAbstractTableModel>

#include "ui/charts/landscape/constraint_data.h"

namespace kernelscape {

/** The constraints of a space and their variables, as rows: ConstraintScene::items. */
class ConstraintModel : public QAbstractTableModel {
  Q_OBJECT

 public:
  enum Columns { Text, State, Kind, Reason, ColumnCount };

  using QAbstractTableModel::QAbstractTableModel;

  /** Rows keep their place where the constraints are the same. */
  void set_data(ConstraintData data);
  /** `row` has to exist. */
  const ConstraintItem& item(int row) const { return data_.scene->items[static_cast<std::size_t>(row)]; }
  /** The first row of a node of the graph; -1: none. */
  int row_of(std::size_t node) const;
  /** What a search looks through. */
  QString search_text(int row) const;

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  QString text(int row, int column) const;

  ConstraintData data_;
};

}  // namespace kernelscape
