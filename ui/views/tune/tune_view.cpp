#include "ui/views/tune/tune_view.h"

#include <QAction>
#include <QClipboard>
#include <QDockWidget>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QStyle>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>

#include "core/project/kernel_project.h"
#include "core/session/report.h"
#include "ui/figures/headline.h"
#include "ui/style/icons.h"
#include "ui/views/project/source_and_space.h"
#include "ui/views/runs/headline_bar.h"
#include "ui/views/trials/filter_bar.h"
#include "ui/views/trials/trial_detail_pane.h"
#include "ui/views/trials/trial_table_panel.h"
#include "ui/views/trials/trial_table_view.h"
#include "ui/views/tune/live_charts.h"
#include "ui/views/tune/project_opener.h"
#include "ui/views/tune/run_controls.h"
#include "ui/views/tune/run_starter.h"
#include "ui/views/tune/setup_form.h"
#include "ui/workspace/database_option.h"

namespace kernelscape::views {
namespace {

constexpr int layout_version = 2;
constexpr QSize roomy_size(900, 660);  // for the charts with the set-up beside them and the trials below
constexpr int headline_interval_milliseconds = 500;  // at most two updates per second

/**
 * Returns a notice about pinned sessions of the shown task whose shares of the vendor are not comparable with
 * the shown session's.
 */
QString pinned_vendor_notice(const workspace::Workspace& workspace) {
  std::vector<workspace::Source> sources{workspace.source()};
  for (const workspace::Source& pinned : workspace.pinned_sources())
    if (pinned->id() != sources.front()->id() &&
        pinned->record().task_json == sources.front()->record().task_json)
      sources.push_back(pinned);
  return figures::vendor_difference_text(sources);
}

}  // namespace

TuneView::TuneView(ViewContext context, workspace::Remeasure remeasure)
    : View(context, tr("Tune"), QStringLiteral("tune"), layout_version) {
  form_ = new SetupForm(workspace(), this);
  charts_ = new LiveCharts(workspace(), this);
  table_ = new TrialTablePanel(workspace(), this);
  details_ = new TrialDetailPane(workspace(), this);
  starter_ = new RunStarter(workspace(), *form_, *this);
  opener_ = new ProjectOpener(workspace(), *form_, this);
  make_actions(std::move(remeasure));
  make_center();
  make_docks();
  connect_form();
  connect_trials();
  connect_workspace();
  show_headline();
}

void TuneView::make_center() {
  auto* center = new QWidget(this);
  auto* column = new QVBoxLayout(center);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  make_headline_row(*column);
  column->addWidget(charts_, 1);
  set_content(center);
}

void TuneView::make_docks() {
  setup_dock_ = add_dock(tr("Set-up"), form_, Qt::LeftDockWidgetArea, {288, 600});
  project_ = new SourceAndSpace(this);
  project_->setMinimumSize(280, 140);
  project_dock_ = add_dock(tr("Source and space"), project_, Qt::LeftDockWidgetArea, {560, 600});
  splitDockWidget(setup_dock_, project_dock_, Qt::Horizontal);
  project_dock_->hide();
  // A window of 1280 x 800 fits everything; contents that do not fit scroll or are elided.
  table_->setMinimumSize(240, 140);
  details_->setMinimumSize(240, 140);
  trials_dock_ = add_dock(tr("Trials"), table_, Qt::BottomDockWidgetArea, {520, 288});
  trial_dock_ = add_dock(tr("Trial"), details_, Qt::BottomDockWidgetArea, {400, 288});
  setCorner(Qt::BottomLeftCorner, Qt::LeftDockWidgetArea);
  set_roomy_size(roomy_size);
  remember_default_layout();
  for (const QDockWidget* dock : {setup_dock_, project_dock_, trials_dock_, trial_dock_}) {
    for (const auto signal : {&QDockWidget::visibilityChanged, &QDockWidget::topLevelChanged})
      connect(dock, signal, this, &TuneView::fit_charts, Qt::QueuedConnection);
    connect(dock, &QDockWidget::dockLocationChanged, this, &TuneView::fit_charts, Qt::QueuedConnection);
  }
  connect(charts_, &LiveCharts::needs_changed, this, &TuneView::fit_charts);
}

void TuneView::connect_form() {
  connect(form_, &SetupForm::start_requested, starter_, &RunStarter::start);
  connect(form_, &SetupForm::copy_requested, this, &TuneView::copy_command_line);
  connect(form_, &SetupForm::changed, this, &TuneView::follow_form);
  connect(form_, &SetupForm::manual_requested, this, &View::manual_requested);
  connect(form_, &SetupForm::project_requested, this, [this] { show_dock(*project_dock_); });
  connect(starter_, &RunStarter::refused, this, &TuneView::new_run);
  connect(starter_, &RunStarter::notified, this, &View::notified);
  connect(opener_, &ProjectOpener::opened, this, [this] {
    if (!folded()) show_dock(*project_dock_);
    new_run();
  });
}

void TuneView::connect_trials() {
  connect(charts_, &LiveCharts::notified, this, &View::notified);
  connect(table_, &TrialTablePanel::notified, this, &View::notified);
  connect(details_, &TrialDetailPane::notified, this, &View::notified);
  connect(details_, &TrialDetailPane::height_wanted, this,
          [this](int more) { lend_height(*trial_dock_, more); });
  connect(details_, &TrialDetailPane::height_released, this, [this] { return_height(); });
  connect(table_, &TrialTablePanel::measure_requested, controls_, &RunControls::measure_trial);
  connect(controls_, &RunControls::notified, this, &View::notified);
}

void TuneView::connect_workspace() {
  connect(&workspace(), &workspace::Workspace::source_changed, this, &TuneView::show_headline);
  connect(&workspace(), &workspace::Workspace::source_updated, this, &TuneView::show_headline);
  connect(&workspace(), &workspace::Workspace::pinned_changed, this, &TuneView::show_headline);
  connect(&workspace().queue(), &workspace::RunQueue::session_started, this, &TuneView::follow_run);
  connect(&workspace().queue(), &workspace::RunQueue::run_ended, this, &TuneView::show_headline);
  connect(&workspace().queue(), &workspace::RunQueue::changed, this, [this] {
    if (!headline_timer_.isActive()) headline_timer_.start();
  });
  headline_timer_.setSingleShot(true);
  headline_timer_.setInterval(headline_interval_milliseconds);
  connect(&headline_timer_, &QTimer::timeout, this, &TuneView::show_headline);
}

void TuneView::open_project(const QString& path) { opener_->open(path); }

void TuneView::make_actions(workspace::Remeasure remeasure) {
  new_action_ = actions().add({.id = "run.new",
                               .text = tr("New run"),
                               .menu = tr("Run"),
                               .shortcut = QKeySequence(Qt::CTRL | Qt::Key_N),
                               .icon = "tune",
                               .help = tr("Show the set-up and choose a task")},
                              [this] { new_run(); });
  actions().add({.id = "run.start",
                 .text = tr("Start"),
                 .menu = tr("Run"),
                 .shortcut = QKeySequence(Qt::CTRL | Qt::Key_Return),
                 .icon = "start",
                 .help = tr("Start the set-up's session, or queue it behind the running ones")},
                [this] { starter_->start(); });
  controls_ = new RunControls(workspace(), actions(), std::move(remeasure), *this);
  actions().add({.id = "run.copy-command",
                 .text = tr("Copy as command line"),
                 .menu = tr("Run"),
                 .icon = "copy",
                 .help = tr("Copy the set-up as an equivalent command")},
                [this] { copy_command_line(); });
  actions().add({.id = "tools.compare-kernels",
                 .text = tr("Compare two kernels"),
                 .menu = tr("Tools"),
                 .shortcut = QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_K),
                 .help = tr("Show the two selected trials side by side, else the current one and the best")},
                [this] { table_->view().compare_chosen(); });
}

