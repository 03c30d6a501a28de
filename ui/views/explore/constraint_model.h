#pragma once

#include <QAbstractTableModel>

#include "ui/charts/landscape/constraint_data.h"

namespace kernelscape::views {

/** Lists the constraints of a space and their variables: the rows are ConstraintScene::items. */
class ConstraintModel : public QAbstractTableModel {
  Q_OBJECT

 public:
  enum Columns { Text, State, Kind, Reason, ColumnCount };

  using QAbstractTableModel::QAbstractTableModel;

  /** Sets the data. Rows keep their position if the constraints are the same. */
  void set_data(charts::ConstraintData data);
  /** Returns the item of a row, which must exist. */
  const charts::ConstraintItem& item(int row) const {
    return data_.scene->items[static_cast<std::size_t>(row)];
  }
  /** Returns the first row of a node of the graph, or -1 if there is none. */
  int row_of(std::size_t node) const;
  /** Returns the text of a row that a search matches against. */
  QString search_text(int row) const;

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  QString text(int row, int column) const;

  charts::ConstraintData data_;
};

}  // namespace kernelscape::views
