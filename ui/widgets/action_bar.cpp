#include "ui/widgets/action_bar.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QToolButton>

#include "ui/style/icons.h"
#include "ui/style/theme.h"

namespace kernelscape::widgets {

ActionBar::ActionBar(const QString& name, QWidget* parent)
    : QWidget(parent), text_(new QLabel(this)), action_(new QToolButton(this)) {
  setAccessibleName(name);
  text_->setTextFormat(Qt::PlainText);
  action_->setToolButtonStyle(Qt::ToolButtonTextOnly);
  auto* close = new QToolButton(this);
  close->setIcon(style::icon(QStringLiteral("close")));
  close->setAutoRaise(true);
  close->setAccessibleName(tr("Close"));
  close->setToolTip(tr("Close"));
  auto* layout = new QHBoxLayout(this);
  layout->setContentsMargins(style::grid_pixels, style::grid_pixels / 2, style::grid_pixels / 2,
                             style::grid_pixels / 2);
  layout->setSpacing(style::grid_pixels);
  layout->addWidget(text_, 1);
  layout->addWidget(action_);
  layout->addWidget(close);
  connect(action_, &QToolButton::clicked, this, &ActionBar::action_triggered);
  connect(close, &QToolButton::clicked, this, &QWidget::hide);
  hide();
}

void ActionBar::notify(const QString& text, const QString& action) {
  text_->setText(text);
  action_->setText(action);
  action_->setAccessibleName(action);
  action_->setVisible(!action.isEmpty());
  show();
}

QString ActionBar::text() const { return text_->text(); }

void ActionBar::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.fillRect(rect(), style::colours().surface);
  painter.fillRect(QRect(0, 0, width(), 1), style::colours().hairline);
}

}  // namespace kernelscape::widgets
