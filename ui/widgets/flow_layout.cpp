#include "ui/widgets/flow_layout.h"

#include <QWidget>
#include <algorithm>

namespace kernelscape {

FlowLayout::FlowLayout(int spacing) {
  setSpacing(spacing);
  setContentsMargins(0, 0, 0, 0);
}

FlowLayout::~FlowLayout() { qDeleteAll(items_); }

void FlowLayout::insert_widget(int position, QWidget* widget) {
  addChildWidget(widget);
  items_.insert(position, new QWidgetItem(widget));
  invalidate();
}

void FlowLayout::addItem(QLayoutItem* item) { items_.append(item); }

int FlowLayout::count() const { return static_cast<int>(items_.size()); }

QLayoutItem* FlowLayout::itemAt(int index) const { return items_.value(index); }

QLayoutItem* FlowLayout::takeAt(int index) {
  return index >= 0 && index < count() ? items_.takeAt(index) : nullptr;
}

int FlowLayout::heightForWidth(int width) const { return arrange(QRect(0, 0, width, 0), false); }

QSize FlowLayout::sizeHint() const {
  int width = 0;
  int height = 0;
  for (const QLayoutItem* item : items_) {
    if (item->isEmpty()) continue;
    width += (width > 0 ? spacing() : 0) + item->sizeHint().width();
    height = std::max({height, item->sizeHint().height(), item->minimumSize().height()});
  }
  return {width, height};
}

QSize FlowLayout::minimumSize() const {
  QSize size;
  for (const QLayoutItem* item : items_)
    if (!item->isEmpty()) size = size.expandedTo(item->minimumSize());
  return size;
}

void FlowLayout::setGeometry(const QRect& rectangle) {
  QLayout::setGeometry(rectangle);
  arrange(rectangle, true);
}

int FlowLayout::arrange(const QRect& rectangle, bool place) const {
  int x = rectangle.x();
  int y = rectangle.y();
  int line_height = 0;
  for (QLayoutItem* item : items_) {
    if (item->isEmpty()) continue;
    const bool last = item == items_.last();
    const int wanted = last ? item->minimumSize().width() : item->sizeHint().width();
    const int width = std::min(wanted, rectangle.width());
    if (x > rectangle.x() && x + width > rectangle.right() + 1) {
      x = rectangle.x();
      y += line_height + spacing();
      line_height = 0;
    }
    const int height = std::max(item->sizeHint().height(), item->minimumSize().height());
    if (place) item->setGeometry({x, y, last ? rectangle.right() + 1 - x : width, height});
    x += width + spacing();
    line_height = std::max(line_height, height);
  }
  return y + line_height - rectangle.y();
}

}  // namespace kernelscape
