#include "ui/views/compare/compare_view.h"

#include <QBoxLayout>
#include <QDate>
#include <QPushButton>
#include <QStackedWidget>
#include <algorithm>

#include "core/analysis/comparison/compared_curves.h"
#include "ui/style/theme.h"
#include "ui/views/compare/analysed_spaces_page.h"
#include "ui/views/compare/arm_legend.h"
#include "ui/views/compare/compare_choice_bar.h"
#include "ui/views/compare/compare_pages.h"
#include "ui/views/compare/compare_source_bar.h"
#include "ui/views/compare/compared_runs_page.h"
#include "ui/views/compare/study_dialog.h"
#include "ui/widgets/empty_state.h"
#include "ui/workspace/notices.h"

namespace kernelscape::views {
namespace {

constexpr int layout_version = 1;

}  // namespace

CompareView::CompareView(ViewContext context)
    : View(context, tr("Compare"), QStringLiteral("compare"), layout_version),
      source_bar_(new CompareSourceBar),
      legend_(new ArmLegend),
      choices_button_(new QPushButton(tr("Options"))),
      choice_bar_(new CompareChoiceBar(choice_.measure)),
      pages_(new ComparePages),
      spaces_(new AnalysedSpacesPage(workspace())),
      empty_(new widgets::EmptyState),
      stack_(new QStackedWidget) {
  make_widgets();
  make_actions();
  connect_source_bar();
  connect_pages();
  connect_workspace();
  remember_default_layout();
  show_state();
}

void CompareView::make_widgets() {
  stack_->addWidget(pages_);
  stack_->addWidget(empty_);
  stack_->addWidget(spaces_);
  choices_button_->setCheckable(true);
  choices_button_->setAccessibleName(tr("Options of the comparison"));
  choices_button_->setToolTip(
      tr("Shows or hides what is compared: baseline, axis, tasks, measure, highlighted tuner"));
  auto* body = new QWidget;
  auto* layout = new QVBoxLayout(body);
  layout->setContentsMargins(style::grid_pixels, style::grid_pixels, style::grid_pixels, style::grid_pixels);
  layout->setSpacing(style::grid_pixels);
  layout->addWidget(source_bar_);
  auto* legend_line = new QHBoxLayout;
  legend_line->setSpacing(style::grid_pixels);
  legend_line->addWidget(legend_, 1);
  legend_line->addWidget(choices_button_, 0, Qt::AlignTop);
  layout->addLayout(legend_line);
  layout->addWidget(choice_bar_);
  layout->addWidget(stack_, 1);
  set_content(body);
}

void CompareView::make_actions() {
  actions().add({.id = QStringLiteral("compare.new_study"),
                 .text = tr("New study..."),
                 .menu = QStringLiteral("Run"),
                 .icon = QStringLiteral("compare"),
                 .help = tr("Runs tuners on tasks, repeatedly with different seeds")},
                [this] {
                  emit view_requested(name());
                  new_study();
                });
  actions().add({.id = QStringLiteral("compare.stop_or_resume"),
                 .text = tr("Stop or resume the study"),
                 .menu = QStringLiteral("Run"),
                 .help = tr("The missing runs of a stopped study can be run later")},
                [this] { stop_or_resume(); });
}

void CompareView::connect_workspace() {
  workspace::Workspace& space = workspace();
  connect(&space, &workspace::Workspace::comparison_requested, this, &CompareView::set_source);
  connect(&space.study_watch(), &workspace::StudyWatch::studies_changed, this, &CompareView::show_studies);
  connect(&space.study_watch(), &workspace::StudyWatch::snapshot_changed, this, &CompareView::show_snapshot);
  connect(&space.study_watch(), &workspace::StudyWatch::failed, this, [this](const QString& message) {
    failure_ = message;
    show_state();
  });
  workspace::StudyRunner& runner = space.study_runner();
  connect(&runner, &workspace::StudyRunner::changed, this, &CompareView::show_state);
  connect(&runner, &workspace::StudyRunner::created, this, [this](qint64 request, qint64 study) {
    if (request == awaited_) open_study(study);
  });
  connect(&runner, &workspace::StudyRunner::refused, this, [this](qint64 request, const QString& message) {
    if (request == awaited_) workspace().notices().warn(tr("The study can't be run."), message);
  });
  connect(&runner, &workspace::StudyRunner::ended, this, [this](qint64, const QString& error) {
    if (!error.isEmpty()) workspace().notices().warn(tr("The study ended early."), error);
    show_state();
  });
}

void CompareView::connect_source_bar() {
  connect(source_bar_, &CompareSourceBar::study_chosen, this, &CompareView::open_study);
  connect(source_bar_, &CompareSourceBar::new_requested, this, &CompareView::new_study);
  connect(source_bar_, &CompareSourceBar::replay_chosen, this, [this](const std::filesystem::path& file) {
    awaited_ = workspace().study_runner().start_file(file);
    emit notified(tr("Looking up the study ..."));
  });
  connect(source_bar_, &CompareSourceBar::measuring_chosen, this, [this](const study::Definition& study) {
    new_study();
    dialog_->set_study(study);
  });
  connect(source_bar_, &CompareSourceBar::run_toggled, this, &CompareView::stop_or_resume);
  connect(source_bar_, &CompareSourceBar::report_requested, this, &CompareView::export_current);
}

void CompareView::connect_pages() {
  connect(choices_button_, &QPushButton::toggled, this, &CompareView::show_state);
  connect(choice_bar_, &CompareChoiceBar::changed, this, &CompareView::take_choices);
  connect(choice_bar_, &CompareChoiceBar::highlight_chosen, this, &CompareView::show_highlight);
  connect(pages_, &ComparePages::arm_activated, this, &CompareView::toggle_highlight);
  connect(pages_, &ComparePages::task_activated, this, [this](qint64 task) {
    choice_bar_->choose_task(static_cast<std::size_t>(task));
    pages_->show_curves();
  });
  connect(pages_, &ComparePages::x_logarithmic_chosen, this, [this](bool on) {
    scale_chosen_ = true;
    set_logarithmic(on);
  });
  connect(pages_, &ComparePages::notified, this, &View::notified);
  connect(legend_, &ArmLegend::hidden_changed, this, &CompareView::show_hidden);
  connect(&pages_->runs(), &ComparedRunsPage::hidden_changed, this, [this] {
    compute();
    show_state();
  });
  connect(&pages_->runs(), &ComparedRunsPage::run_opened, this, &CompareView::open_session);
  connect(empty_, &widgets::EmptyState::action_triggered, this, &CompareView::act_on_empty);
  connect(spaces_, &AnalysedSpacesPage::notified, this, &View::notified);
  connect(spaces_, &AnalysedSpacesPage::explore_requested, this,
          [this](qint64 session) { open_session(session, QStringLiteral("Explore")); });
}

void CompareView::open_session(qint64 session, const QString& view) {
  workspace().open_session(session);
  emit view_requested(view);
}

void CompareView::new_study() {
  if (dialog_ == nullptr) {
    dialog_ = new StudyDialog(workspace(), this);
    connect(dialog_, &StudyDialog::created, this, [this](qint64 study) { open_study(study); });
  }
  dialog_->show();
  dialog_->raise();
  dialog_->activateWindow();
}

QString CompareView::provenance() const {
  if (!snapshot_) return {};
  const analysis::ComparedRuns& runs = *snapshot_->runs;
  QStringList parts;
  if (source_.study) parts.append(tr("study %1").arg(*source_.study));
  parts.append(QString::fromStdString(runs.title));
  parts.append(runs.tasks.size() == 1 ? QString::fromStdString(runs.tasks.front().name)
                                      : tr("%1 tasks").arg(runs.tasks.size()));
  parts.append(runs.runs.size() == 1 ? tr("1 run") : tr("%1 runs").arg(runs.runs.size()));
  parts.append(QDate::currentDate().toString(Qt::ISODate));
  parts.removeAll(QString());
  return QStringLiteral("%1 · Kernelscape").arg(parts.join(QStringLiteral(", ")));
}

void CompareView::focus_filter() { pages_->search_runs(); }

void CompareView::export_current() {
  if (source_.study) {
    emit report_requested(*source_.study);
  } else {
    workspace().notices().warn(tr("There is no study to report on."),
                               tr("Choose a study in Compare, or run a built-in study."));
  }
}

bool CompareView::report_current() {
  if (source_.study) emit report_requested(*source_.study);
  return source_.study.has_value();
}

void CompareView::showEvent(QShowEvent* event) {
  View::showEvent(event);
  workspace().study_watch().set_active(true);
  if (stale_) compute();
}

void CompareView::hideEvent(QHideEvent* event) {
  workspace().study_watch().set_active(false);
  View::hideEvent(event);
}

void CompareView::open_study(store::StudyId id) {
  workspace::CompareSource source;
  source.study = id;
  set_source(source);
}

void CompareView::compare_sessions(const std::vector<store::SessionId>& sessions) {
  workspace::CompareSource source;
  source.sessions = sessions;
  set_source(source);
}

void CompareView::set_source(const workspace::CompareSource& source) {
  if (source == source_) return;
  source_ = source;
  job_.cancel();
  stale_ = false;
  snapshot_.reset();
  numbers_.reset();
  failure_.clear();
  figures::ComparisonChoice fresh;
  fresh.axis = choice_.axis;
  fresh.logarithmic = choice_.logarithmic;
  fresh.measure = choice_.measure;
  choice_ = fresh;
  scale_chosen_ = false;
  highlighted_.reset();
  choice_bar_->set_highlighted(std::nullopt);
  pages_->runs().show_all();
  pages_->runs().set_runs(nullptr, false);
  workspace().study_watch().watch(source);
  show_studies(studies_);
}

const store::StudySummary* CompareView::summary() const {
  if (!studies_ || !source_.study) return nullptr;
  const auto found = std::ranges::find_if(
      *studies_, [&](const store::StudySummary& study) { return study.record.id == *source_.study; });
  return found == studies_->end() ? nullptr : &*found;
}

/** Returns the progress of the study; only a text if sessions are compared. */
StudyProgress CompareView::progress() {
  StudyProgress progress;
  if (const store::StudySummary* study = summary()) {
    progress = study_progress(*study, workspace().study_runner());
  } else if (snapshot_) {
    progress.text = tr("%1 runs").arg(snapshot_->runs->runs.size());
  }
  if (!failure_.isEmpty()) progress.text = tr("can't be read");
  return progress;
}

void CompareView::show_studies(const workspace::StudySummaries& studies) {
  studies_ = studies;
  // The newest study is shown first because it is the most likely one to be wanted.
  if (studies_ && source_.empty() && !studies_->empty()) return open_study(studies_->front().record.id);
  source_bar_->set_studies(studies_, source_);
  show_state();
}

void CompareView::show_snapshot(const workspace::StudySnapshotPointer& snapshot) {
  if (snapshot->source != source_) return;
  const bool first = snapshot_ == nullptr;
  snapshot_ = snapshot;
  failure_.clear();
  if (first) choice_.baseline = snapshot->baseline;
  suggest_logarithmic();
  fill_choices();
  const store::StudySummary* study = summary();
  const bool running = study != nullptr && (study->owner || workspace().study_runner().has(study->record.id));
  pages_->runs().set_runs(snapshot->runs, running);
  show_state();
  compute();
}

void CompareView::fill_choices() {
  const analysis::ComparedRuns& runs = *snapshot_->runs;
  QStringList arms;
  QStringList settings;
  for (const analysis::ComparedArm& arm : runs.arms) {
    arms.append(QString::fromStdString(arm.name));
    settings.append(QString::fromStdString(arm.settings));
  }
  legend_->set_arms(arms, settings);
  // If there is only one task, it stands for all tasks.
  if (runs.tasks.size() == 1) choice_.task = 0;
  choice_bar_->set_runs(runs, choice_);
}

void CompareView::take_choices() {
  if (!snapshot_) return;
  choice_bar_->read(choice_);
  fill_choices();
  compute();
}

/**
 * Computes the numbers. A job that works on older data is allowed to finish, so that a live study is shown at
 * all.
 */
void CompareView::compute() {
  choice_.hidden_sessions = pages_->runs().hidden();
  stale_ = job_.busy() || !isVisible();
  if (stale_ || !snapshot_ || snapshot_->runs->arms.empty()) return;
  job_.start(
      [snapshot = snapshot_, choice = choice_](const workspace::JobControl& control) {
        return comparison_numbers(*snapshot->runs, choice, control);
      },
      [this](std::optional<ComparisonNumbers> numbers) {
        if (numbers) show_numbers(std::move(*numbers));
        if (stale_) compute();
      });
}

void CompareView::show_numbers(ComparisonNumbers numbers) {
  numbers_ = std::move(numbers);
  pages_->show_figures(*numbers_);
  choice_bar_->mark_measures(*numbers_);
  show_hidden();
  show_state();
}

void CompareView::show_hidden() {
  pages_->set_hidden(legend_->hidden());
  show_rows();
  show_state();
}

/** Shows the arms that are not hidden: over all tasks and on each task, or on the chosen task. */
void CompareView::show_rows() {
  if (!numbers_ || !snapshot_) return;
  models::JudgedRows rows = numbers_->judged;
  rows.axis = choice_.axis;
  rows.erase_if([&](const analysis::ComparisonRow& row) {
    return legend_->hidden().contains(row.arm) || (choice_.task && row.task != choice_.task);
  });
  pages_->show_rows(std::move(rows), numbers_->hindrances);
}

void CompareView::show_state() {
  const StudyProgress now = progress();
  source_bar_->set_progress(now);
  const bool has_runs = snapshot_ && !snapshot_->runs->runs.empty();
  source_bar_->set_reportable(source_.study && snapshot_ && (analyses_spaces() || has_runs));
  choices_button_->setVisible(has_runs);
  choice_bar_->setVisible(has_runs && choices_button_->isChecked());
  legend_->setVisible(has_runs);
  show_contents(now.ours);
}

/** @param ours true: the study runs or waits in this process */
void CompareView::show_contents(bool ours) {
  if (failure_.isEmpty() && analyses_spaces()) {
    spaces_->open(*source_.study);
    stack_->setCurrentWidget(spaces_);
    return;
  }
  const std::optional<CompareNotice> notice =
      compare_notice({.chosen = !source_.empty(),
                      .failure = failure_,
                      .runs = snapshot_ ? snapshot_->runs.get() : nullptr,
                      .ours = ours,
                      .hidden_arms = legend_->hidden().size(),
                      .hidden_runs = pages_->runs().hidden().size(),
                      .computed = numbers_.has_value()});
  if (!notice) return stack_->setCurrentWidget(pages_);
  empty_->set_text(notice->headline, notice->text, notice->action);
  stack_->setCurrentWidget(empty_);
}

bool CompareView::analyses_spaces() const {
  return source_.study && snapshot_ && snapshot_->runs->arms.empty();
}

void CompareView::act_on_empty() {
  if (source_.empty()) return source_bar_->open_bundled_studies();
  if (!failure_.isEmpty()) return workspace().study_watch().refresh();
  const bool hidden = !legend_->hidden().empty() || !pages_->runs().hidden().empty();
  if (hidden) {
    legend_->show_all();
    pages_->runs().show_all();
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

void CompareView::toggle_highlight(qint64 arm) {
  const auto clicked = static_cast<std::size_t>(arm);
  show_highlight(highlighted_ == clicked ? std::nullopt : std::optional(clicked));
}

void CompareView::show_highlight(std::optional<std::size_t> arm) {
  highlighted_ = arm;
  pages_->set_highlighted(arm);
  choice_bar_->set_highlighted(arm);
}

void CompareView::suggest_logarithmic() {
  const bool any = std::ranges::any_of(snapshot_->runs->runs, [](const analysis::ComparedRun& run) {
    return run.finished && run.error.empty();
  });
  // The scale does not change again when more runs arrive.
  if (scale_chosen_ || !any) return;
  scale_chosen_ = true;
  set_logarithmic(analysis::improves_early(*snapshot_->runs, choice_.axis));
}

void CompareView::set_logarithmic(bool logarithmic) {
  if (choice_.logarithmic == logarithmic) return;
  choice_.logarithmic = logarithmic;
  pages_->set_x_logarithmic(logarithmic);
  compute();
}

}  // namespace kernelscape::views
