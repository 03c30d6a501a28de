#include "ui/widgets/scrolled_content.h"

#include <QEvent>
#include <QLayout>
#include <QResizeEvent>
#include <QScrollBar>
#include <algorithm>

namespace kernelscape::widgets {
ScrolledContent::ScrolledContent(QWidget* content, QWidget* parent) : QScrollArea(parent) {
  setFrameShape(QFrame::NoFrame);
  setFocusPolicy(Qt::NoFocus);
  viewport()->setAutoFillBackground(false);
  setWidget(content);
  content->setAutoFillBackground(false);
}

QSize ScrolledContent::minimumSizeHint() const {
  const QSize least = widget()->minimumSizeHint();
  return {least.width(), needed_at(std::max(width(), least.width())).height()};
}

QSize ScrolledContent::sizeHint() const { return widget()->sizeHint(); }

/** Returns the minimum size that the widget's layout needs at this width. */
QSize ScrolledContent::needed_at(int width) const {
  QSize needed = widget()->minimumSizeHint().expandedTo(widget()->minimumSize());
  const QLayout* layout = widget()->layout();
  if (layout != nullptr && layout->hasHeightForWidth())
    needed.setHeight(std::max(needed.height(), layout->totalMinimumHeightForWidth(width)));
  return needed;
}

/** Resizes the widget; a scroll bar along one side takes room from the other. */
void ScrolledContent::fit() {
  const QSize all = maximumViewportSize();
  QSize room = all;
  QSize needed = needed_at(room.width());
  if (needed.height() > room.height()) {
    room.setWidth(all.width() - verticalScrollBar()->sizeHint().width());
    needed = needed_at(std::max(room.width(), needed.width()));
  }
  if (needed.width() > room.width()) {
    room.setHeight(all.height() - horizontalScrollBar()->sizeHint().height());
    if (needed.height() > room.height()) room.setWidth(all.width() - verticalScrollBar()->sizeHint().width());
  }
  widget()->resize(room.expandedTo(needed));
}

bool ScrolledContent::eventFilter(QObject* watched, QEvent* event) {
  const bool handled = QScrollArea::eventFilter(watched, event);
  if (watched == widget() && event->type() == QEvent::LayoutRequest) {
    updateGeometry();
    fit();
  }
  return handled;
}

void ScrolledContent::resizeEvent(QResizeEvent* event) {
  QScrollArea::resizeEvent(event);
  if (event->oldSize().width() != event->size().width())
    updateGeometry();  // lines wrap differently at the new width
  fit();
}

}  // namespace kernelscape::widgets
