#include "ui/frame/main_window.h"

#include <QApplication>
#include <QCloseEvent>
#include <QDesktopServices>
#include <QDockWidget>
#include <QDragEnterEvent>
#include <QHBoxLayout>
#include <QMenuBar>
#include <QMimeData>
#include <QPushButton>
#include <QScreen>
#include <QStatusBar>
#include <QUrl>
#include <QVBoxLayout>
#include <algorithm>

#include "core/study/execution.h"
#include "ui/figures/predictor_figures.h"
#include "ui/frame/desktop_services.h"
#include "ui/frame/file_opener.h"
#include "ui/frame/first_start.h"
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
#include "ui/frame/run_follower.h"
#include "ui/frame/sessions/report_requests.h"
#include "ui/frame/sessions/session_dock.h"
#include "ui/frame/sessions/session_folding.h"
#include "ui/frame/status_line.h"
#include "ui/frame/table_questions.h"
#include "ui/frame/view_stack.h"
#include "ui/frame/window_actions.h"
#include "ui/frame/window_dialogs.h"
#include "ui/frame/window_shutdown.h"
#include "ui/manual/glossary.h"
#include "ui/manual/page.h"
#include "ui/models/predictor_text.h"
#include "ui/style/icons.h"
#include "ui/style/plain_texts.h"
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
      state_(workspace, preferences),
      shortcut_keeper_(new ShortcutKeeper(actions_, preferences, this)),
      palette_source_(new PaletteSource(workspace, actions_, sessions_, this)),
      shutdown_(
          new WindowShutdown(workspace, *this, [this] { state_.save(*this, *session_folding_, *stack_); })),
      dialogs_(new WindowDialogs(workspace, preferences, actions_, *this)),
      imports_(new workspace::FileImport(workspace, this)),
      files_(new FileOpener(workspace, *imports_, *this)),
      reports_(new ReportRequests(workspace, *this)),
      runs_(new RunFollower(workspace, *this)) {
  style::keep_texts_plain(*qApp);
  qApp->installEventFilter(new manual::HeaderExplainer(this));
  setWindowTitle(window_title(workspace_.database()));
  setWindowIcon(style::application_icon());
  setAcceptDrops(true);
  make_central();
  make_docks();
  make_actions();
  new Appearance(preferences_, actions_, this);
  new Menus(actions_, *menuBar());
  make_menu_corner();
  connect_sessions();
  connect_session_menu();
  connect_palette();
  connect_notices();
  connect_first_start();
  connect_files();
  connect(shutdown_, &WindowShutdown::left_for, this, &MainWindow::left);
  resize(usual_window_size.boundedTo(screen()->availableSize() - window_decoration));
  state_.restore_layout(*this);
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
  area->add(*new InterruptionBar(workspace_, sessions_, state_.take_paused_sessions(), central));
  area->add(*new DeletionBar(sessions_, central));
  area->add(*notices);
  stack_ = new ViewStack({workspace_, actions_}, preferences_, central);
  connect(stack_, &ViewStack::view_made, this, &MainWindow::meet_view);
  first_start_ = new FirstStart(workspace_, preferences_, *imports_, *runs_, *stack_, this);
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

void MainWindow::make_actions() {
  navigation_ = new NavigationBar(this);
  addToolBar(Qt::LeftToolBarArea, navigation_);
  new WindowActions(*this, {.workspace = workspace_,
                            .preferences = preferences_,
                            .files = *files_,
                            .dialogs = *dialogs_,
                            .reports = *reports_,
                            .navigation = *navigation_,
                            .sessions = *session_dock_,
                            .log = *log_dock_});
  shortcut_keeper_->apply();
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

void MainWindow::connect_sessions() {
  connect(&sessions_, &SessionActions::opened, this, &MainWindow::show_current_session);
  connect(&sessions_, &SessionActions::run_requested, this, &MainWindow::prepare_run);
  connect(&workspace_, &workspace::Workspace::sessions_changed, this, &MainWindow::receive_first_list);
}

void MainWindow::connect_palette() {
  connect(palette_source_, &PaletteSource::task_requested, this, [this](const QString& task) {
    session::TuningRequest request;
    request.task = task.toStdString();
    prepare_run(request);
  });
  connect(palette_source_, &PaletteSource::network_requested, this, &MainWindow::open_network_file);
}

void MainWindow::connect_notices() {
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
}

void MainWindow::connect_first_start() {
  connect(first_start_, &FirstStart::opened, this, [this] { navigation_->set_current(nullptr); });
  connect(first_start_, &FirstStart::dismissed, this,
          [this] { show_view(view_registrations().front().name); });
  const FirstStartPage* page = &first_start_->page();
  connect(page, &FirstStartPage::project_requested, files_, &FileOpener::ask_for_new_project);
  connect(page, &FirstStartPage::network_requested, this, &MainWindow::ask_for_network);
  connect(page, &FirstStartPage::open_requested, files_, &FileOpener::ask_for_files);
}

void MainWindow::connect_files() {
  connect(files_, &FileOpener::database_chosen, this, &MainWindow::open_database);
  connect(files_, &FileOpener::project_chosen, this, &MainWindow::open_project_file);
  connect(files_, &FileOpener::network_chosen, this, &MainWindow::open_network_file);
  connect(imports_, &workspace::FileImport::imported, this, &MainWindow::show_imported);
  connect(imports_, &workspace::FileImport::predictor_imported, this, &MainWindow::show_predictor);
  new TableQuestions(*imports_, this);
}

/** Connects the actions that the session list offers for sessions that need not be open. */
void MainWindow::connect_session_menu() {
  connect(&sessions_, &SessionActions::export_requested, this, [this](store::SessionId id) {
    workspace_.open_session(id);
    dialogs_->show_export();
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
          [this](const QString& page) { dialogs_->show_manual(manual::resolve_link({}, page)); });
  connect(view, &views::View::export_requested, dialogs_, &WindowDialogs::show_export);
  connect(view, &views::View::report_requested, this, [this](store::StudyId id) {
    reports_->ask({.study = id, .sessions = {}, .name = tr("study %1").arg(id)});
  });
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
  state_.restore_view(*view);
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
  first_start_->leave();
  stack_->setCurrentWidget(view);
  navigation_->set_current(actions_.find(QStringLiteral("go.") + name));
  preferences_.change([&](Preferences& p) { p.view = name; });
}

void MainWindow::prepare_run(session::TuningRequest request) {
  show_view(QStringLiteral("Tune"));
  if (request.measuring.threads == 0) request.measuring.threads = preferences_.get().threads;
  if (views::View* view = current_view()) fill_request(*view, request);
}

void MainWindow::show_first_start() { first_start_->show(); }

bool MainWindow::shows_first_start() const { return first_start_->shown(); }

/** Only the first list of sessions counts: if the list becomes empty later, this is not a first start. */
void MainWindow::receive_first_list() {
  if (std::exchange(list_seen_, true)) return;
  state_.remember_database();
  state_.open_last_session();
  first_start_->offer();
}

/** Shows an opened session in Tune if the current view does not show sessions. */
void MainWindow::show_current_session() {
  const views::View* view = current_view();
  const bool shows_none = view == nullptr || view->name() == QStringLiteral("Library") ||
                          view->name() == QStringLiteral("Learn") ||
                          view->name() == QStringLiteral("Network") ||
                          view->name() == QStringLiteral("Fleet");
  if (shows_none) show_view(QStringLiteral("Tune"));
}

void MainWindow::open_palette() {
  palette_->open_with(palette_source_->commands(offered_networks(*stack_->view(QStringLiteral("Network")))));
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

/** Recorded spaces are shown in Explore; the log of one tuner is shown from its beginning. */
void MainWindow::show_imported(const std::vector<exchange::ImportedSession>& sessions) {
  const exchange::ImportedSession& first = sessions.front();
  workspace_.open_session(first.session);
  show_view(first.kind == store::SessionKind::Recorded ? QStringLiteral("Explore") : QStringLiteral("Tune"));
  const bool promised = first_start_->take_knobs_promise();
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
  files_->take(paths);
}

CloseGuard& MainWindow::guard() { return shutdown_->guard(); }

void MainWindow::open_database(const QString& database) { shutdown_->open_database(database); }

void MainWindow::leave_for(const QString& database) { shutdown_->leave_for(database); }

void MainWindow::leave_pausing() { shutdown_->leave_pausing(); }

void MainWindow::closeEvent(QCloseEvent* event) {
  if (shutdown_->left()) return event->accept();
  event->ignore();
  shutdown_->quit();
}

}  // namespace kernelscape::frame
