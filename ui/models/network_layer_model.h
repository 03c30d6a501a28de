#pragma once

#include <QAbstractTableModel>
#include <vector>

#include "ui/models/network_layers.h"

namespace kernelscape::models {

/** Table model of the layers of a network: their operators, and the tuning results so far. */
class NetworkLayerModel : public QAbstractTableModel {
  Q_OBJECT

 public:
  enum ColumnId {
    LayerColumn,
    CallsColumn,
    AllTimeColumn,  ///< sum over all calls
    LatencyColumn,  ///< share of the latency of the whole model
    TimeColumn,     ///< per call
    SpeedColumn,
    VendorColumn,
    TrialsColumn,
    StateColumn,
    ShareColumn,
    WorkColumn,
    BytesColumn,
    TemplateColumn,
    column_count
  };
  enum Role { SortRole = Qt::UserRole };

  using QAbstractTableModel::QAbstractTableModel;

  /**
   * Sets the layers. Rows keep their place if the layers are the same, even if their measurements changed.
   */
  void set_layers(std::vector<NetworkLayerRow> layers);
  const std::vector<NetworkLayerRow>& layers() const { return layers_; }  ///< as set
  /** Returns the layer of a row of this model, not of a sorted view. */
  const NetworkLayerRow& layer(int row) const { return layers_[static_cast<std::size_t>(row)]; }

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

 private:
  static QString text(const NetworkLayerRow& row, int column);
  static QString tip(const NetworkLayerRow& row, int column);
  static QVariant sort_value(const NetworkLayerRow& row, int column);

  std::vector<NetworkLayerRow> layers_;
};

/** Table model of the operators that a network computes beside its layers. */
class OtherOperatorModel : public QAbstractTableModel {
  Q_OBJECT

 public:
  enum ColumnId { OperatorColumn, CountColumn, BytesColumn, ReasonColumn, column_count };
  enum Role { SortRole = Qt::UserRole };

  using QAbstractTableModel::QAbstractTableModel;

  /** Replaces all rows. */
  void set_operators(std::vector<task::OtherOperators> operators);
  /** Returns the operators of a row of this model, not of a sorted view. */
  const task::OtherOperators& at(int row) const { return operators_[static_cast<std::size_t>(row)]; }

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

 private:
  static QString text(const task::OtherOperators& others, int column);

  std::vector<task::OtherOperators> operators_;
};

}  // namespace kernelscape::models
