#pragma once

#include <QStyledItemDelegate>

#include "ui/workspace/workspace.h"

namespace kernelscape {

/** A session in two lines: name and best; state, tuner and trials; with the curve of its best so far. */
class SessionDelegate : public QStyledItemDelegate {
  Q_OBJECT

 public:
  SessionDelegate(const Workspace& workspace, QObject* parent);

  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;

 private:
  const Workspace& workspace_;
};

/** The best speed over the trials, from 0 to its end, as steps within `area`; empty for less than two. */
QPolygonF sparkline(const SessionEntry& session, const QRectF& area);

}  // namespace kernelscape
