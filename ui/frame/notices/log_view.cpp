#include "ui/frame/notices/log_view.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QHeaderView>
#include <QKeyEvent>
#include <QScrollBar>

#include "ui/widgets/row_height.h"

namespace kernelscape::frame {

LogView::LogView(const workspace::Notices& notices, QWidget* parent) : QTableView(parent), model_(notices) {
  setModel(&model_);
  setAccessibleName(tr("Log"));
  setShowGrid(false);
  setWordWrap(false);
  setFrameShape(QFrame::NoFrame);
  setTabKeyNavigation(false);
  setSelectionBehavior(SelectRows);
  verticalHeader()->hide();
  widgets::keep_row_height(*this, 8);
  horizontalHeader()->setSectionResizeMode(LogModel::TextColumn, QHeaderView::Stretch);
  horizontalHeader()->setHighlightSections(false);
  horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
  setColumnWidth(LogModel::CountColumn, fontMetrics().horizontalAdvance(QStringLiteral("Count")) + 32);
  connect(&model_, &QAbstractItemModel::rowsAboutToBeInserted, this, [this] {
    const QScrollBar* bar = verticalScrollBar();
    if (bar->value() == bar->maximum())
      QMetaObject::invokeMethod(this, &LogView::scrollToBottom, Qt::QueuedConnection);
  });
}

void LogView::keyPressEvent(QKeyEvent* event) {
  if (!event->matches(QKeySequence::Copy)) return QTableView::keyPressEvent(event);
  QStringList lines;
  for (const QModelIndex& row : selectionModel()->selectedRows()) {
    QStringList cells;
    for (int column = 0; column < LogModel::column_count; ++column)
      cells.append(row.siblingAtColumn(column).data().toString());
    lines.append(cells.join(QLatin1Char('\t')));
  }
  QGuiApplication::clipboard()->setText(lines.join(QLatin1Char('\n')));
}

}  // namespace kernelscape::frame
