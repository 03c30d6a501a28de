#pragma once

#include <QStyledItemDelegate>

#include "ui/workspace/workspace.h"

namespace kernelscape {

/**
 * Paints a session in two lines: name and best performance; state, tuner and trials; beside them the curve of
 * the best performance so far.
 */
class SessionDelegate : public QStyledItemDelegate {
  Q_OBJECT

 public:
  SessionDelegate(const Workspace& workspace, QObject* parent);

  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;

 private:
  const Workspace& workspace_;
};

/**
 * Returns the best speed over the trials as a step curve within `area`, with a y axis from 0 to the final
 * speed; empty if there are fewer than two points.
 */
QPolygonF sparkline(const SessionEntry& session, const QRectF& area);

}  // namespace kernelscape
