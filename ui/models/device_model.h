#pragma once

#include <QAbstractTableModel>
#include <memory>

#include "ui/workspace/devices.h"

namespace kernelscape::models {

/** Table model of the targets of this machine; below them the platforms without a device, with the reason. */
class DeviceModel : public QAbstractTableModel {
  Q_OBJECT

 public:
  enum ColumnId { TargetColumn, DeviceColumn, StateColumn, MemoryColumn, DriverColumn, column_count };

  using QAbstractTableModel::QAbstractTableModel;

  /** Sets the devices. @param survey null: no search has ended yet */
  void set_survey(std::shared_ptr<const workspace::DeviceSurvey> survey);

  /** Returns the device of a row, or null if the row is a platform without a device. */
  const workspace::FoundDevice* device(int row) const;
  /** Returns the platform of a row without a device, or null if the row is a device. */
  const workspace::MissingPlatform* missing(int row) const;

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

 private:
  QString text(int row, int column) const;

  std::shared_ptr<const workspace::DeviceSurvey> survey_;
};

}  // namespace kernelscape::models
