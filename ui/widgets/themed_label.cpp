#include "ui/widgets/themed_label.h"

#include <QEvent>
#include <QHelpEvent>
#include <QPainter>
#include <QStyle>
#include <QToolTip>

namespace kernelscape::widgets {

ThemedLabel::ThemedLabel(style::TextSize size, QColor style::Colours::* colour, QWidget* parent)
    : QLabel(parent), size_(size), colour_(colour) {
  setTextFormat(Qt::PlainText);
  apply();
}

void ThemedLabel::set_colour(QColor style::Colours::* colour) {
  colour_ = colour;
  apply();
}

void ThemedLabel::set_bold(bool bold) {
  bold_ = bold;
  apply();
}

bool ThemedLabel::is_elided() const {
  return !wordWrap() && !text().contains(QLatin1Char('\n')) &&
         fontMetrics().horizontalAdvance(text()) > contentsRect().width();
}

void ThemedLabel::paintEvent(QPaintEvent* event) {
  if (!is_elided()) return QLabel::paintEvent(event);
  QPainter painter(this);
  const QRect room = contentsRect();
  style()->drawItemText(&painter, room, static_cast<int>(alignment()), palette(), isEnabled(),
                        fontMetrics().elidedText(text(), Qt::ElideRight, room.width()), foregroundRole());
}

bool ThemedLabel::event(QEvent* event) {
  if (event->type() == QEvent::ToolTip && toolTip().isEmpty() && is_elided()) {
    QToolTip::showText(static_cast<QHelpEvent*>(event)->globalPos(), text(), this);
    return true;
  }
  const bool handled = QLabel::event(event);
  if (event->type() == QEvent::PaletteChange || event->type() == QEvent::ApplicationFontChange) apply();
  return handled;
}

void ThemedLabel::apply() {
  QFont font = style::font_of(size_);
  font.setBold(bold_);
  setFont(font);
  // Setting a palette emits a change of palette: set it only if the colour differs.
  if (palette().color(QPalette::WindowText) == style::colours().*colour_) return;
  QPalette own;
  own.setColor(QPalette::WindowText, style::colours().*colour_);
  setPalette(own);
}

}  // namespace kernelscape::widgets
