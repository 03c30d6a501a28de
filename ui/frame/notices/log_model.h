#pragma once

#include <QAbstractTableModel>

#include "ui/workspace/notices.h"

namespace kernelscape::frame {

/** Table model of all notices, oldest first. */
class LogModel : public QAbstractTableModel {
  Q_OBJECT

 public:
  enum Column { TimeColumn, KindColumn, TextColumn, CountColumn, column_count };

  explicit LogModel(const workspace::Notices& notices, QObject* parent = nullptr);

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

 private:
  void update(int index);

  const workspace::Notices& notices_;
  int rows_ = 0;
};

}  // namespace kernelscape::frame
