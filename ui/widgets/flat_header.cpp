#include "ui/widgets/flat_header.h"

#include <QPainter>
#include <QStyledItemDelegate>
#include <QTableView>
#include <algorithm>

#include "ui/style/theme.h"

namespace kernelscape::widgets {
namespace {

constexpr int arrow_width = 8;
constexpr int arrow_height = 5;
constexpr int arrow_gap = 6;
constexpr int min_height = 24;

class PaddedDelegate : public QStyledItemDelegate {
 public:
  using QStyledItemDelegate::QStyledItemDelegate;

  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
    if ((option.state & QStyle::State_Selected) != 0)
      painter->fillRect(option.rect, style::colours().selection);
    QStyleOptionViewItem inner = option;
    inner.rect.adjust(style_margin, 0, -style_margin, 0);
    QStyledItemDelegate::paint(painter, inner, index);
  }
  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override {
    return QStyledItemDelegate::sizeHint(option, index) + QSize(2 * style_margin, 0);
  }

 private:
  static constexpr int style_margin = FlatHeader::padding - 3;  ///< the style adds the remaining pixels
};

/** Returns a small arrow, which points down for descending order. */
QPolygonF arrow_at(QPointF centre, Qt::SortOrder order) {
  const double up = order == Qt::AscendingOrder ? -1 : 1;
  const double half = arrow_width / 2.0;
  const double tip = up * arrow_height / 2.0;
  return {{centre + QPointF(-half, -tip), centre + QPointF(half, -tip), centre + QPointF(0, tip)}};
}

}  // namespace

FlatHeader::FlatHeader(QWidget* parent) : QHeaderView(Qt::Horizontal, parent) {
  setHighlightSections(false);
  setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
}

QVariant FlatHeader::data_of(int section, Qt::ItemDataRole role) const {
  return model() == nullptr ? QVariant() : model()->headerData(section, Qt::Horizontal, role);
}

QSize FlatHeader::sectionSizeFromContents(int section) const {
  const QString title = data_of(section, Qt::DisplayRole).toString();
  const int width = fontMetrics().horizontalAdvance(title) + 2 * padding + arrow_width + arrow_gap;
  return {width, std::max(min_height, fontMetrics().height() + 8)};
}

void FlatHeader::paintSection(QPainter* painter, const QRect& area, int section) const {
  const style::Colours& theme = style::colours();
  painter->fillRect(area, theme.window);
  painter->setPen(theme.hairline);
  painter->drawLine(area.bottomLeft(), area.bottomRight());
  const bool sorted = isSortIndicatorShown() && sortIndicatorSection() == section;
  QRect text_area = area.adjusted(padding, 0, -padding, 0);
  const QVariant own = data_of(section, Qt::TextAlignmentRole);
  const Qt::Alignment alignment = own.isValid() ? own.value<Qt::Alignment>() : defaultAlignment();
  const QString title = data_of(section, Qt::DisplayRole).toString();
  if (sorted) {
    const bool right = (alignment & Qt::AlignRight) != 0;
    const int end = text_area.left() + std::min(fontMetrics().horizontalAdvance(title),
                                                text_area.width() - arrow_width - arrow_gap);
    // Place the arrow beside the title, on the side where the title stays aligned with its cells.
    const int title_width = end - text_area.left();
    const double x = right ? text_area.right() - title_width - arrow_gap - arrow_width / 2.0
                           : end + arrow_gap + arrow_width / 2.0;
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setPen(Qt::NoPen);
    painter->setBrush(theme.accent);
    painter->drawPolygon(arrow_at({x, text_area.center().y() + 0.5}, sortIndicatorOrder()));
    painter->restore();
    text_area.adjust(right ? arrow_width + arrow_gap : 0, 0, right ? 0 : -arrow_width - arrow_gap, 0);
  }
  painter->setPen(sorted ? theme.text : theme.muted_text);
  painter->drawText(text_area, static_cast<int>(alignment),
                    fontMetrics().elidedText(title, Qt::ElideRight, text_area.width()));
}

void make_flat(QTableView& table) {
  table.setHorizontalHeader(new FlatHeader(&table));
  table.setItemDelegate(new PaddedDelegate(&table));
  table.setFrameShape(QFrame::NoFrame);
  table.setShowGrid(false);
  table.setWordWrap(false);
  table.setTabKeyNavigation(false);
  table.setSelectionBehavior(QAbstractItemView::SelectRows);
  table.verticalHeader()->hide();
}

}  // namespace kernelscape::widgets
