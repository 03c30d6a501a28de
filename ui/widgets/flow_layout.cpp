#include "ui/widgets/flow_layout.h"

#include <QWidget>
#include <algorithm>

namespace kernelscape::widgets {
namespace {

int height_of(const QLayoutItem& item) {
  return std::max(item.sizeHint().height(), item.minimumSize().height());
}

}  // namespace

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
    height = std::max(height, height_of(*item));
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

void FlowLayout::place_line(const std::vector<PlacedItem>& line, int y, int height) {
  for (const PlacedItem& placed : line) {
    const int own = height_of(*placed.item);
    placed.item->setGeometry({placed.x, y + (height - own) / 2, placed.width, own});
  }
}

int FlowLayout::arrange(const QRect& rectangle, bool place) const {
  int x = rectangle.x();
  int y = rectangle.y();
  int line_height = 0;
  std::vector<PlacedItem> line;
  const auto end_line = [&] {
    if (place) place_line(line, y, line_height);
    line.clear();
  };
  for (QLayoutItem* item : items_) {
    if (item->isEmpty()) continue;
    const bool last = item == items_.last();
    const int wanted = last ? item->minimumSize().width() : item->sizeHint().width();
    const int width = std::min(wanted, rectangle.width());
    if (x > rectangle.x() && x + width > rectangle.right() + 1) {
      end_line();
      x = rectangle.x();
      y += line_height + spacing();
      line_height = 0;
    }
    line.push_back({item, x, last ? rectangle.right() + 1 - x : width});
    x += width + spacing();
    line_height = std::max(line_height, height_of(*item));
  }
  end_line();
  return y + line_height - rectangle.y();
}

}  // namespace kernelscape::widgets
