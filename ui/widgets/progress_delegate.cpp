#include "ui/widgets/progress_delegate.h"

#include <QPainter>
#include <algorithm>

#include "ui/style/theme.h"

namespace kernelscape::widgets {
namespace {

constexpr int bar_width = 7 * style::grid_pixels;
constexpr int bar_height = 6;

}  // namespace

ProgressDelegate::ProgressDelegate(int share_role, QObject* parent)
    : QStyledItemDelegate(parent), share_role_(share_role) {}

void ProgressDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                             const QModelIndex& index) const {
  QStyledItemDelegate::paint(painter, option, index);
  const double share = index.data(share_role_).toDouble();
  if (share < 0) return;
  const int left = option.rect.left() + style::grid_pixels;
  if (option.rect.width() <
      bar_width + 2 * style::grid_pixels + option.fontMetrics.horizontalAdvance(index.data().toString()))
    return;
  const bool selected = (option.state & QStyle::State_Selected) != 0;
  QRect bar(left, option.rect.center().y() - bar_height / 2, bar_width, bar_height);
  painter->fillRect(bar, selected ? style::colours().muted_text : style::colours().hairline);
  bar.setWidth(static_cast<int>(std::min(share, 1.0) * bar_width));
  painter->fillRect(bar, selected ? style::colours().selection_text : style::colours().accent);
}

QSize ProgressDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const {
  const QSize text = QStyledItemDelegate::sizeHint(option, index);
  return {std::max(text.width(), option.fontMetrics.horizontalAdvance(QStringLiteral("> 99.9 %"))) +
              bar_width + 2 * style::grid_pixels,
          text.height()};
}

}  // namespace kernelscape::widgets
