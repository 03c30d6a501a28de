#pragma once

#include <QAbstractTableModel>
#include <map>
#include <string>
#include <vector>

#include "core/study/network_run.h"
#include "ui/workspace/model_operators.h"

namespace kernelscape::models {

/**
 * Table model of the operators of a model's graph after its passes: what was fused into each, and the kernel
 * that a library of the model would use.
 */
class ModelOperatorModel : public QAbstractTableModel {
  Q_OBJECT

 public:
  enum ColumnId {
    NameColumn,
    OperatorColumn,
    ResultColumn,
    EpilogueColumn,
    NodesColumn,  ///< the nodes of the model that it computes
    KernelColumn,
    SpeedColumn,
    column_count
  };
  enum Role { SortRole = Qt::UserRole };

  using QAbstractTableModel::QAbstractTableModel;

  /** Replaces all rows. */
  void set_operators(std::vector<workspace::ModelOperator> operators);
  /** Sets the layers of a study, whose kernels for a CPU the library takes; none: no layer was tuned. */
  void set_layers(const std::vector<study::NetworkLayerOutcome>& layers);
  /** Returns the operator of a row of this model, not of a sorted view. */
  const workspace::ModelOperator& at(int row) const { return operators_[static_cast<std::size_t>(row)]; }
  /** Returns the text that a search in a row looks at: its columns and all nodes of the model. */
  QString searched_text(int row) const;

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

 private:
  QString text(const workspace::ModelOperator& row, int column) const;
  QString tip(const workspace::ModelOperator& row, int column) const;
  QVariant sort_value(const workspace::ModelOperator& row, int column) const;
  double speed(const workspace::ModelOperator& row) const;

  std::vector<workspace::ModelOperator> operators_;
  std::map<std::string, double, std::less<>> speeds_;  ///< FLOP/s of the tuned kernels, by their tasks
};

}  // namespace kernelscape::models
