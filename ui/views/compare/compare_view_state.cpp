#include <QPushButton>
#include <QStackedWidget>
#include <algorithm>

#include "ui/style/numbers.h"
#include "ui/views/compare/analysed_spaces_page.h"
#include "ui/views/compare/arm_legend.h"
#include "ui/views/compare/bundled_studies_menu.h"
#include "ui/views/compare/compare_view.h"
#include "ui/views/compare/compared_runs_page.h"
#include "ui/widgets/empty_state.h"
#include "ui/widgets/themed_label.h"

// The progress of the study, and the texts shown when there are no numbers.

namespace kernelscape::views {

QString CompareView::state_text() {
  if (!failure_.isEmpty()) return tr("can't be read");
  const store::StudySummary* study = summary();
  if (study == nullptr) return snapshot_ ? tr("%1 runs").arg(snapshot_->runs->runs.size()) : QString();
  QStringList parts{tr("%1 of %2 runs").arg(study->done_runs).arg(study->record.run_count)};
  if (study->failed_runs > 0) parts.append(tr("%1 failed").arg(study->failed_runs));
  const std::optional<workspace::StudyRunView> ours = workspace().study_runner().active();
  if (ours && ours->id == study->record.id) {
    parts.append(ours->stopping ? tr("stopping") : tr("running"));
    if (ours->progress.seconds_left >= 0 && !ours->stopping)
      parts.append(style::format_duration_left(ours->progress.seconds_left));
  } else if (study->owner) {
    parts.append(tr("running elsewhere"));
  } else if (workspace().study_runner().has(study->record.id)) {
    parts.append(tr("waiting for another study"));
  } else if (study->done_runs + study->failed_runs < study->record.run_count) {
    parts.append(tr("stopped"));
  }
  return parts.join(QStringLiteral(", "));
}

void CompareView::show_state() {
  state_label_->setText(state_text());
  state_label_->setVisible(!state_label_->text().isEmpty());
  const store::StudySummary* study = summary();
  const bool ours = study != nullptr && workspace().study_runner().has(study->record.id);
  const std::optional<workspace::StudyRunView> active = workspace().study_runner().active();
  const bool stopping = ours && active && active->id == study->record.id && active->stopping;
  run_button_->setText(!ours ? tr("Resume") : stopping ? tr("Stop at once") : tr("Stop"));
  run_button_->setEnabled(ours ||
                          (study != nullptr && !study->owner && study->done_runs < study->record.run_count));
  report_button_->setEnabled(source_.study && snapshot_ &&
                             (analyses_spaces() || !snapshot_->runs->runs.empty()));
  const bool has_runs = snapshot_ && !snapshot_->runs->runs.empty();
  choices_button_->setVisible(has_runs);
  choice_bar_->setVisible(has_runs && choices_button_->isChecked());
  legend_->setVisible(has_runs);
  if (source_.empty()) {
    return show_empty(tr("No study yet"),
                      tr("A study runs tuners on tasks, repeatedly with different seeds, and compares them. "
                         "Run a built-in study on recorded spaces, which measures nothing on this machine, "
                         "or choose sessions in Library and compare them."),
                      tr("Run a built-in study"));
  }
  if (!failure_.isEmpty()) return show_empty(tr("The study can't be read"), failure_, tr("Try again"));
  if (!snapshot_) return show_empty(tr("Reading ..."), {}, {});
  const analysis::ComparedRuns& runs = *snapshot_->runs;
  const bool any =
      std::ranges::any_of(runs.runs, [](const analysis::ComparedRun& run) { return run.error.empty(); });
  if (analyses_spaces()) {
    spaces_->open(*source_.study);
    stack_->setCurrentWidget(spaces_);
    return;
  }
  if (!any && !runs.runs.empty())
    return show_empty(tr("Every run failed"),
                      tr("Error of the first run: %1").arg(QString::fromStdString(runs.runs.front().error)),
                      ours ? QString() : tr("Try again"));
  if (!any)
    return show_empty(tr("No run has begun"),
                      ours ? tr("Curves appear as soon as the first run has a valid trial.")
                           : tr("Press Resume to start the missing runs."),
                      ours ? QString() : tr("Resume"));
  if (legend_->hidden().size() == runs.arms.size())
    return show_empty(tr("Every tuner is hidden"), tr("Check a tuner in the legend above."), tr("Show all"));
  if (runs_->hidden().size() >= runs.runs.size())
    return show_empty(tr("Every run is excluded"), tr("Include a run on the page Runs, or press Show all."),
                      tr("Show all"));
  if (!numbers_) return show_empty(tr("Computing ..."), {}, {});
  stack_->setCurrentWidget(pages_);
}

void CompareView::show_empty(const QString& headline, const QString& text, const QString& action) {
  empty_->set_text(headline, text, action);
  stack_->setCurrentWidget(empty_);
}

bool CompareView::analyses_spaces() const {
  return source_.study && snapshot_ && snapshot_->runs->arms.empty();
}

void CompareView::act_on_empty() {
  if (source_.empty()) return bundled_button_->click();
  if (!failure_.isEmpty()) return workspace().study_watch().refresh();
  const bool hidden = !legend_->hidden().empty() || !runs_->hidden().empty();
  if (hidden) {
    legend_->show_all();
    runs_->show_all();
    return show_state();
  }
  stop_or_resume();
}

void CompareView::stop_or_resume() {
  if (!source_.study) return;
  workspace::StudyRunner& runner = workspace().study_runner();
  if (runner.has(*source_.study)) {
    runner.stop(*source_.study);
  } else {
    runner.resume(*source_.study);
  }
}

}  // namespace kernelscape::views
