#pragma once

#include <QSortFilterProxyModel>

namespace kernelscape::models {

/** Sorts the rows of a SessionModel; a collection's sessions stay below it, sorted among themselves. */
class SessionOrder : public QSortFilterProxyModel {
  Q_OBJECT

 public:
  explicit SessionOrder(QObject* parent = nullptr);

 protected:
  bool lessThan(const QModelIndex& left, const QModelIndex& right) const override;

 private:
  bool precedes(const QModelIndex& left, const QModelIndex& right) const;
};

}  // namespace kernelscape::models
