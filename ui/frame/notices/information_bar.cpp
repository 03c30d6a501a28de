#include "ui/frame/notices/information_bar.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QPushButton>
#include <QToolButton>
#include <QVBoxLayout>

#include "ui/style/icons.h"
#include "ui/style/theme.h"

namespace kernelscape::frame {
namespace {

constexpr int stripe_width = 4;

QLabel* make_label(QWidget* parent) {
  auto* label = new QLabel(parent);
  label->setTextFormat(Qt::PlainText);
  label->setWordWrap(true);
  label->setTextInteractionFlags(Qt::TextSelectableByMouse);
  return label;
}

}  // namespace

QColor colour_of(workspace::Notice::Kind kind) {
  switch (kind) {
    case workspace::Notice::Kind::Warning:
      return style::colours().warning;
    case workspace::Notice::Kind::Failure:
      return style::colours().of(trial::ErrorCategory::RuntimeDevice).colour;
    default:
      return style::colours().accent;
  }
}

InformationBar::InformationBar(const QString& name, QWidget* parent)
    : QWidget(parent), text_(make_label(this)), hint_(make_label(this)), close_(new QToolButton(this)) {
  setAccessibleName(name);
  hint_->setForegroundRole(QPalette::PlaceholderText);
  auto* texts = new QVBoxLayout;
  texts->setSpacing(2);
  texts->addWidget(text_);
  texts->addWidget(hint_);
  row_ = new QHBoxLayout(this);
  row_->setContentsMargins(2 * style::grid_pixels, style::grid_pixels, style::grid_pixels,
                           style::grid_pixels);
  row_->setSpacing(style::grid_pixels);
  row_->addLayout(texts, 1);
  close_->setIcon(style::icon(QStringLiteral("close")));
  close_->setAutoRaise(true);
  close_->setToolTip(tr("Dismiss"));
  close_->setAccessibleName(tr("Dismiss: %1").arg(name));
  // At the bottom the buttons keep their place when the text grows upwards.
  row_->addWidget(close_, 0, Qt::AlignBottom);
  connect(close_, &QToolButton::clicked, this, &InformationBar::dismissed);
}

void InformationBar::set_message(workspace::Notice::Kind kind, const QString& text, const QString& hint) {
  kind_ = kind;
  text_->setText(text);
  hint_->setText(hint);
  hint_->setVisible(!hint.isEmpty());
  setAccessibleDescription(text);
  update();
}

QString InformationBar::text() const { return text_->text(); }

QString InformationBar::hint() const { return hint_->text(); }

QPushButton* InformationBar::add_button(const QString& text) {
  auto* button = new QPushButton(text, this);
  button->setAccessibleName(text);
  row_->insertWidget(row_->count() - 1, button, 0, Qt::AlignBottom);
  setTabOrder(button, close_);
  return button;
}

void InformationBar::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.fillRect(rect(), style::colours().surface);
  painter.setPen(style::colours().hairline);
  painter.drawRect(rect().adjusted(0, 0, -1, -1));
  painter.fillRect(QRect(0, 0, stripe_width, height()), colour_of(kind_));
}

}  // namespace kernelscape::frame
