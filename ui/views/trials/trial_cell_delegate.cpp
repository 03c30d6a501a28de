#include "ui/views/trials/trial_cell_delegate.h"

#include <QHeaderView>
#include <QPainter>
#include <QTableView>

#include "ui/style/theme.h"
#include "ui/widgets/category_swatch.h"
#include "ui/workspace/source.h"

namespace kernelscape::views {
namespace {

constexpr int swatch_width = 16;
constexpr int swatch_height = 12;
constexpr int swatch_gap = 6;
constexpr int mark_width = 3;

QFont bold(QFont font) {
  font.setBold(true);
  return font;
}

int letter_width(const QFontMetrics& metrics) { return metrics.horizontalAdvance(QLatin1Char('W')) + 8; }

}  // namespace

int TrialCellDelegate::category_width(const QFontMetrics& metrics) {
  return swatch_width + swatch_gap + letter_width(metrics);
}

bool TrialCellDelegate::is_selected(std::int64_t row) const {
  const analysis::RowSet& selection = workspace_.selection();
  return row >= 0 && row < selection.size() && selection.test(row);
}

bool TrialCellDelegate::shows_category(const QModelIndex& index) const {
  const analysis::Column& column =
      model_.source()->columns().columns()[static_cast<std::size_t>(index.column())];
  return column.measured == trial::Measured::Error;
}

/** Returns true for the cells that show which trial is the best, and how fast it is. */
bool TrialCellDelegate::is_best(const QModelIndex& index) const {
  if (model_.row_at(index.row()) != model_.source()->headline.row) return false;
  const analysis::Column& column =
      model_.source()->columns().columns()[static_cast<std::size_t>(index.column())];
  return column.measured == trial::Measured::Trial || column.measured == trial::Measured::Gflops ||
         column.measured == trial::Measured::Milliseconds;
}

void TrialCellDelegate::paint_background(QPainter& painter, const QStyleOptionViewItem& option,
                                         const QModelIndex& index) const {
  const style::Colours& theme = style::colours();
  const QRect& area = option.rect;
  const std::int64_t row = model_.row_at(index.row());
  if (row == workspace_.current_row()) {
    painter.fillRect(area, theme.selection);
  } else if (is_selected(row)) {
    QColor tint = theme.marked;
    tint.setAlphaF(0.16F);
    painter.fillRect(area, tint);
  }
  const auto* table = qobject_cast<const QTableView*>(option.widget);
  const bool first =
      table && table->columnViewportPosition(index.column()) + table->horizontalHeader()->offset() == 0;
  if (first && is_selected(row))
    painter.fillRect(QRect(area.left(), area.top(), mark_width, area.height()), theme.marked);
  painter.setPen(theme.grid);
  painter.drawLine(area.bottomLeft(), area.bottomRight());
}

QColor TrialCellDelegate::ink_of(const QModelIndex& index, bool emphasized) const {
  const style::Colours& theme = style::colours();
  const std::int64_t row = model_.row_at(index.row());
  if (row == workspace_.current_row()) return theme.selection_text;
  if (emphasized) return theme.accent;
  const bool valid = model_.source()->trials.row(row).category == trial::ErrorCategory::NoError;
  if (valid && shows_category(index)) return theme.muted_text;
  const QVariant own = index.data(Qt::ForegroundRole);
  return own.isValid() ? own.value<QColor>() : theme.text;
}

QRect TrialCellDelegate::paint_category(QPainter& painter, QRect area, const QModelIndex& index) const {
  const trial::ErrorCategory category = model_.source()->trials.row(model_.row_at(index.row())).category;
  const QFont font = painter.font();
  const QFontMetrics metrics(font);
  const int top = area.top() + (area.height() - swatch_height) / 2;
  const QRectF swatch(area.left(), top, swatch_width, swatch_height);
  widgets::paint_category_swatch(painter, swatch, category);
  area.setLeft(area.left() + swatch_width + swatch_gap);
  painter.setFont(bold(font));
  painter.drawText(area, Qt::AlignLeft | Qt::AlignVCenter,
                   QString(QLatin1Char(style::colours().of(category).letter)));
  painter.setFont(font);
  area.setLeft(area.left() + letter_width(metrics));
  return area;
}

void TrialCellDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                              const QModelIndex& index) const {
  painter->save();
  paint_background(*painter, option, index);
  const bool best = is_best(index);
  painter->setFont(best ? bold(option.font) : option.font);
  painter->setPen(ink_of(index, best));
  QRect area = option.rect.adjusted(padding, 0, -padding, 0);
  if (shows_category(index)) area = paint_category(*painter, area, index);
  const auto alignment = index.data(Qt::TextAlignmentRole).value<Qt::Alignment>();
  painter->drawText(area, static_cast<int>(alignment),
                    painter->fontMetrics().elidedText(index.data().toString(), Qt::ElideRight, area.width()));
  if ((option.state & QStyle::State_HasFocus) != 0) {
    painter->setPen(style::colours().focus_ring);
    painter->drawRect(option.rect.adjusted(0, 0, -1, -2));
  }
  painter->restore();
}

}  // namespace kernelscape::views
