#include "ui/widgets/empty_state.h"

#include <QPushButton>
#include <QVBoxLayout>

#include "ui/style/theme.h"
#include "ui/widgets/themed_label.h"

namespace kernelscape::widgets {

EmptyState::EmptyState(QWidget* parent)
    : QWidget(parent),
      headline_(new ThemedLabel(style::TextSize::Large, &style::Colours::text)),
      text_(new ThemedLabel(style::TextSize::Normal, &style::Colours::muted_text)),
      action_(new QPushButton) {
  for (ThemedLabel* label : {headline_, text_}) {
    label->setAlignment(Qt::AlignCenter);
    label->setWordWrap(true);
    label->setTextFormat(Qt::PlainText);
  }
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(4 * style::grid_pixels, 4 * style::grid_pixels, 4 * style::grid_pixels,
                             4 * style::grid_pixels);
  layout->setSpacing(style::grid_pixels);
  layout->addStretch(2);
  layout->addWidget(headline_);
  layout->addWidget(text_);
  layout->addSpacing(style::grid_pixels);
  layout->addWidget(action_, 0, Qt::AlignHCenter);
  layout->addStretch(3);
  connect(action_, &QPushButton::clicked, this, &EmptyState::action_triggered);
}

void EmptyState::set_text(const QString& headline, const QString& text, const QString& action) {
  headline_->setText(headline);
  text_->setText(text);
  action_->setText(action);
  action_->setAccessibleName(action);
  action_->setVisible(!action.isEmpty());
}

QString EmptyState::headline() const { return headline_->text(); }

}  // namespace kernelscape::widgets
