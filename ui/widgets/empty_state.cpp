#include "ui/widgets/empty_state.h"

#include <QPushButton>
#include <QVBoxLayout>

#include "ui/widgets/themed_label.h"

namespace kernelscape {
namespace {

constexpr int grid = 8;

}  // namespace

EmptyState::EmptyState(QWidget* parent)
    : QWidget(parent),
      headline_(new ThemedLabel(TextSize::Large, &Colours::text)),
      text_(new ThemedLabel(TextSize::Normal, &Colours::muted_text)),
      action_(new QPushButton) {
  for (ThemedLabel* label : {headline_, text_}) {
    label->setAlignment(Qt::AlignCenter);
    label->setWordWrap(true);
    label->setTextFormat(Qt::PlainText);
  }
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(4 * grid, 4 * grid, 4 * grid, 4 * grid);
  layout->setSpacing(grid);
  layout->addStretch(2);
  layout->addWidget(headline_);
  layout->addWidget(text_);
  layout->addSpacing(grid);
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

}  // namespace kernelscape
