#pragma once

#include <QStyledItemDelegate>

namespace kernelscape {

/** A share of 0 to 1 as a bar with its text; other values as text alone. */
class ProgressDelegate : public QStyledItemDelegate {
  Q_OBJECT

 public:
  /** @param share_role of the model; a negative share has no bar */
  explicit ProgressDelegate(int share_role, QObject* parent = nullptr);

  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;

 private:
  int share_role_;
};

}  // namespace kernelscape
