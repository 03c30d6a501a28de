#include "ui/views/network/network_study_row.h"

#include <QAction>
#include <QComboBox>
#include <QLabel>
#include <QPushButton>
#include <QSignalBlocker>
#include <QToolButton>

#include "ui/models/session_text.h"
#include "ui/style/theme.h"
#include "ui/views/network/network_actions.h"
#include "ui/widgets/flow_layout.h"

namespace kernelscape::views {
namespace {

constexpr int study_box_characters = 26;
constexpr qlonglong set_up_data = -1;  // the data of the entry that is no study

}  // namespace

NetworkStudyRow::NetworkStudyRow(const NetworkActions& actions, QWidget* parent)
    : QWidget(parent), study_box_(new QComboBox(this)), run_button_(new QPushButton(this)) {
  study_box_->setAccessibleName(tr("Study of a network"));
  study_box_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  study_box_->setMinimumContentsLength(study_box_characters);
  connect(study_box_, &QComboBox::activated, this, &NetworkStudyRow::choose);
  make_buttons(actions);
}

void NetworkStudyRow::make_buttons(const NetworkActions& actions) {
  auto* label = new QLabel(tr("Study"), this);
  label->setBuddy(study_box_);
  auto* line = new widgets::FlowLayout(style::grid_pixels);
  line->setContentsMargins(style::grid_pixels, style::grid_pixels, style::grid_pixels, 0);
  setLayout(line);
  line->addWidget(label);
  line->addWidget(study_box_);
  line->addWidget(run_button_);
  QAction* run = actions.run();
  connect(run_button_, &QPushButton::clicked, run, &QAction::trigger);
  connect(run, &QAction::changed, this, [this, run] { show_run(*run); });
  show_run(*run);
  const auto add_button = [&](QAction* action, const QString& text) {
    auto* button = new QToolButton(this);
    button->setDefaultAction(action);
    button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    button->setAutoRaise(true);
    button->setAccessibleName(action->text());
    action->setIconText(text);
    line->addWidget(button);
  };
  add_button(actions.prepare(), tr("New"));
  add_button(actions.report(), tr("Report…"));
  add_button(actions.export_kernels(), tr("Export…"));
  add_button(actions.export_model(), tr("Export model…"));
  add_button(actions.discard(), tr("Delete"));
}

void NetworkStudyRow::show_run(const QAction& run) {
  run_button_->setText(run.iconText());
  run_button_->setToolTip(run.toolTip());
  run_button_->setEnabled(run.isEnabled());
}

void NetworkStudyRow::choose(int index) {
  const qlonglong id = study_box_->itemData(index).toLongLong();
  if (id == set_up_data) return emit set_up_chosen();
  emit study_chosen(id);
}

void NetworkStudyRow::set_studies(const workspace::StudySummaries& studies,
                                  std::optional<store::StudyId> shown) {
  const QSignalBlocker quiet(study_box_);
  study_box_->clear();
  study_box_->addItem(tr("The set-up, not run yet"), set_up_data);
  if (studies) {
    for (const store::StudySummary& study : *studies) {
      const QString text =
          QStringLiteral("%1 #%2").arg(QString::fromStdString(study.record.name)).arg(study.record.id);
      study_box_->addItem(text, qlonglong{study.record.id});
      study_box_->setItemData(study_box_->count() - 1, models::created_text(study.record.created_utc),
                              Qt::ToolTipRole);
    }
  }
  select(shown);
}

void NetworkStudyRow::select(std::optional<store::StudyId> study) {
  const QSignalBlocker quiet(study_box_);
  study_box_->setCurrentIndex(study_box_->findData(qlonglong{study.value_or(set_up_data)}));
}

}  // namespace kernelscape::views
