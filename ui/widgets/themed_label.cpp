#include "ui/widgets/themed_label.h"

#include <QEvent>

namespace kernelscape {

ThemedLabel::ThemedLabel(TextSize size, QColor Colours::* colour, QWidget* parent)
    : QLabel(parent), size_(size), colour_(colour) {
  setTextFormat(Qt::PlainText);
  apply();
}

void ThemedLabel::set_colour(QColor Colours::* colour) {
  colour_ = colour;
  apply();
}

void ThemedLabel::set_bold(bool bold) {
  bold_ = bold;
  apply();
}

bool ThemedLabel::event(QEvent* event) {
  const bool handled = QLabel::event(event);
  if (event->type() == QEvent::PaletteChange || event->type() == QEvent::ApplicationFontChange) apply();
  return handled;
}

void ThemedLabel::apply() {
  QFont font = font_of(size_);
  font.setBold(bold_);
  setFont(font);
  // Setting a palette is a change of palette, too.
  if (palette().color(QPalette::WindowText) == colours().*colour_) return;
  QPalette own;
  own.setColor(QPalette::WindowText, colours().*colour_);
  setPalette(own);
}

}  // namespace kernelscape
