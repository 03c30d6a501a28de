#include "ui/views/tune/headline_bar.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QVBoxLayout>

#include "ui/style/theme.h"
#include "ui/widgets/flow_layout.h"
#include "ui/widgets/themed_label.h"

namespace kernelscape {
namespace {

constexpr int answer_spacing = 12;

}  // namespace

HeadlineBar::HeadlineBar(QWidget* parent)
    : QWidget(parent),
      what_(new ThemedLabel(TextSize::Small, &Colours::muted_text, this)),
      state_(new ThemedLabel(TextSize::Small, &Colours::muted_text, this)),
      speed_(new ThemedLabel(TextSize::Large, &Colours::accent, this)),
      spread_(new ThemedLabel(TextSize::Normal, &Colours::text, this)),
      comparisons_(new ThemedLabel(TextSize::Normal, &Colours::text, this)),
      trust_(new ThemedLabel(TextSize::Normal, &Colours::muted_text, this)),
      warning_(new ThemedLabel(TextSize::Small, &Colours::warning, this)) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(8, 4, 8, 4);
  column->setSpacing(0);
  auto* top = new QHBoxLayout;
  top->setSpacing(16);
  what_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  top->addWidget(what_, 1);
  top->addWidget(state_);
  // In a narrow window what does not fit beside the speed stands below it.
  auto* answer = new FlowLayout(answer_spacing);
  for (ThemedLabel* label : {speed_, spread_, comparisons_, trust_}) answer->addWidget(label);
  speed_->set_bold(true);
  column->addLayout(top);
  column->addLayout(answer);
  warning_->setWordWrap(true);
  column->addWidget(warning_);
  for (QLabel* label : findChildren<QLabel*>()) label->setTextInteractionFlags(Qt::TextSelectableByMouse);
  what_->setAccessibleName(tr("Session"));
  speed_->setAccessibleName(tr("Best so far"));
  align();
}

void HeadlineBar::show_text(const HeadlineText& text) {
  what_->setText(text.what);
  what_->setToolTip(text.what);
  state_->setText(text.state);
  speed_->setText(text.speed);
  spread_->setText(text.spread);
  comparisons_->setText(text.comparisons.join(QStringLiteral("   ")));
  trust_->setText(text.trust);
  warning_->setText(text.warning);
  warning_->setVisible(!text.warning.isEmpty());
  setAccessibleName(QStringList{text.what, text.state, text.speed, text.trust}.join(QStringLiteral(", ")));
}

void HeadlineBar::show_hint(const QString& text) {
  show_text(
      {.what = text, .state = {}, .speed = {}, .spread = {}, .comparisons = {}, .trust = {}, .warning = {}});
}

/** One line, whatever the sizes of its words. */
void HeadlineBar::align() {
  QFont large = font_of(TextSize::Large);
  large.setBold(true);
  const int height = QFontMetrics(large).height();
  for (ThemedLabel* label : {spread_, comparisons_, trust_}) label->setMinimumHeight(height);
}

bool HeadlineBar::event(QEvent* event) {
  const bool handled = QWidget::event(event);
  if (event->type() == QEvent::ApplicationFontChange) align();
  return handled;
}

}  // namespace kernelscape
