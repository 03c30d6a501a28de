#include "ui/frame/main_window.h"

#include <QApplication>
#include <QDesktopServices>
#include <QDockWidget>
#include <QDragEnterEvent>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QMenuBar>
#include <QMimeData>
#include <QPushButton>
#include <QScreen>
#include <QStatusBar>
#include <QUrl>
#include <QVBoxLayout>
#include <algorithm>

#include "core/base/read_file.h"
#include "core/study/execution.h"
#include "core/task/data_folder.h"
#include "ui/figures/predictor_figures.h"
#include "ui/frame/desktop_services.h"
#include "ui/frame/first_start_page.h"
#include "ui/frame/menus.h"
#include "ui/frame/navigation_bar.h"
#include "ui/frame/notices/deletion_bar.h"
#include "ui/frame/notices/interruption_bar.h"
#include "ui/frame/notices/log_view.h"
#include "ui/frame/notices/notice_area.h"
#include "ui/frame/notices/notice_bar.h"
#include "ui/frame/notices/run_notices.h"
#include "ui/frame/palette/command_palette.h"
#include "ui/frame/palette/palette_source.h"
#include "ui/frame/palette/shortcut_keeper.h"
#include "ui/frame/preferences/appearance.h"
#include "ui/frame/recent_databases.h"
#include "ui/frame/sessions/report_requests.h"
#include "ui/frame/sessions/session_dock.h"
#include "ui/frame/sessions/session_folding.h"
#include "ui/frame/status_line.h"
#include "ui/frame/table_questions.h"
#include "ui/frame/view_stack.h"
#include "ui/manual/glossary.h"
#include "ui/manual/page.h"
#include "ui/models/predictor_text.h"
#include "ui/style/icons.h"
#include "ui/style/plain_texts.h"
#include "ui/views/project/trust_dialog.h"
#include "ui/workspace/devices.h"
#include "ui/workspace/notices.h"
#include "ui/workspace/study_watch.h"

