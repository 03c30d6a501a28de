#include "ui/widgets/form_scroll_area.h"

#include <QEvent>
#include <QScrollBar>
#include <algorithm>

namespace kernelscape::widgets {

FormScrollArea::FormScrollArea(int min_width, QWidget* parent) : QScrollArea(parent), min_width_(min_width) {
  setWidgetResizable(true);
  setFrameShape(QFrame::NoFrame);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setMinimumWidth(min_width_);
}

// QScrollArea already filters the events of its widget.
bool FormScrollArea::eventFilter(QObject* watched, QEvent* event) {
  const bool handled = QScrollArea::eventFilter(watched, event);
  const bool asks = event->type() == QEvent::LayoutRequest || event->type() == QEvent::Show;
  if (watched == widget() && asks) {
    const int needed = widget()->minimumSizeHint().width() + verticalScrollBar()->sizeHint().width();
    setMinimumWidth(std::max(min_width_, needed));
  }
  return handled;
}

}  // namespace kernelscape::widgets
