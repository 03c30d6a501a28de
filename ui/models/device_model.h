#pragma once

#include <QAbstractTableModel>
#include <memory>

#include "ui/workspace/devices.h"

namespace kernelscape {

/** The targets of this machine as rows; below them the platforms without a device, and why. */
class DeviceModel : public QAbstractTableModel {
  Q_OBJECT

 public:
  enum ColumnId { TargetColumn, DeviceColumn, StateColumn, MemoryColumn, DriverColumn, column_count };

  using QAbstractTableModel::QAbstractTableModel;

  /** @param survey null: nobody has looked yet */
  void set_survey(std::shared_ptr<const DeviceSurvey> survey);

  /** Null: the row is a platform without a device. */
  const FoundDevice* device(int row) const;
  /** Null: the row is a device. */
  const MissingPlatform* missing(int row) const;

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

 private:
  QString text(int row, int column) const;

  std::shared_ptr<const DeviceSurvey> survey_;
};

}  // namespace kernelscape