void TuneView::make_headline_row(QVBoxLayout& column) {
  auto* row = new QHBoxLayout;
  row->setContentsMargins(0, 0, 8, 0);
  row->setSpacing(4);
  headline_ = new HeadlineBar(this);
  row->addWidget(headline_, 1);
  const auto make_button = [&](QAction* action) {
    auto* button = new QToolButton(this);
    button->setDefaultAction(action);
    button->setAutoRaise(true);
    button->setAccessibleName(action->text());
    row->addWidget(button, 0, Qt::AlignTop);
    return button;
  };
  // Also while the set-up is folded, so that the next step is visible.
  make_button(new_action_)->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  for (QAction* action : {controls_->pause_action(), controls_->stop_action(), controls_->resume_action()})
    make_button(action);
  column.addLayout(row);
}

void TuneView::new_run() {
  emit view_requested(name());
  // If docks are tabs of one place, the form's tab is raised.
  if (form_->check().project != nullptr) show_dock(*project_dock_);
  show_setup(true);
  form_->focus_task();
}

void TuneView::prepare_run(const session::TuningRequest& request) {
  form_->set_request(request);
  new_run();
}

void TuneView::tune_on(const std::string& target) {
  session::TuningRequest request = form_->request();
  request.target = target;
  request.architecture.clear();
  request.measuring.build_only = false;
  prepare_run(request);
}

