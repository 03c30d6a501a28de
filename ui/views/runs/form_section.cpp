#include "ui/views/runs/form_section.h"

#include <QFormLayout>
#include <QToolButton>
#include <QVBoxLayout>

namespace kernelscape::views {

FormSection::FormSection(const QString& title, bool open, QWidget* parent) : QWidget(parent) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(4);
  auto* heading = new QToolButton(this);
  heading->setText(title);
  heading->setAccessibleName(title);
  heading->setAutoRaise(true);
  heading->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  QFont bold = heading->font();
  bold.setBold(true);
  heading->setFont(bold);
  auto* body = new QWidget(this);
  form_ = new QFormLayout(body);
  form_->setContentsMargins(8, 0, 0, 4);
  form_->setHorizontalSpacing(8);
  form_->setVerticalSpacing(4);
  form_->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
  form_->setRowWrapPolicy(QFormLayout::WrapLongRows);
  const auto unfold = [heading, body](bool shown) {
    heading->setArrowType(shown ? Qt::DownArrow : Qt::RightArrow);
    heading->setAccessibleDescription(shown ? tr("unfolded") : tr("folded"));
    body->setVisible(shown);
  };
  connect(heading, &QToolButton::clicked, this,
          [unfold, body] { unfold(!body->isVisibleTo(body->parentWidget())); });
  unfold(open);
  column->addWidget(heading, 0, Qt::AlignLeft);
  column->addWidget(body);
}

}  // namespace kernelscape::views
