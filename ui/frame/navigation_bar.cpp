#include "ui/frame/navigation_bar.h"

#include <QActionGroup>
#include <QPainter>
#include <QToolButton>

#include "ui/style/theme.h"

namespace kernelscape::frame {
namespace {

constexpr int button_width = 72;
constexpr int mark_width = 3;
constexpr QSize icon_size(24, 24);

/** A flat button; the button of the current view has a mark at its edge instead of a frame. */
class ViewButton : public QToolButton {
 public:
  explicit ViewButton(QAction* action, QWidget* parent) : QToolButton(parent) {
    setDefaultAction(action);
    setToolButtonStyle(Qt::ToolButtonTextUnderIcon);
    setAutoRaise(true);
    setFocusPolicy(Qt::TabFocus);
    setIconSize(icon_size);
    setAccessibleName(action->text());
    setMinimumWidth(button_width);
  }

 protected:
  void paintEvent(QPaintEvent*) override {
    QPainter painter(this);
    if (isChecked() || isDown()) painter.fillRect(rect(), style::colours().surface);
    if (isChecked()) painter.fillRect(QRect(0, 0, mark_width, height()), style::colours().accent);
    const QFontMetrics metrics = fontMetrics();
    const int gap = 4;
    const int top = (height() - icon_size.height() - gap - metrics.height()) / 2;
    icon().paint(&painter, QRect(0, top, width(), icon_size.height()));
    painter.setPen(isChecked() || underMouse() ? style::colours().text : style::colours().muted_text);
    painter.drawText(QRect(0, top + icon_size.height() + gap, width(), metrics.height()), Qt::AlignCenter,
                     text());
    if (!hasFocus()) return;
    painter.setPen(QPen(style::colours().focus_ring, 2));
    painter.drawRect(rect().adjusted(1, 1, -2, -2));
  }

  QSize sizeHint() const override {
    const int text_width = fontMetrics().horizontalAdvance(text()) + 16;
    return {std::max(button_width, text_width), icon_size.height() + fontMetrics().height() + 4 + 24};
  }
};

}  // namespace

NavigationBar::NavigationBar(QWidget* parent)
    : QToolBar(tr("Views"), parent), group_(new QActionGroup(this)) {
  setObjectName(QStringLiteral("navigation"));
  setAccessibleName(tr("Views"));
  setOrientation(Qt::Vertical);
  setMovable(false);
  setFloatable(false);
  setContextMenuPolicy(Qt::PreventContextMenu);
  // While a page is shown instead of a view, no button is checked.
  group_->setExclusionPolicy(QActionGroup::ExclusionPolicy::ExclusiveOptional);
}

void NavigationBar::add_view(QAction* action) {
  action->setCheckable(true);
  group_->addAction(action);
  addWidget(new ViewButton(action, this));
}

void NavigationBar::set_current(QAction* action) {
  // A focus ring that stays on the button of another view would contradict the mark of the current view.
  const bool focused = isAncestorOf(window()->focusWidget());
  for (QAction* member : group_->actions()) member->setChecked(member == action);
  for (auto* button : findChildren<QToolButton*>())
    if (focused && button->defaultAction() == action) button->setFocus(Qt::ShortcutFocusReason);
}

void NavigationBar::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.fillRect(rect(), palette().window());
  painter.fillRect(QRect(width() - 1, 0, 1, height()), style::colours().hairline);
}

}  // namespace kernelscape::frame
