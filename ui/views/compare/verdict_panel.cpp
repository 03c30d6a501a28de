#include "ui/views/compare/verdict_panel.h"

#include "ui/style/theme.h"
#include "ui/widgets/themed_label.h"

namespace kernelscape::views {

VerdictPanel::VerdictPanel(QWidget* parent)
    : QScrollArea(parent), label_(new widgets::ThemedLabel(style::TextSize::Normal, &style::Colours::text)) {
  setAccessibleName(tr("Verdicts"));
  setFrameShape(QFrame::NoFrame);
  setWidgetResizable(true);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  label_->setAccessibleName(tr("Verdicts"));
  label_->setWordWrap(true);
  label_->setTextFormat(Qt::PlainText);
  label_->setAlignment(Qt::AlignTop | Qt::AlignLeft);
  label_->setMargin(style::grid_pixels);
  label_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  setWidget(label_);
  set_lines({});
}

void VerdictPanel::set_lines(const QStringList& lines) {
  label_->setText(lines.empty() ? tr("No tuner is compared with the baseline.")
                                : lines.join(QStringLiteral("\n\n")));
}

QString VerdictPanel::text() const { return label_->text(); }

}  // namespace kernelscape::views