namespace kernelscape::frame {
namespace {

constexpr QSize usual_window_size(1440, 900);
constexpr QSize window_decoration(16, 48);  ///< maximum size of the title bar and borders that a window
                                            ///< manager adds
constexpr QSize smallest_view(480, 320);
constexpr int session_dock_width = 264;
constexpr double minute_budget = 1;

/** Returns the path of the built-in recorded space that the first start page offers to explore. */
std::filesystem::path bundled_recording() {
  return task::data_folder() / "recorded/resnet18-C12-conv2d-packed.ksrec";
}

/** Returns the window title, with the name of the database unless it is the user's default database. */
QString window_title(const std::filesystem::path& database) {
  QString program = MainWindow::tr("Kernelscape");
  if (database == store::Store::default_path()) return program;
  return QStringLiteral("%1 \u2014 %2").arg(QString::fromStdString(database.filename().string()), program);
}

}  // namespace

MainWindow::MainWindow(workspace::Workspace& workspace, PreferencesFile& preferences)
    : workspace_(workspace),
      preferences_(preferences),
      sessions_(workspace),
      shortcut_keeper_(new ShortcutKeeper(actions_, preferences, this)),
      palette_source_(new PaletteSource(workspace, actions_, sessions_, this)),
      guard_(new CloseGuard(workspace, this)),
      imports_(new workspace::FileImport(workspace, this)),
      reports_(new ReportRequests(workspace, *this)) {
  style::keep_texts_plain(*qApp);
  qApp->installEventFilter(new manual::HeaderExplainer(this));
  setWindowTitle(window_title(workspace_.database()));
  setWindowIcon(style::application_icon());
  setAcceptDrops(true);
  make_central();
  make_docks();
  navigation_ = new NavigationBar(this);
  addToolBar(Qt::LeftToolBarArea, navigation_);
  add_actions();
  new Appearance(preferences_, actions_, this);
  new Menus(actions_, *menuBar());
  make_menu_corner();
  connect_runs();
  resize(usual_window_size.boundedTo(screen()->availableSize() - window_decoration));
  restore_layout();
  palette_ = new CommandPalette(this);
  const QString first = view_registrations().front().name;
  const QString last = preferences_.get().view;
  show_view(stack_->view(last) != nullptr ? last : first);
  // The form must accept input, even if its set-up section was collapsed while the last run was active.
  QAction* new_run = actions_.find(QStringLiteral("run.new"));
  if (new_run != nullptr && current_view()->name() == first) new_run->trigger();
}

MainWindow::~MainWindow() { delete stack_; }

void MainWindow::make_central() {
  auto* central = new QWidget(this);
  auto* column = new QVBoxLayout(central);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  auto* notices = new NoticeBar(workspace_.notices(), central);
  connect(notices, &NoticeBar::log_requested, this, [this] { log_dock_->show(); });
  connect(notices, &NoticeBar::open_requested, this,
          [](const QString& path) { QDesktopServices::openUrl(QUrl::fromLocalFile(path)); });
  auto* area = new NoticeArea(central);
  area->add(*new InterruptionBar(workspace_, sessions_, take_paused_sessions(), central));
  area->add(*new DeletionBar(sessions_, central));
  area->add(*notices);
  stack_ = new ViewStack({workspace_, actions_}, preferences_, central);
  connect(stack_, &ViewStack::view_made, this, &MainWindow::meet_view);
  first_start_ = new FirstStartPage(stack_);
  stack_->addWidget(first_start_);
  // Views report their preferred size; on a small screen they get the available size.
  stack_->setMinimumSize(smallest_view);
  column->addWidget(stack_, 1);
  setCentralWidget(central);

  auto* status = new StatusLine(workspace_, this);
  connect(status, &StatusLine::session_requested, &sessions_, &SessionActions::open);
  connect(status, &StatusLine::study_requested, this, &MainWindow::show_study);
  statusBar()->addWidget(status, 1);
  statusBar()->setSizeGripEnabled(false);
}

void MainWindow::make_docks() {
  session_dock_ = new SessionDock(workspace_, sessions_, this);
  addDockWidget(Qt::RightDockWidgetArea, session_dock_);
  resizeDocks({session_dock_}, {session_dock_width}, Qt::Horizontal);
  session_folding_ = new SessionFolding(*this, *session_dock_);
  log_dock_ = new QDockWidget(tr("Log"), this);
  log_dock_->setObjectName(QStringLiteral("log"));
  log_dock_->setAccessibleName(tr("Log"));
  log_dock_->setWidget(new LogView(workspace_.notices(), log_dock_));
  addDockWidget(Qt::BottomDockWidgetArea, log_dock_);
  log_dock_->hide();
}

void MainWindow::make_menu_corner() {
  auto* corner = new QWidget(this);
  auto* row = new QHBoxLayout(corner);
  row->setContentsMargins(8, 4, 8, 4);
  auto* search =
      new QPushButton(style::icon(QStringLiteral("search")), tr("Search or command   Ctrl+K"), corner);
  search->setAccessibleName(tr("Search or command"));
  search->setFocusPolicy(Qt::TabFocus);
  connect(search, &QPushButton::clicked, this, &MainWindow::open_palette);
  const auto show_shortcut = [this, search] {
    const QAction* action = actions_.find(QStringLiteral("tools.commands"));
    search->setText(tr("Search or command   %1").arg(action->shortcut().toString(QKeySequence::NativeText)));
  };
  connect(&actions_, &views::ActionRegistry::shortcuts_changed, search, show_shortcut);
  row->addWidget(search);
  menuBar()->setCornerWidget(corner);
}

void MainWindow::connect_runs() {
  connect(&sessions_, &SessionActions::opened, this, [this] {
    const views::View* view = current_view();
    // An opened session is shown in Tune if the current view does not show sessions.
    const bool shows_none = view == nullptr || view->name() == QStringLiteral("Library") ||
                            view->name() == QStringLiteral("Learn") ||
                            view->name() == QStringLiteral("Network") ||
                            view->name() == QStringLiteral("Fleet");
    if (shows_none) show_view(QStringLiteral("Tune"));
  });
  connect(&sessions_, &SessionActions::run_requested, this, &MainWindow::prepare_run);
  connect_session_menu();
  connect(palette_source_, &PaletteSource::task_requested, this, [this](const QString& task) {
    session::TuningRequest request;
    request.task = task.toStdString();
    prepare_run(request);
  });
  connect(palette_source_, &PaletteSource::network_requested, this, &MainWindow::open_network_file);
  connect(&workspace_.queue(), &workspace::RunQueue::session_started, this,
          [this](workspace::RunId run, store::SessionId session) {
            if (followed_runs_.erase(run) > 0) workspace_.open_session(session);
          });
  auto* desktop = new DesktopServices(this);
  auto* notices = new RunNotices(workspace_, this);
  connect(notices, &RunNotices::run_finished, this,
          [this, desktop](const QString& title, const QString& text) {
            if (preferences_.get().notifications) desktop->notify(title, text);
          });
  connect(&workspace_.queue(), &workspace::RunQueue::changed, desktop,
          [this, desktop] { desktop->keep_awake(!workspace_.queue().idle()); });
  connect(&preferences_, &PreferencesFile::failed, this,
          [this](const Error& error) { workspace_.notices().fail(error); });
  connect(first_start_, &FirstStartPage::tune_requested, this, &MainWindow::start_first_run);
  connect(first_start_, &FirstStartPage::project_requested, this, &MainWindow::ask_for_new_project);
  connect(&workspace_.queue(), &workspace::RunQueue::run_ended, this, &MainWindow::ask_for_run_trust);
  connect(first_start_, &FirstStartPage::explore_requested, this, &MainWindow::explore_bundled);
  connect(first_start_, &FirstStartPage::network_requested, this, &MainWindow::ask_for_network);
  connect(first_start_, &FirstStartPage::open_requested, this, &MainWindow::ask_for_files);
  connect(imports_, &workspace::FileImport::imported, this, &MainWindow::show_imported);
  connect(imports_, &workspace::FileImport::predictor_imported, this, &MainWindow::show_predictor);
  new TableQuestions(*imports_, this);
  connect(first_start_, &FirstStartPage::dismissed, this, &MainWindow::dismiss_first_start);
  connect(&workspace_, &workspace::Workspace::sessions_changed, this, &MainWindow::offer_first_start);
}

/** Connects the actions that the session list offers for sessions that need not be open. */
void MainWindow::connect_session_menu() {
  connect(&sessions_, &SessionActions::export_requested, this, [this](store::SessionId id) {
    workspace_.open_session(id);
    export_current();
  });
  connect(&sessions_, &SessionActions::report_requested, this,
          [this](store::SessionId id, const QString& title) {
            reports_->ask({.study = std::nullopt, .sessions = {id}, .name = title});
          });
  connect(&sessions_, &SessionActions::comparison_requested, this, [this](store::SessionId id) {
    std::set<store::SessionId> compared = workspace_.pinned();
    compared.insert(id);
    if (workspace_.opened()) compared.insert(*workspace_.opened());
    show_view(QStringLiteral("Compare"));  // The view is created first, so that it receives the signal.
    workspace_.compare(
        workspace::CompareSource{.study = std::nullopt, .sessions = {compared.begin(), compared.end()}});
  });
}

void MainWindow::meet_view(views::View* view) {
  connect(view, &views::View::view_requested, this, &MainWindow::show_view);
  connect(view, &views::View::run_requested, this, &MainWindow::prepare_run);
  connect(view, &views::View::target_requested, this, [this](const QString& target) {
    show_view(QStringLiteral("Tune"));
    if (views::View* tune = current_view()) choose_target(*tune, target);
  });
  connect(view, &views::View::manual_requested, this,
          [this](const QString& page) { show_manual({page, {}}); });
  connect(view, &views::View::export_requested, this, &MainWindow::export_current);
  connect(view, &views::View::report_requested, this, &MainWindow::report_study);
  connect(view, &views::View::predictors_report_requested, this,
          [this](const std::shared_ptr<const figures::ShownPredictors>& predictors) {
            reports_->ask({.study = std::nullopt,
                           .sessions = {},
                           .predictors = predictors,
                           .name = models::predictor_title(predictors->predictors.front())});
          });
  connect(view, &views::View::notified, this,
          [this](const QString& text) { workspace_.notices().inform(text); });
  shortcut_keeper_->apply();
  fill_kept_form(*view, preferences_.get().form);
  show_whole_axis(*view, preferences_.get().whole_speed_axis);
  offer_networks(*view, preferences_.get().recent_networks);
  offer_fleet(*view, preferences_.get().fleet_address, preferences_.get().fleet_password_file);
  if (preferences_.get().threads > 0) prefer_threads(*view, preferences_.get().threads);
}

/** Work that takes longer is done after the window is visible and accepts input. */
void MainWindow::paintEvent(QPaintEvent* event) {
  QMainWindow::paintEvent(event);
  if (!std::exchange(painted_, true))
    QMetaObject::invokeMethod(this, &MainWindow::finish_start, Qt::QueuedConnection);
}

void MainWindow::finish_start() {
  // Creates one view at a time, so that user input is handled in between.
  if (stack_->make_next()) {
    QMetaObject::invokeMethod(this, &MainWindow::finish_start, Qt::QueuedConnection);
  } else {
    palette_source_->load_tasks();
    workspace_.devices().look_once();
  }
}

views::View* MainWindow::current_view() const { return stack_->current_view(); }

void MainWindow::show_view(const QString& name) {
  views::View* view = stack_->view(name);
  if (view == nullptr) return;
  if (std::exchange(greeting_, false))
    preferences_.change([](Preferences& p) { p.first_start_dismissed = true; });
  stack_->setCurrentWidget(view);
  navigation_->set_current(actions_.find(QStringLiteral("go.") + name));
  preferences_.change([&](Preferences& p) { p.view = name; });
}

void MainWindow::prepare_run(session::TuningRequest request) {
  show_view(QStringLiteral("Tune"));
  if (request.measuring.threads == 0) request.measuring.threads = preferences_.get().threads;
  if (views::View* view = current_view()) fill_request(*view, request);
}

void MainWindow::show_first_start() {
  greeting_ = true;
  first_start_->set_can_explore(base::path_exists(bundled_recording()));
  stack_->setCurrentWidget(first_start_);
  navigation_->set_current(nullptr);
  first_start_->setFocus();
}

bool MainWindow::shows_first_start() const { return stack_->currentWidget() == first_start_; }

/** Only the first list of sessions counts: if the list becomes empty later, this is not a first start. */
void MainWindow::offer_first_start() {
  if (std::exchange(list_seen_, true)) return;
  preferences_.change([this](Preferences& p) {
    p.recent_databases = with_recent_database(p.recent_databases, whole_path());
  });
  open_last_session();
  if (preferences_.get().first_start_dismissed) return;
  if (workspace_.sessions()->empty()) show_first_start();
}

void MainWindow::dismiss_first_start() { show_view(view_registrations().front().name); }

void MainWindow::start_first_run() {
  session::TuningRequest request;
  request.task = "resnet18/C6";
  request.budget = {.trials = 0, .minutes = minute_budget};
  request.measuring.threads = preferences_.get().threads;
  followed_runs_.insert(workspace_.queue().start(request));
  dismiss_first_start();
}

void MainWindow::explore_bundled() {
  knobs_promised_ = true;
  imports_->start({QString::fromStdString(bundled_recording().string())});
  dismiss_first_start();
}

void MainWindow::take_files(const QStringList& paths) {
  QStringList imports;
  QStringList databases;
  QStringList projects;
  QStringList networks;
  for (const QString& path : paths)
    (workspace::is_database_file(path)  ? databases
     : workspace::is_network_file(path) ? networks
     : workspace::is_project_file(path) ? projects
                                        : imports)
        .append(path);
  if (!imports.isEmpty()) imports_->start(imports);
  if (!networks.isEmpty()) open_network_file(networks.front());
  if (networks.size() > 1)
    workspace_.notices().warn(
        tr("The form holds one network. %1 was opened. Drop each other network separately.")
            .arg(QFileInfo(networks.front()).fileName()));
  if (!projects.isEmpty()) open_project_file(projects.front());
  if (projects.size() > 1)
    workspace_.notices().warn(
        tr("The form holds one task. %1 was opened. Drop each other project separately.")
            .arg(QFileInfo(projects.front()).fileName()));
  if (databases.isEmpty()) return;
  if (imports.isEmpty() && projects.isEmpty() && networks.isEmpty() && databases.size() == 1)
    return open_database(databases.front());
  workspace_.notices().warn(tr("A database cannot be opened together with other files. Drop %1 separately.")
                                .arg(databases.front()));
}

void MainWindow::open_project_file(const QString& path) {
  show_view(QStringLiteral("Tune"));
  if (views::View* view = current_view()) open_project(*view, path);
}

void MainWindow::open_network_file(const QString& path) {
  show_view(QStringLiteral("Network"));
  if (views::View* view = current_view()) open_network(*view, path);
}

void MainWindow::ask_for_network() {
  show_view(QStringLiteral("Network"));
  actions_.find(QStringLiteral("network.open"))->trigger();
}

/** Shows a study in the view for its purpose. */
void MainWindow::show_study(store::StudyId id) {
  study_job_.start(
      [database = workspace_.database(), id](const workspace::JobControl&) -> Result<study::Purpose> {
        const store::Store store = TRY(store::Store::open(database, store::OpenMode::ReadOnly));
        return study::purpose_of(TRY(store.studies().get(id)).record);
      },
      [this, id](const Result<study::Purpose>& purpose) {
        if (!purpose) return workspace_.notices().fail(purpose.error());
        const bool network = *purpose == study::Purpose::Network;
        // The view is created first, so that it receives the signal.
        show_view(network ? QStringLiteral("Network") : QStringLiteral("Compare"));
        if (network) return workspace_.open_network(id);
        workspace_.compare(workspace::CompareSource{.study = id, .sessions = {}});
      });
}

/** Asks the user to trust the project of a run, whichever list the run was started from. */
void MainWindow::ask_for_run_trust(workspace::RunId id) {
  const std::optional<workspace::RunView> run = workspace_.queue().run(id);
  if (!run || run->untrusted == nullptr) return;
  const bool followed = followed_runs_.erase(id) > 0;
  // Each run has a job of its own: no question replaces another one.
  auto* job = new workspace::JobTracker(this);
  job->start([project = run->untrusted](
                 const workspace::JobControl&) { return views::make_trust_question(project); },
             [this, job, id, followed](views::TrustQuestion question) {
               job->deleteLater();
               views::ask_for_trust(*this, std::move(question), [this, id, followed] {
                 const std::optional<workspace::RunId> again = workspace_.queue().again(id);
                 if (again && followed) followed_runs_.insert(*again);
               });
             });
}

/** Recorded spaces are shown in Explore; the log of one tuner is shown from its beginning. */
void MainWindow::show_imported(const std::vector<exchange::ImportedSession>& sessions) {
  const exchange::ImportedSession& first = sessions.front();
  workspace_.open_session(first.session);
  show_view(first.kind == store::SessionKind::Recorded ? QStringLiteral("Explore") : QStringLiteral("Tune"));
  // The card of the first start page promised to show which knobs determine the speed.
  const bool promised = std::exchange(knobs_promised_, false);
  if (promised && first.kind == store::SessionKind::Recorded)
    actions_.find(QStringLiteral("explore.knobs"))->trigger();
}

void MainWindow::show_predictor(store::PredictorId id) {
  // The view is created first, so that it receives the signal.
  show_view(QStringLiteral("Learn"));
  workspace_.open_predictor(models::stored_predictor_key(id));
}

bool MainWindow::event(QEvent* event) {
  return event->type() == QEvent::StatusTip || QMainWindow::event(event);
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
  const QList<QUrl> urls = event->mimeData()->urls();
  if (!urls.isEmpty() && std::ranges::all_of(urls, &QUrl::isLocalFile)) event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent* event) {
  QStringList paths;
  for (const QUrl& url : event->mimeData()->urls()) paths.append(url.toLocalFile());
  take_files(paths);
}

}  // namespace kernelscape::frame
