#include "ui/widgets/wrapped_label.h"

#include <QResizeEvent>
#include <utility>

namespace kernelscape::widgets {

WrappedLabel::WrappedLabel(style::TextSize size, QColor style::Colours::* colour, QWidget* parent)
    : ThemedLabel(size, colour, parent) {
  setWordWrap(true);
  setMinimumWidth(1);  // a long word must not widen the parent
}

QSize WrappedLabel::sizeHint() const { return with_all_lines(QLabel::sizeHint()); }

QSize WrappedLabel::minimumSizeHint() const { return with_all_lines(QLabel::minimumSizeHint()); }

QSize WrappedLabel::with_all_lines(QSize size) const {
  if (has_width_ && !text().isEmpty()) size.setHeight(heightForWidth(width()));
  return size;
}

void WrappedLabel::resizeEvent(QResizeEvent* event) {
  ThemedLabel::resizeEvent(event);
  if (std::exchange(has_width_, true) && event->size().width() == event->oldSize().width()) return;
  updateGeometry();
}

}  // namespace kernelscape::widgets