void TuneView::focus_filter() {
  show_dock(*trials_dock_);
  table_->filter_bar().focus_entry();
}

void TuneView::show_setup(bool shown) {
  if (shown) {
    show_dock(*setup_dock_);
  } else {
    setup_dock_->hide();
  }
}

void TuneView::resizeEvent(QResizeEvent* event) {
  View::resizeEvent(event);
  fit_charts();
}

/** Shows all charts as long as the docks can make room by shrinking to their minimum sizes. */
void TuneView::fit_charts() {
  const int separator = style()->pixelMetric(QStyle::PM_DockWidgetSeparatorExtent, nullptr, this);
  QSize docks;
  for (QDockWidget* dock : {setup_dock_, project_dock_, trials_dock_, trial_dock_}) {
    if (dock->isHidden() || dock->isFloating()) continue;
    const Qt::DockWidgetArea area = dockWidgetArea(dock);
    const QSize least =
        dock->minimumSizeHint().expandedTo({0, lent_height(*dock)}) + QSize(separator, separator);
    if (area == Qt::TopDockWidgetArea || area == Qt::BottomDockWidgetArea) {
      docks.setHeight(std::max(docks.height(), least.height()));
    } else if (tabifiedDockWidgets(dock).isEmpty()) {
      docks.rwidth() += least.width();  // the set-up, and beside it source and space
    } else {
      docks.setWidth(std::max(docks.width(), least.width()));
    }
  }
  QSize room = size() - docks.expandedTo({0, 0});
  room.rheight() -= headline_->layout()->totalMinimumHeightForWidth(room.width());
  const QSize needed = charts_->needed_size();
  charts_->set_compact(needed.width() > room.width() || needed.height() > room.height());
}

/** Shows a run of this window when it starts, and folds its set-up. */
void TuneView::follow_run(workspace::RunId, store::SessionId session) {
  const workspace::Source& shown = workspace().source();
  if (shown && shown->running() && shown->id() != session) return;
  workspace().open_session(session);
  hide_project();  // the trial's source replaces it
  show_setup(false);
}

std::optional<workspace::RunView> TuneView::current_run() {
  const std::optional<store::SessionId> opened = workspace().opened();
  if (!opened) return std::nullopt;
  std::optional<workspace::RunView> found;
  for (workspace::RunView& run : workspace().queue().runs()) {
    if (run.session == opened) found = std::move(run);
  }
  return found;
}

/** Hides source and space if the form has another task. */
void TuneView::follow_form() {
  const FormCheck& check = form_->check();
  const bool had_one = project_->shows_project();
  project_->show_project(check.project, check.project_hash);
  if (check.project == nullptr && form_->checked() && check.task) return hide_project();
  // If the user closed the dock and continues typing, it stays closed.
  if (check.project != nullptr && !had_one && !folded() && setup_dock_->isVisible())
    show_dock(*project_dock_);
}

/**
 * Hides the project dock without changing the width of the set-up, which would otherwise take the width of
 * both.
 */
void TuneView::hide_project() {
  if (project_dock_->isHidden()) return;
  const int width = setup_dock_->width();
  const bool beside = setup_dock_->isVisible() && project_dock_->isVisible() && !folded();
  project_dock_->hide();
  if (beside) resizeDocks({setup_dock_}, {width}, Qt::Horizontal);
}

void TuneView::copy_command_line() {
  QGuiApplication::clipboard()->setText(QString::fromStdString(
      session::command_line_of(form_->request()) + workspace::database_option(workspace().database())));
  emit notified(tr("The command line was copied."));
}

void TuneView::show_headline() {
  const workspace::Source& source = workspace().source();
  if (source) {
    figures::HeadlineText text = figures::headline_text(*source, current_run());
    const QString notice = pinned_vendor_notice(workspace());
    if (!notice.isEmpty()) figures::add_warning(text, notice);
    headline_->show_text(text);
  } else {
    headline_->show_hint(workspace().opened() ? tr("Reading the session…") : tr("No session is shown"));
  }
  controls_->update();
}

}  // namespace kernelscape::views
