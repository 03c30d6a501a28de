#include "ui/models/session_order.h"

#include "ui/models/session_model.h"

namespace kernelscape::models {
namespace {

/** Returns the row of the collection that contains a session; otherwise the row itself. */
QModelIndex top_of(const QModelIndex& index) {
  const auto* model = qobject_cast<const SessionModel*>(index.model());
  if (model == nullptr || !model->is_member(index)) return index;
  const int row = model->row_of_collection(index.data(SessionModel::CollectionIdRole).toLongLong());
  return row < 0 ? index : model->index(row, index.column());
}

}  // namespace

SessionOrder::SessionOrder(QObject* parent) : QSortFilterProxyModel(parent) {
  setSortRole(SessionModel::SortRole);
  setSortCaseSensitivity(Qt::CaseInsensitive);
}

/** Equal rows keep the order of the source model in both sort directions. */
bool SessionOrder::precedes(const QModelIndex& left, const QModelIndex& right) const {
  if (QSortFilterProxyModel::lessThan(left, right)) return true;
  if (QSortFilterProxyModel::lessThan(right, left)) return false;
  return sortOrder() == Qt::AscendingOrder ? left.row() < right.row() : left.row() > right.row();
}

bool SessionOrder::lessThan(const QModelIndex& left, const QModelIndex& right) const {
  if (left == right) return false;
  const qlonglong inside = left.data(SessionModel::CollectionIdRole).toLongLong();
  if (inside != 0 && inside == right.data(SessionModel::CollectionIdRole).toLongLong() &&
      left.data(SessionModel::SessionIdRole).toLongLong() != 0 &&
      right.data(SessionModel::SessionIdRole).toLongLong() != 0)
    return precedes(left, right);
  const QModelIndex left_top = top_of(left);
  const QModelIndex right_top = top_of(right);
  if (left_top != right_top) return precedes(left_top, right_top);
  // A collection is above its sessions in both sort directions.
  return (left == left_top) == (sortOrder() == Qt::AscendingOrder);
}

}  // namespace kernelscape::models
