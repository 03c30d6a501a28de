#include "ui/views/compare/plan_panel.h"

#include "ui/style/theme.h"
#include "ui/widgets/themed_label.h"

namespace kernelscape::views {
namespace {

/** Appends a heading with its sentences, or nothing if there are no sentences. */
void append_answers(QStringList& blocks, const QString& heading,
                    const std::vector<analysis::PlannedAnswer>& answers, analysis::PlannedAnswerKind kind) {
  QStringList lines;
  for (const analysis::PlannedAnswer& answer : answers)
    if (answer.kind == kind) lines.append(QStringLiteral("• ") + QString::fromStdString(answer.words));
  if (!lines.empty()) blocks.append(heading + QLatin1Char('\n') + lines.join(QLatin1Char('\n')));
}

}  // namespace

PlanPanel::PlanPanel(QWidget* parent)
    : QScrollArea(parent), label_(new widgets::ThemedLabel(style::TextSize::Normal, &style::Colours::text)) {
  setAccessibleName(tr("What this study can decide"));
  setFrameShape(QFrame::NoFrame);
  setWidgetResizable(true);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  label_->setAccessibleName(tr("What this study can decide"));
  label_->setWordWrap(true);
  label_->setTextFormat(Qt::PlainText);
  label_->setAlignment(Qt::AlignTop | Qt::AlignLeft);
  label_->setMargin(style::grid_pixels / 2);
  label_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  setWidget(label_);
  clear();
}

void PlanPanel::set_plan(const study::StudyPlan& plan) {
  QStringList blocks;
  append_answers(blocks, tr("It cannot decide"), plan.answers, analysis::PlannedAnswerKind::Cannot);
  append_answers(blocks, tr("Notes"), plan.answers, analysis::PlannedAnswerKind::Caution);
  append_answers(blocks, tr("It can decide"), plan.answers, analysis::PlannedAnswerKind::Decides);
  QStringList compared;
  for (const std::string& sentence : plan.compared)
    compared.append(QStringLiteral("• ") + QString::fromStdString(sentence));
  blocks.append(tr("It compares") + QLatin1Char('\n') + compared.join(QLatin1Char('\n')));
  label_->setText(blocks.join(QStringLiteral("\n\n")));
}

void PlanPanel::clear() {
  label_->setText(tr("Choose tuners and tasks to see what their study can and cannot decide."));
}

QString PlanPanel::text() const { return label_->text(); }

}  // namespace kernelscape::views
