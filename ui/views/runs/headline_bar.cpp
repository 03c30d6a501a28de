#include "ui/views/runs/headline_bar.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QVBoxLayout>

#include "ui/style/icons.h"
#include "ui/style/theme.h"
#include "ui/widgets/flow_layout.h"
#include "ui/widgets/themed_label.h"

namespace kernelscape::views {
namespace {

constexpr int answer_spacing = 12;
constexpr int mark_size = 14;

}  // namespace

HeadlineBar::HeadlineBar(QWidget* parent)
    : QWidget(parent),
      what_(new widgets::ThemedLabel(style::TextSize::Small, &style::Colours::muted_text, this)),
      state_(new widgets::ThemedLabel(style::TextSize::Small, &style::Colours::muted_text, this)),
      speed_(new widgets::ThemedLabel(style::TextSize::Large, &style::Colours::accent, this)),
      spread_(new widgets::ThemedLabel(style::TextSize::Normal, &style::Colours::text, this)),
      comparisons_(new widgets::ThemedLabel(style::TextSize::Normal, &style::Colours::text, this)),
      trust_(new widgets::ThemedLabel(style::TextSize::Normal, &style::Colours::muted_text, this)),
      warning_(new widgets::ThemedLabel(style::TextSize::Small, &style::Colours::warning, this)) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(8, 4, 8, 4);
  column->setSpacing(0);
  auto* top = new QHBoxLayout;
  top->setSpacing(16);
  what_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  top->addWidget(what_, 1);
  top->addWidget(state_);
  // In a narrow window, texts that do not fit beside the speed are shown below it.
  auto* answer = new widgets::FlowLayout(answer_spacing);
  for (widgets::ThemedLabel* label : {speed_, spread_, comparisons_, trust_}) answer->addWidget(label);
  speed_->set_bold(true);
  column->addLayout(top);
  column->addLayout(answer);
  warning_->setWordWrap(true);
  warning_mark_ = new QLabel(this);
  warning_mark_->setAccessibleName(tr("Warning"));
  auto* bottom = new QHBoxLayout;
  bottom->setSpacing(style::grid_pixels / 2);
  bottom->addWidget(warning_mark_);
  bottom->addWidget(warning_, 1);
  column->addLayout(bottom);
  for (QLabel* label : findChildren<QLabel*>()) label->setTextInteractionFlags(Qt::TextSelectableByMouse);
  what_->setAccessibleName(tr("Session"));
  speed_->setAccessibleName(tr("Best so far"));
  paint_mark();
}

void HeadlineBar::show_text(const figures::HeadlineText& text) {
  what_->setText(text.what);
  what_->setToolTip(text.what);
  state_->setText(text.state);
  speed_->setText(text.speed);
  spread_->setText(text.spread);
  comparisons_->setText(text.comparisons.join(QStringLiteral("   ")));
  comparisons_->setToolTip(text.comparison_tip);
  trust_->setText(text.trust);
  warning_->setText(text.warning);
  for (QLabel* label : {static_cast<QLabel*>(warning_), warning_mark_}) {
    label->setToolTip(text.warning_tip);
    label->setVisible(!text.warning.isEmpty());
  }
  QStringList parts{text.what, text.state, text.speed, text.trust, text.warning};
  parts.removeAll(QString());
  setAccessibleName(parts.join(QStringLiteral(", ")));
}

void HeadlineBar::show_hint(const QString& text) {
  show_text({.what = text, .state = {}, .speed = {}, .spread = {}, .comparisons = {}, .trust = {}});
}

/** Paints the mark in the colours of the current theme. */
void HeadlineBar::paint_mark() {
  warning_mark_->setPixmap(style::icon(QStringLiteral("warning")).pixmap(mark_size));
}

bool HeadlineBar::event(QEvent* event) {
  const bool handled = QWidget::event(event);
  if (event->type() == QEvent::PaletteChange && warning_mark_ != nullptr) paint_mark();
  return handled;
}

}  // namespace kernelscape::views
