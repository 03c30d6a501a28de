#include "ui/views/trials/filter_entry.h"

#include <QAbstractItemView>
#include <QCompleter>
#include <QItemSelectionModel>
#include <QKeyEvent>
#include <QPainter>
#include <QPainterPath>
#include <QStandardItemModel>
#include <algorithm>

#include "ui/style/theme.h"

namespace kernelscape::views {
namespace {

constexpr int text_role = Qt::UserRole;
constexpr int position_role = Qt::UserRole + 1;
constexpr int length_role = Qt::UserRole + 2;
constexpr int max_offers_shown = 12;

qsizetype byte_count(const QString& text, qsizetype characters) {
  return text.left(characters).toUtf8().size();
}

/** Returns the character index of a byte offset. */
qsizetype character_at(const QString& text, std::size_t bytes) {
  return QString::fromUtf8(text.toUtf8().left(static_cast<qsizetype>(bytes))).size();
}

QStandardItem* completion_item(const analysis::Completion& completion) {
  const QString text = QString::fromStdString(completion.text);
  const QString detail = QString::fromStdString(completion.detail);
  auto* item = new QStandardItem(detail.isEmpty() ? text : QStringLiteral("%1    %2").arg(text, detail));
  item->setData(text, text_role);
  item->setData(QVariant::fromValue(completion.position), position_role);
  item->setData(QVariant::fromValue(completion.length), length_role);
  return item;
}

}  // namespace

FilterEntry::FilterEntry(QWidget* parent) : QLineEdit(parent) {
  offers_ = new QStandardItemModel(this);
  completer_ = new QCompleter(offers_, this);
  completer_->setWidget(this);
  completer_->setCompletionMode(QCompleter::UnfilteredPopupCompletion);
  completer_->setMaxVisibleItems(max_offers_shown);
  connect(completer_, qOverload<const QModelIndex&>(&QCompleter::activated), this, &FilterEntry::complete);
  connect(this, &QLineEdit::textEdited, this, &FilterEntry::offer_completions);
}

void FilterEntry::set_columns(std::optional<analysis::TrialColumns> columns) {
  columns_ = std::move(columns);
}

void FilterEntry::set_error(const std::optional<analysis::FilterError>& error) {
  error_ = error;
  update();
}

void FilterEntry::keyPressEvent(QKeyEvent* event) {
  QAbstractItemView* popup = completer_->popup();
  switch (event->key()) {
    case Qt::Key_Return:
    case Qt::Key_Enter:
      // If a line of the list is chosen, Enter is left to the list; otherwise it accepts the text.
      if (popup->isVisible() && popup->selectionModel()->hasSelection()) {
        event->ignore();
        return;
      }
      popup->hide();
      emit accepted();
      event->accept();
      return;
    case Qt::Key_Down:
      if (!popup->isVisible()) offer_completions();
      return;
    case Qt::Key_Backspace:
      if (text().isEmpty()) {
        emit backspace_in_empty();
        return;
      }
      break;
    case Qt::Key_Space:
      if (event->modifiers() == Qt::ControlModifier) {
        offer_completions();
        return;
      }
      break;
    default:
      break;
  }
  QLineEdit::keyPressEvent(event);
}

/**
 * Handles Tab, which accepts the chosen line of the list, or its first line; without a list it moves to the
 * next widget.
 */
bool FilterEntry::event(QEvent* event) {
  QAbstractItemView* popup = completer_ ? completer_->popup() : nullptr;
  if (event->type() == QEvent::KeyPress && popup && popup->isVisible() &&
      static_cast<QKeyEvent*>(event)->key() == Qt::Key_Tab) {
    const bool chosen = popup->selectionModel()->hasSelection();
    complete(chosen ? popup->currentIndex() : offers_->index(0, 0));
    popup->hide();
    event->accept();
    return true;
  }
  return QLineEdit::event(event);
}

void FilterEntry::offer_completions() {
  offers_->clear();
  if (columns_) {
    const auto cursor = static_cast<std::size_t>(byte_count(text(), cursorPosition()));
    for (const analysis::Completion& completion :
         analysis::completions(text().toStdString(), cursor, *columns_))
      offers_->appendRow(completion_item(completion));
  }
  // A completion that changes nothing is not offered.
  const QModelIndex only = offers_->rowCount() == 1 ? offers_->index(0, 0) : QModelIndex();
  const bool written = only.isValid() && text().endsWith(only.data(text_role).toString());
  if (offers_->rowCount() == 0 || written) {
    completer_->popup()->hide();
    return;
  }
  QRect place = rect();
  const int width = std::max(completer_->popup()->sizeHintForColumn(0) + 32, 240);
  place.setLeft(std::clamp(cursorRect().left(), 0, std::max(0, rect().width() - width)));
  place.setWidth(width);
  completer_->complete(place);
}

void FilterEntry::complete(const QModelIndex& chosen) {
  const QString before = text();
  const auto position = chosen.data(position_role).value<std::size_t>();
  const auto length = chosen.data(length_role).value<std::size_t>();
  const qsizetype first = character_at(before, position);
  const qsizetype last = character_at(before, position + length);
  setSelection(static_cast<int>(first), static_cast<int>(last - first));
  insert(chosen.data(text_role).toString());
}

double FilterEntry::x_of(qsizetype position) const {
  const QFontMetricsF metrics(font());
  const double cursor = QRectF(cursorRect()).center().x() + 0.5;
  return cursor - metrics.horizontalAdvance(text().left(cursorPosition())) +
         metrics.horizontalAdvance(text().left(position));
}

void FilterEntry::paintEvent(QPaintEvent* event) {
  QLineEdit::paintEvent(event);
  if (!error_) return;
  constexpr double step = 2;
  const qsizetype first = character_at(text(), error_->position);
  const qsizetype last = character_at(text(), error_->position + error_->length);
  const double from = std::max(x_of(first), 2.0);
  // If something is missing at the end, the underline extends beyond the text.
  const double to = std::min(std::max(x_of(last), from + 4 * step), width() - 2.0);
  const double base = QRectF(cursorRect()).bottom() - 1.5;
  QPainterPath wave(QPointF(from, base));
  bool up = true;
  for (double x = from + step; x <= to; x += step, up = !up) wave.lineTo(x, up ? base - step : base);
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(QPen(style::colours().warning, 1.5));
  painter.drawPath(wave);
}

}  // namespace kernelscape::views
