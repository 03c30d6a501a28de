#include "ui/views/library/library_view.h"

#include <QTabWidget>
#include <algorithm>

#include "core/study/execution.h"
#include "ui/models/predictor_text.h"
#include "ui/models/session_text.h"
#include "ui/views/export/export_dialog.h"
#include "ui/views/library/comparable_sessions.h"
#include "ui/views/library/join_dialog.h"
#include "ui/views/library/kernels_page.h"
#include "ui/views/library/predictors_page.h"
#include "ui/views/library/sessions_page.h"
#include "ui/views/library/studies_page.h"
#include "ui/views/runs/resume_dialog.h"
#include "ui/workspace/notices.h"
#include "ui/workspace/run_queue.h"
#include "ui/workspace/session_watch.h"
#include "ui/workspace/study_watch.h"

namespace kernelscape::views {
namespace {

constexpr int layout_version = 1;

Result<session::TuningRequest> read_request(const std::filesystem::path& database, store::SessionId id) {
  const store::Store store = TRY(store::Store::open(database, store::OpenMode::ReadOnly));
  const store::SessionSummary session = TRY(store.sessions().get(id));
  Result<session::TuningRequest> request = session::request_of(session.record);
  // The name is cleared, because two sessions of the same name could not be distinguished by it.
  if (request) request->name.clear();
  return request;
}

bool can_resume(const workspace::SessionEntry& session) {
  return session.summary.status.state == store::SessionState::Interrupted &&
         client_resume_text(session.summary.record).isEmpty();
}

std::int64_t row_of_trial(const workspace::SourceData& source, std::int64_t trial) {
  for (std::int64_t row = 0; row < source.trials.size(); ++row) {
    if (source.trials.row(row).number == trial) return row;
  }
  return analysis::no_row;
}

}  // namespace

LibraryView::LibraryView(ViewContext context, workspace::Remeasure remeasure)
    : View(context, QStringLiteral("Library"), QStringLiteral("library"), layout_version),
      tabs_(new QTabWidget(this)),
      sessions_(new SessionsPage(workspace(), std::move(remeasure))),
      kernels_(new KernelsPage(workspace())),
      studies_(new StudiesPage(workspace())),
      predictors_(new PredictorsPage(workspace())) {
  tabs_->setDocumentMode(true);
  tabs_->setAccessibleName(tr("Parts of the library"));
  tabs_->addTab(sessions_, tr("Sessions"));
  tabs_->addTab(kernels_, tr("Kernels"));
  tabs_->addTab(studies_, tr("Studies"));
  tabs_->addTab(predictors_, tr("Predictors"));
  set_content(tabs_);
  add_session_actions();
  add_kernel_actions();
  add_study_actions();
  add_predictor_actions();
  remember_default_layout();

  connect(tabs_, &QTabWidget::currentChanged, this, &LibraryView::update_actions);
  connect(sessions_, &SessionsPage::selection_changed, this, &LibraryView::update_actions);
  connect(sessions_, &SessionsPage::undo_changed, this, &LibraryView::update_actions);
  connect(sessions_, &SessionsPage::session_opened, this,
          [this](store::SessionId id) { open(id, QStringLiteral("Tune")); });
  connect(sessions_, &SessionsPage::new_run_requested, this,
          [this] { emit view_requested(QStringLiteral("Tune")); });
  connect(kernels_, &KernelsPage::selection_changed, this, &LibraryView::update_actions);
  connect(kernels_, &KernelsPage::kernel_opened, this, &LibraryView::open_kernel);
  connect(studies_, &StudiesPage::selection_changed, this, &LibraryView::update_actions);
  connect(studies_, &StudiesPage::study_opened, this, &LibraryView::open_study);
  connect(studies_, &StudiesPage::compare_requested, this,
          [this] { emit view_requested(QStringLiteral("Compare")); });
  connect(predictors_, &PredictorsPage::selection_changed, this, &LibraryView::update_actions);
  connect(predictors_, &PredictorsPage::predictor_opened, this, &LibraryView::open_predictor);
  connect(predictors_, &PredictorsPage::learn_requested, this,
          [this] { emit view_requested(QStringLiteral("Learn")); });
  // A kernel's session is read first; then its trial can become the current trial.
  connect(&workspace(), &workspace::Workspace::source_changed, this, [this] {
    const workspace::Source& source = workspace().source();
    if (!kernel_session_ || !source || source->id() != *kernel_session_) return;
    kernel_session_.reset();
    workspace().set_current_row(row_of_trial(*source, kernel_trial_));
  });
  update_actions();
}

QAction* LibraryView::add(const QString& id, const QString& text, const QString& icon_name,
                          const QString& help, const QKeySequence& shortcut,
                          std::function<void()> triggered) {
  QWidget* const page = id.startsWith(QLatin1String("kernel"))      ? static_cast<QWidget*>(kernels_)
                        : id.startsWith(QLatin1String("study"))     ? static_cast<QWidget*>(studies_)
                        : id.startsWith(QLatin1String("predictor")) ? static_cast<QWidget*>(predictors_)
                                                                    : static_cast<QWidget*>(sessions_);
  return actions().add({.id = QStringLiteral("library.") + id,
                        .text = text,
                        .menu = tr("File"),
                        .shortcut = shortcut,
                        .icon = icon_name,
                        .help = help,
                        .scope = page},
                       std::move(triggered));
}

void LibraryView::add_session_actions() {
  const auto selected = [this] { return sessions_->selected().front().summary.record.id; };
  open_ = add("open", tr("Open session"), "tune", tr("Shows the selected session in Tune (Enter)"), {},
              [this, selected] { open(selected(), QStringLiteral("Tune")); });
  explore_ = add("explore", tr("Explore"), "explore", tr("Shows the selected session in Explore"), {},
                 [this, selected] { open(selected(), QStringLiteral("Explore")); });
  side_by_side_ = add("side_by_side", tr("Side by side"), "compare",
                      tr("Shows the two selected sessions beside each other"), {},
                      [this] { sessions_->show_side_by_side(); });
  compare_ = add("compare", tr("Compare sessions"), "compare",
                 tr("Shows the selected sessions, and those of collections that share a task, in Compare"),
                 {}, [this] { compare_selected(); });
  join_ = add("join", tr("Join sessions\u2026"), {},
              tr("Makes one recorded space of the selected sessions: one kernel on one device, with several "
                 "lists of configurations"),
              {}, [this] { join_selected(); });
  rename_ = add("rename", tr("Rename session"), {}, tr("Gives the selected session or collection a name"),
                QKeySequence(Qt::Key_F2), [this] { sessions_->rename_selected(); });
  duplicate_ = add("duplicate", tr("Duplicate as new run"), "copy",
                   tr("Fills the form in Tune with the selected session's set-up"),
                   QKeySequence(Qt::CTRL | Qt::Key_D), [this] { duplicate_selected(); });
  resume_ = add("resume", tr("Resume session"), "resume",
                tr("Resumes the stopped and interrupted sessions; a finished one asks for a larger budget"),
                {}, [this] { resume_selected(); });
  measure_again_ =
      add("measure_again", tr("Measure the best again"), "start",
          tr("Measures the session's five best trials again, interleaved with the vendor's library"), {},
          [this] { sessions_->measure_selected_again(); });
  export_ = add("export", tr("Export session\u2026"), "export", tr("Exports results of the selected session"),
                {}, [this] { export_session(); });
  delete_ = add("delete", tr("Delete sessions"), "trash",
                tr("Deletes the selected sessions and collections; it can be undone"),
                QKeySequence(Qt::Key_Delete), [this] { sessions_->delete_selected(); });
  undo_delete_ = add("undo_delete", tr("Undo deleting sessions"), "undo",
                     tr("Restores the sessions that were deleted last"), QKeySequence::Undo,
                     [this] { sessions_->undo_delete(); });
  open_->setIconText(tr("Open"));
  compare_->setIconText(tr("Compare"));
  duplicate_->setIconText(tr("Duplicate"));
  resume_->setIconText(tr("Resume"));
  measure_again_->setIconText(tr("Measure again"));
  export_->setIconText(tr("Export\u2026"));
  delete_->setIconText(tr("Delete"));
  sessions_->set_actions(
      {open_, explore_, side_by_side_, compare_, duplicate_, resume_, measure_again_, export_, delete_},
      {open_, explore_, side_by_side_, compare_, join_, rename_, duplicate_, resume_, measure_again_, export_,
       delete_});
}

void LibraryView::add_kernel_actions() {
  open_kernel_ = add("kernel_open", tr("Open the kernel's session"), "tune",
                     tr("Shows the session and trial that the selected kernel comes from"), {},
                     [this] { open_kernel(kernels_->selected().front()); });
  export_kernels_ = add("kernels_export", tr("Export as CMake library\u2026"), "export",
                        tr("Writes the selected kernels as C sources with a CMake project"), {},
                        [this] { export_kernels(); });
  kernels_->set_actions({open_kernel_, export_kernels_});
}

void LibraryView::add_study_actions() {
  open_study_ = add("study_open", tr("Open study"), "compare",
                    tr("Shows the selected study in Compare, a network in Network, or a data set in Learn"),
                    {}, [this] { open_study(studies_->selected().front()); });
  rename_study_ = add("study_rename", tr("Edit study"), {},
                      tr("Changes name, tags or note of the selected study in place"),
                      QKeySequence(Qt::Key_F2), [this] { studies_->edit_selected(); });
  delete_study_ = add("study_delete", tr("Delete studies"), "trash",
                      tr("Deletes the selected studies with their sessions; it can be undone"),
                      QKeySequence(Qt::Key_Delete), [this] { studies_->delete_selected(); });
  undo_delete_study_ = add("study_undo_delete", tr("Undo deleting studies"), "undo",
                           tr("Restores the study that was deleted last"), QKeySequence::Undo,
                           [this] { studies_->undo_delete(); });
  studies_->set_actions({open_study_, rename_study_, delete_study_});
}

void LibraryView::add_predictor_actions() {
  open_predictor_ =
      add("predictor_open", tr("Open predictor"), "learn", tr("Shows the selected predictor in Learn"), {},
          [this] { open_predictor(models::predictor_key(predictors_->selected().front())); });
  export_predictor_ = add("predictor_export", tr("Export predictor\u2026"), "export",
                          tr("Writes the selected predictor as a file, for other machines of its ISA"), {},
                          [this] { predictors_->export_selected(); });
  import_predictor_ =
      add("predictor_import", tr("Import predictors\u2026"), "library",
          tr("Adds files of predictors to the database"), {}, [this] { predictors_->import_files(); });
  delete_predictor_ = add("predictor_delete", tr("Delete predictors"), "trash",
                          tr("Deletes the selected predictors permanently, after a confirmation"),
                          QKeySequence(Qt::Key_Delete), [this] { predictors_->delete_selected(); });
  predictors_->set_actions({open_predictor_, export_predictor_, import_predictor_, delete_predictor_},
                           {open_predictor_, export_predictor_, delete_predictor_});
}

/**
 * Opens a study in the view that fits it: a data set in Learn because of its tasks, a network in Network
 * because of its time, other studies in Compare.
 */
void LibraryView::open_study(const store::StudySummary& study) {
  const study::Purpose purpose = study::purpose_of(study.record);
  if (purpose == study::Purpose::Network) {
    emit view_requested(QStringLiteral("Network"));
    return workspace().open_network(study.record.id);
  }
  if (purpose != study::Purpose::DataSet) return compare({.study = study.record.id, .sessions = {}});
  emit view_requested(QStringLiteral("Learn"));
  workspace().open_data_set(study.record.id);
}

void LibraryView::open_predictor(const QString& key) {
  // The view must exist first, because it listens to this signal.
  emit view_requested(QStringLiteral("Learn"));
  workspace().open_predictor(key);
}

void LibraryView::compare(const workspace::CompareSource& source) {
  // The view must exist first, because it listens to this signal.
  emit view_requested(QStringLiteral("Compare"));
  workspace().compare(source);
}

void LibraryView::compare_selected() {
  ComparableSessions comparable =
      comparable_sessions(sessions_->selected(), sessions_->selected_collections(), *workspace().sessions());
  if (!comparable.reason.isEmpty())
    return workspace().notices().warn(tr("There is nothing to compare."), comparable.reason);
  compare({.study = {}, .sessions = std::move(comparable.sessions)});
}

void LibraryView::join_selected() {
  std::vector<workspace::SessionEntry> sessions = sessions_->selected();
  // The older one comes first, whatever the sort order of the table.
  std::ranges::sort(sessions, {},
                    [](const workspace::SessionEntry& session) { return session.summary.record.id; });
  auto* dialog = new JoinDialog(workspace(), std::move(sessions), this);
  connect(dialog, &JoinDialog::joined, this,
          [this](store::SessionId id) { open(id, QStringLiteral("Explore")); });
  dialog->show();
}

void LibraryView::update_actions() {
  const bool on_sessions = isVisible() && tabs_->currentWidget() == sessions_;
  const std::vector<workspace::SessionEntry> sessions =
      on_sessions ? sessions_->selected() : std::vector<workspace::SessionEntry>();
  const std::size_t collections = on_sessions ? sessions_->selected_collections().size() : 0;
  const bool one = sessions.size() == 1;
  for (QAction* action : {open_, explore_, duplicate_, export_}) action->setEnabled(one);
  rename_->setEnabled(sessions.size() + collections == 1);
  side_by_side_->setEnabled(sessions.size() == 2);
  compare_->setEnabled(sessions.size() > 1 || collections > 0);
  join_->setEnabled(sessions.size() > 1 && collections == 0 &&
                    std::ranges::none_of(sessions, models::session_runs));
  resume_->setEnabled((!sessions.empty() && std::ranges::all_of(sessions, can_resume)) ||
                      (one && can_raise_budget(sessions.front())));
  measure_again_->setEnabled(one && !sessions_->measuring_again() &&
                             !models::session_runs(sessions.front()) &&
                             sessions.front().summary.status.best_trial >= 0);
  delete_->setEnabled((!sessions.empty() || collections > 0) &&
                      std::ranges::none_of(sessions, models::session_runs));
  undo_delete_->setEnabled(on_sessions && sessions_->can_undo_delete());
  const bool on_kernels = isVisible() && tabs_->currentWidget() == kernels_;
  const std::size_t kernels = on_kernels ? kernels_->selected().size() : 0;
  open_kernel_->setEnabled(kernels == 1);
  export_kernels_->setEnabled(kernels > 0);
  const bool on_studies = isVisible() && tabs_->currentWidget() == studies_;
  const std::vector<store::StudySummary> studies =
      on_studies ? studies_->selected() : std::vector<store::StudySummary>();
  for (QAction* action : {open_study_, rename_study_}) action->setEnabled(studies.size() == 1);
  delete_study_->setEnabled(!studies.empty() &&
                            std::ranges::none_of(studies, [](const store::StudySummary& study) {
                              return study.owner && study.owner->alive();
                            }));
  undo_delete_study_->setEnabled(on_studies && studies_->can_undo_delete());
  const bool on_predictors = isVisible() && tabs_->currentWidget() == predictors_;
  const std::vector<study::KnownPredictor> predictors =
      on_predictors ? predictors_->selected() : std::vector<study::KnownPredictor>();
  open_predictor_->setEnabled(predictors.size() == 1);
  export_predictor_->setEnabled(predictors.size() == 1 && predictors.front().description);
  import_predictor_->setEnabled(on_predictors);
  delete_predictor_->setEnabled(!predictors.empty() && std::ranges::all_of(predictors, can_delete));
}

void LibraryView::showEvent(QShowEvent* event) {
  View::showEvent(event);
  update_actions();
}

void LibraryView::hideEvent(QHideEvent* event) {
  View::hideEvent(event);
  update_actions();
}

void LibraryView::focus_filter() {
  if (tabs_->currentWidget() == kernels_) {
    kernels_->focus_search();
  } else if (tabs_->currentWidget() == studies_) {
    studies_->focus_search();
  } else if (tabs_->currentWidget() == predictors_) {
    predictors_->focus_search();
  } else {
    sessions_->focus_search();
  }
}

void LibraryView::export_current() {
  if (export_kernels_->isEnabled()) {
    export_kernels();
  } else if (export_->isEnabled()) {
    export_session();
  } else if (export_predictor_->isEnabled()) {
    predictors_->export_selected();
  } else {
    emit export_requested();
  }
}

void LibraryView::open(store::SessionId id, const QString& view_name) {
  kernel_session_.reset();
  workspace().open_session(id);
  emit view_requested(view_name);
}

void LibraryView::open_kernel(const session::LibraryKernel& kernel) {
  const workspace::Source& source = workspace().source();
  if (source && source->id() == kernel.session) {
    workspace().set_current_row(row_of_trial(*source, kernel.trial));
  } else {
    kernel_trial_ = kernel.trial;
    workspace().open_session(kernel.session);
    kernel_session_ = kernel.session;
  }
  emit view_requested(QStringLiteral("Tune"));
}

void LibraryView::duplicate_selected() {
  const store::SessionId id = sessions_->selected().front().summary.record.id;
  duplicate_job_.start([database = workspace().database(),
                        id](const workspace::JobControl&) { return read_request(database, id); },
                       [this](const Result<session::TuningRequest>& request) {
                         if (!request) {
                           workspace().notices().fail(request.error());
                           return;
                         }
                         emit run_requested(*request);
                         emit view_requested(QStringLiteral("Tune"));
                       });
}

void LibraryView::resume_selected() {
  const std::vector<workspace::SessionEntry> sessions = sessions_->selected();
  if (can_raise_budget(sessions.front())) {
    auto* dialog = new ResumeDialog(workspace(), finished_session(sessions.front()), this);
    connect(dialog, &ResumeDialog::resumed, this,
            [this](store::SessionId id) { open(id, QStringLiteral("Tune")); });
    return dialog->show();
  }
  const std::vector<workspace::RunView> runs = workspace().queue().runs();
  store::SessionId last = 0;
  for (const workspace::SessionEntry& session : sessions) {
    last = session.summary.record.id;
    const bool queued = std::ranges::any_of(runs, [&](const workspace::RunView& run) {
      return run.session == last && !workspace::has_ended(run.state);
    });
    if (!queued) workspace().queue().resume(last);
  }
  open(last, QStringLiteral("Tune"));
}

void LibraryView::export_session() {
  workspace().open_session(sessions_->selected().front().summary.record.id);
  emit export_requested();
}

void LibraryView::export_kernels() {
  std::vector<KernelChoice> choices;
  for (const session::LibraryKernel& kernel : kernels_->selected())
    choices.push_back({kernel.session, kernel.trial, kernel.task.name});
  auto* dialog = new ExportDialog(workspace(), this);
  dialog->set_kernels(std::move(choices));
  dialog->show();
}

}  // namespace kernelscape::views
