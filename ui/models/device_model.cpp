#include "ui/models/device_model.h"

#include <array>

#include "ui/models/device_text.h"
#include "ui/style/theme.h"

namespace kernelscape::models {

/** Most searches find the same devices: rows that remain keep the selection. */
void DeviceModel::set_survey(std::shared_ptr<const workspace::DeviceSurvey> survey) {
  if (survey == survey_) return;
  const auto rows_of = [](const workspace::DeviceSurvey* of) {
    return of == nullptr ? 0 : static_cast<int>(of->devices.size() + of->missing.size());
  };
  if (rows_of(survey.get()) != rows_of(survey_.get())) {
    beginResetModel();
    survey_ = std::move(survey);
    endResetModel();
  } else {
    survey_ = std::move(survey);
    if (rowCount() > 0) emit dataChanged(index(0, 0), index(rowCount() - 1, column_count - 1));
  }
}

const workspace::FoundDevice* DeviceModel::device(int row) const {
  const auto place = static_cast<std::size_t>(row);
  return survey_ != nullptr && row >= 0 && place < survey_->devices.size() ? &survey_->devices[place]
                                                                           : nullptr;
}

const workspace::MissingPlatform* DeviceModel::missing(int row) const {
  if (survey_ == nullptr || row < 0 || device(row) != nullptr) return nullptr;
  const std::size_t place = static_cast<std::size_t>(row) - survey_->devices.size();
  return place < survey_->missing.size() ? &survey_->missing[place] : nullptr;
}

int DeviceModel::rowCount(const QModelIndex& parent) const {
  if (parent.isValid() || survey_ == nullptr) return 0;
  return static_cast<int>(survey_->devices.size() + survey_->missing.size());
}

int DeviceModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : column_count; }

QString DeviceModel::text(int row, int column) const {
  if (const workspace::MissingPlatform* platform = missing(row)) {
    if (column == TargetColumn) return platform_name(platform->kind);
    if (column == DeviceColumn) return tr("no device");
    return column == StateColumn ? QString::fromStdString(platform->problem) : QString();
  }
  const workspace::FoundDevice& found = *device(row);
  switch (column) {
    case TargetColumn:
      return QString::fromStdString(found.target.name);
    case DeviceColumn:
      return QString::fromStdString(found.target.device);
    case StateColumn:
      return device_state_text(found);
    case MemoryColumn:
      return device_memory_text(found);
    default:
      return QString::fromStdString(found.target.driver_version);
  }
}

QVariant DeviceModel::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
  if (role == Qt::DisplayRole || role == Qt::ToolTipRole) return text(index.row(), index.column());
  if (role == Qt::ForegroundRole && missing(index.row()) != nullptr) return style::colours().muted_text;
  return {};
}

QVariant DeviceModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || section < 0 || section >= column_count) return {};
  if (role == Qt::TextAlignmentRole)
    return QVariant::fromValue(Qt::Alignment(Qt::AlignLeft | Qt::AlignVCenter));
  if (role != Qt::DisplayRole) return {};
  const std::array<QString, column_count> titles = {tr("Target"), tr("Device"), tr("State"), tr("Memory"),
                                                    tr("Driver")};
  return titles[static_cast<std::size_t>(section)];
}

}  // namespace kernelscape::models
