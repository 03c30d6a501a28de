#pragma once

#include <QAbstractTableModel>
#include <vector>

#include "ui/models/network_layers.h"

namespace kernelscape {

/** The layers of a network as rows: what each is, and what tuning has made of it so far. */
class NetworkLayerModel : public QAbstractTableModel {
  Q_OBJECT

 public:
  enum ColumnId {
    LayerColumn,
    CallsColumn,
    AllTimeColumn,  ///< of all calls
    TimeColumn,     ///< of a call
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

  /** Rows keep their place where the layers are the same, whatever was measured of them meanwhile. */
  void set_layers(std::vector<NetworkLayerRow> layers);
  const std::vector<NetworkLayerRow>& layers() const { return layers_; }  ///< as set
  /** Of a row of the model, not of a sorted view. */
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

/** What a network computes beside its layers, as rows. */
class OtherOperatorModel : public QAbstractTableModel {
  Q_OBJECT

 public:
  enum ColumnId { OperatorColumn, CountColumn, BytesColumn, ReasonColumn, column_count };
  enum Role { SortRole = Qt::UserRole };

  using QAbstractTableModel::QAbstractTableModel;

  /** In place of those before. */
  void set_operators(std::vector<OtherOperators> operators);
  /** Of a row of the model, not of a sorted view. */
  const OtherOperators& at(int row) const { return operators_[static_cast<std::size_t>(row)]; }

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

 private:
  static QString text(const OtherOperators& others, int column);

  std::vector<OtherOperators> operators_;
};

}  // namespace kernelscape
