#pragma once

#include <QStyledItemDelegate>

namespace kernelscape::widgets {

/** Paints a share of 0 to 1 as a bar with its text, and other values as text only. */
class ProgressDelegate : public QStyledItemDelegate {
  Q_OBJECT

 public:
  /** Makes a delegate. @param share_role role of the share in the model; a negative share has no bar */
  explicit ProgressDelegate(int share_role, QObject* parent = nullptr);

  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;

 private:
  int share_role_;
};

}  // namespace kernelscape::widgets
