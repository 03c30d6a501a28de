#pragma once

#include <QStyledItemDelegate>

#include "ui/workspace/workspace.h"

namespace kernelscape::frame {

/**
 * Paints a session in two lines: name and best performance; state, tuner and trials; beside them the curve of
 * the best performance so far.
 */
class SessionDelegate : public QStyledItemDelegate {
  Q_OBJECT

 public:
  SessionDelegate(const workspace::Workspace& workspace, QObject* parent);

  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;

 private:
  const workspace::Workspace& workspace_;
};

/**
 * Returns the best speed over the trials as a step curve within `area`, with a y axis from 0 to the final
 * speed; empty if there are fewer than two points.
 */
QPolygonF sparkline(const workspace::SessionEntry& session, const QRectF& area);

}  // namespace kernelscape::frame
