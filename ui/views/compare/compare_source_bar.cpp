#include "ui/views/compare/compare_source_bar.h"

#include <QComboBox>
#include <QPushButton>

#include "ui/style/theme.h"
#include "ui/views/compare/bundled_studies_menu.h"
#include "ui/views/compare/choice_box.h"
#include "ui/widgets/flow_layout.h"
#include "ui/widgets/themed_label.h"

namespace kernelscape::views {
namespace {

constexpr int min_state_characters = 24;

QString study_text(const store::StudySummary& study) {
  return QStringLiteral("%1  (%2 of %3 runs%4)")
      .arg(QString::fromStdString(study.record.name))
      .arg(study.done_runs)
      .arg(study.record.run_count)
      .arg(study.owner ? CompareSourceBar::tr(", running") : QString());
}

}  // namespace

CompareSourceBar::CompareSourceBar(QWidget* parent)
    : QWidget(parent),
      source_(make_choice_box(tr("Study"), 32)),
      state_(new widgets::ThemedLabel(style::TextSize::Normal, &style::Colours::muted_text)),
      run_(new QPushButton),
      bundled_(new QPushButton(tr("Run built-in study"))),
      report_(new QPushButton(tr("Report..."))) {
  source_->setPlaceholderText(tr("No study yet"));
  state_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  // In a narrow window it stands below the buttons.
  state_->setMinimumWidth(min_state_characters * state_->fontMetrics().averageCharWidth());
  auto* new_button = new QPushButton(tr("New study..."));
  auto* bundled_menu = new BundledStudiesMenu(bundled_);
  bundled_->setMenu(bundled_menu);
  auto* line = new widgets::FlowLayout(style::grid_pixels);
  setLayout(line);
  add_labelled_box(line, tr("Study"), source_);
  for (QPushButton* button : {run_, new_button, bundled_, report_}) line->addWidget(button);
  line->addWidget(state_);
  connect(source_, &QComboBox::activated, this, [this](int index) {
    const qlonglong id = source_->itemData(index).toLongLong();
    if (id >= 0) emit study_chosen(id);
  });
  connect(new_button, &QPushButton::clicked, this, &CompareSourceBar::new_requested);
  connect(bundled_menu, &BundledStudiesMenu::replay_chosen, this, &CompareSourceBar::replay_chosen);
  connect(bundled_menu, &BundledStudiesMenu::measuring_chosen, this, &CompareSourceBar::measuring_chosen);
  connect(run_, &QPushButton::clicked, this, &CompareSourceBar::run_toggled);
  connect(report_, &QPushButton::clicked, this, &CompareSourceBar::report_requested);
}

void CompareSourceBar::set_studies(const workspace::StudySummaries& studies,
                                   const workspace::CompareSource& source) {
  QStringList texts;
  QVariantList ids;
  if (!source.sessions.empty()) {
    texts.append(tr("%1 chosen sessions").arg(source.sessions.size()));
    ids.append(QVariant(-1));
  }
  if (studies) {
    for (const store::StudySummary& study : *studies) {
      texts.append(study_text(study));
      ids.append(QVariant::fromValue(qlonglong{study.record.id}));
    }
  }
  fill_choice_box(source_, texts, ids,
                  source.study ? QVariant::fromValue(qlonglong{*source.study}) : QVariant(-1));
}

void CompareSourceBar::set_progress(const StudyProgress& progress) {
  state_->setText(progress.text);
  state_->setVisible(!state_->text().isEmpty());
  run_->setText(!progress.ours ? tr("Resume") : progress.stopping ? tr("Stop at once") : tr("Stop"));
  run_->setEnabled(progress.ours || progress.resumable);
}

void CompareSourceBar::set_reportable(bool reportable) { report_->setEnabled(reportable); }

void CompareSourceBar::open_bundled_studies() { bundled_->click(); }

}  // namespace kernelscape::views
