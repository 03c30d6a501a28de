#include <QDockWidget>
#include <QFileDialog>
#include <QMessageBox>
#include <QWhatsThis>

#include "core/base/text.h"
#include "core/exchange/importer.h"
#include "core/session/version.h"
#include "ui/files/dialog.h"
#include "ui/frame/devices_dialog.h"
#include "ui/frame/main_window.h"
#include "ui/frame/navigation_bar.h"
#include "ui/frame/palette/command_palette.h"
#include "ui/frame/palette/palette_source.h"
#include "ui/frame/palette/shortcut_keeper.h"
#include "ui/frame/palette/shortcut_overview.h"
#include "ui/frame/preferences/preferences_dialog.h"
#include "ui/frame/sessions/report_requests.h"
#include "ui/frame/sessions/session_dock.h"
#include "ui/frame/view_stack.h"
#include "ui/manual/window.h"
#include "ui/style/icons.h"
#include "ui/views/export/export_dialog.h"
#include "ui/workspace/new_project_files.h"
#include "ui/workspace/notices.h"

namespace kernelscape::frame {
namespace {

QKeySequence keys(const QString& text) { return QKeySequence(text, QKeySequence::PortableText); }

/** Opens a file dialog without blocking. */
QFileDialog* ask_for_file(const QString& title, const QString& filter, QWidget* parent) {
  QFileDialog* dialog = files::make_file_dialog(parent, title, {}, filter);
  dialog->setFileMode(QFileDialog::ExistingFile);
  dialog->open();
  return dialog;
}

/** Returns the patterns of importable files: "*.json *.json.gz ...". */
QString importable_patterns() {
  QStringList patterns;
  for (const std::string& ending : exchange::importable_endings())
    patterns.append(QLatin1Char('*') + QString::fromStdString(ending));
  patterns.append(QStringLiteral("*.kspred"));
  return patterns.join(QLatin1Char(' '));
}

/** Returns the section of the manual on a view. @param view null: the first start page */
manual::Place manual_place_of(const views::View* view) {
  if (view == nullptr) return {QStringLiteral("README.md"), {}};
  return {QStringLiteral("ui/views/README.md"), manual::anchor_of(view->objectName())};
}

}  // namespace

void MainWindow::add_actions() {
  add_file_actions();
  add_view_actions();
  add_help_actions();
  // Actions without a scope apply to the whole window, even while their menu is closed.
  for (const views::ActionRegistry::Entry& entry : actions_.entries()) {
    if (entry.declaration.scope == nullptr) addAction(entry.action);
  }
  connect(&actions_, &views::ActionRegistry::added, this, [this](const QString& id) {
    const views::ActionRegistry::Entry& entry = actions_.entries().back();
    if (entry.declaration.id == id && entry.declaration.scope == nullptr) addAction(entry.action);
  });
  shortcut_keeper_->apply();
}

void MainWindow::add_file_actions() {
  const QString file = QStringLiteral("File");
  actions_.add({.id = QStringLiteral("file.open"),
                .text = tr("Open database..."),
                .menu = file,
                .shortcut = keys(QStringLiteral("Ctrl+O")),
                .help = tr("Shows the sessions of another database.")},
               [this] { ask_for_database(); });
  actions_.add(
      {.id = QStringLiteral("file.open-project"),
       .text = tr("Open a project of your own kernel..."),
       .menu = file,
       .shortcut = keys(QStringLiteral("Ctrl+Shift+O")),
       .icon = QStringLiteral("kernel"),
       .help = tr("Tunes a kernel source in CUDA, OpenCL or C by the macros named in its project file.")},
      [this] { ask_for_project(); });
  actions_.add({.id = QStringLiteral("file.new-project"),
                .text = tr("New project of your own kernel..."),
                .menu = file,
                .icon = QStringLiteral("kernel"),
                .help = tr("Writes a small example project in C into a folder, and opens it.")},
               [this] { ask_for_new_project(); });
  actions_.add({.id = QStringLiteral("file.import"),
                .text = tr("Import..."),
                .menu = file,
                .shortcut = keys(QStringLiteral("Ctrl+I")),
                .help = tr("Imports %1, and predictors.")
                            .arg(QString::fromStdString(base::join(exchange::importable_files(), ", ")))},
               [this] { ask_for_imports(); });
  actions_.add({.id = QStringLiteral("file.export"),
                .text = tr("Export..."),
                .menu = file,
                .shortcut = keys(QStringLiteral("Ctrl+E")),
                .icon = QStringLiteral("export"),
                .help = tr("Exports the best configuration, trials, or the kernel itself.")},
               [this] {
                 if (views::View* view = current_view()) return view->export_current();
                 export_current();
               });
  actions_.add(
      {.id = QStringLiteral("file.report"),
       .text = tr("Report..."),
       .menu = file,
       .shortcut = keys(QStringLiteral("Ctrl+Shift+E")),
       .help = tr("Writes a report of the current session or recorded space as one file: HTML or PDF.")},
      [this] { report_current(); });
  add_recent_databases();
  actions_.add({.id = QStringLiteral("quit.quit"),
                .text = tr("Quit"),
                .menu = file,
                .shortcut = keys(QStringLiteral("Ctrl+Q"))},
               [this] { close(); });
  QAction* stop_all = actions_.add({.id = QStringLiteral("queue.stop-all"),
                                    .text = tr("Stop all and empty the queue"),
                                    .menu = QStringLiteral("Run"),
                                    .help = tr("Stops the active run, and removes all queued runs.")},
                                   [this] { workspace_.queue().stop_all(); });
  const auto allow = [this, stop_all] { stop_all->setEnabled(!workspace_.queue().idle()); };
  connect(&workspace_.queue(), &workspace::RunQueue::changed, stop_all, allow);
  connect(&workspace_.queue(), &workspace::RunQueue::run_ended, stop_all, allow);
  allow();
}

/** Adds an action for each recent database other than the open one. */
void MainWindow::add_recent_databases() {
  const QString open = whole_path();
  int number = 1;
  for (const QString& database : preferences_.get().recent_databases) {
    if (database == open) continue;
    actions_.add({.id = QStringLiteral("recent.%1").arg(number++),
                  .text = tr("Open %1").arg(database),
                  .menu = QStringLiteral("File"),
                  .help = tr("A recently opened database.")},
                 [this, database] { open_database(database); });
  }
}

void MainWindow::add_dock_action(QDockWidget& dock, const QString& id, const QString& text,
                                 const QString& shortcut) {
  QAction* action =
      actions_.add({.id = id, .text = text, .menu = QStringLiteral("View"), .shortcut = keys(shortcut)},
                   [&dock] { dock.setVisible(dock.isHidden()); });
  action->setCheckable(true);
  action->setChecked(!dock.isHidden());
  connect(dock.toggleViewAction(), &QAction::toggled, action, &QAction::setChecked);
}

void MainWindow::add_view_actions() {
  const QString view = QStringLiteral("View");
  int number = 1;
  for (const ViewRegistration& registration : view_registrations()) {
    const QString name = registration.name;
    QAction* action = actions_.add({.id = QStringLiteral("go.") + name,
                                    .text = name,
                                    .menu = view,
                                    .shortcut = keys(QStringLiteral("Ctrl+%1").arg(number++)),
                                    .icon = registration.icon_name,
                                    .help = tr("Shows the %1 view.").arg(name)},
                                   [this, name] { show_view(name); });
    navigation_->add_view(action);
  }
  add_dock_action(*session_dock_, QStringLiteral("show.sessions"), tr("Sessions"), QStringLiteral("F9"));
  add_dock_action(*log_dock_, QStringLiteral("show.log"), tr("Log"), QStringLiteral("F12"));
  actions_.add({.id = QStringLiteral("show.filter"),
                .text = tr("Filter"),
                .menu = view,
                .shortcut = keys(QStringLiteral("Ctrl+F")),
                .icon = QStringLiteral("filter"),
                .help = tr("Moves the focus to the filter of the view.")},
               [this] {
                 if (views::View* current = current_view()) current->focus_filter();
               });
  actions_.add({.id = QStringLiteral("show.reset"),
                .text = tr("Reset layout"),
                .menu = view,
                .help = tr("Restores the default positions of all panels of this view.")},
               [this] { reset_layout(); });
}

void MainWindow::add_help_actions() {
  const QString tools = QStringLiteral("Tools");
  const QString help = QStringLiteral("Help");
  actions_.add({.id = QStringLiteral("tools.commands"),
                .text = tr("Search or command"),
                .menu = tools,
                .shortcut = keys(QStringLiteral("Ctrl+K")),
                .icon = QStringLiteral("search"),
                .help = tr("Finds every action, session and task.")},
               [this] { open_palette(); });
  actions_.add({.id = QStringLiteral("tools.devices"),
                .text = tr("Devices"),
                .menu = tools,
                .shortcut = keys(QStringLiteral("Ctrl+Shift+D")),
                .icon = QStringLiteral("device"),
                .help = tr("Shows the CPU and GPUs of this machine: limits, memory, and the process that "
                           "measures on each device.")},
               [this] { show_devices(); });
  actions_.add({.id = QStringLiteral("tools.look-for-devices"),
                .text = tr("Search for devices again"),
                .menu = tools,
                .icon = QStringLiteral("refresh"),
                .help = tr("Finds GPUs and drivers that were added or removed since the start.")},
               [this] { workspace_.devices().look(); });
  actions_.add({.id = QStringLiteral("tools.preferences"),
                .text = tr("Preferences"),
                .menu = tools,
                .shortcut = keys(QStringLiteral("Ctrl+,")),
                .icon = QStringLiteral("settings")},
               [this] { show_preferences(); });
  actions_.add(
      {.id = QStringLiteral("help.manual"),
       .text = tr("Manual"),
       .menu = help,
       .shortcut = keys(QStringLiteral("F1")),
       .icon = QStringLiteral("help"),
       .help = tr("Explains every view, tuner and number; opens at the section of the current view.")},
      [this] { show_manual(manual_place_of(current_view())); });
  actions_.add({.id = QStringLiteral("help.glossary"),
                .text = tr("Glossary"),
                .menu = help,
                .help = tr("Explains the terms used in table headers, charts and statistics.")},
               [this] { show_manual({QStringLiteral("ui/manual/glossary.md"), {}}); });
  actions_.add({.id = QStringLiteral("help.whats-this"),
                .text = tr("What's this?"),
                .menu = help,
                .shortcut = keys(QStringLiteral("Shift+F1")),
                .help = tr("Click a chart or a column header for an explanation.")},
               [] { QWhatsThis::enterWhatsThisMode(); });
  actions_.add({.id = QStringLiteral("help.shortcuts"),
                .text = tr("Keyboard shortcuts"),
                .menu = help,
                .shortcut = keys(QStringLiteral("Ctrl+F1")),
                .icon = QStringLiteral("help"),
                .help = tr("Lists all shortcuts, to search and reassign them.")},
               [this] { show_shortcuts(); });
  actions_.add({.id = QStringLiteral("help.first-start"),
                .text = tr("First steps"),
                .menu = help,
                .help = tr("Shows the page of the first start again.")},
               [this] { show_first_start(); });
  actions_.add({.id = QStringLiteral("help.about"), .text = tr("About Kernelscape"), .menu = help},
               [this] { show_about(); });
}

void MainWindow::open_palette() {
  palette_->open_with(palette_source_->commands(offered_networks(*stack_->view(QStringLiteral("Network")))));
}

void MainWindow::ask_for_database() {
  QFileDialog* dialog = ask_for_file(tr("Open database"), tr("Databases (*.db);;All files (*)"), this);
  connect(dialog, &QFileDialog::fileSelected, this, &MainWindow::open_database);
}

void MainWindow::ask_for_imports() {
  QFileDialog* dialog = ask_for_file(
      tr("Import"),
      tr("Logs, caches, recorded spaces and predictors (%1);;All files (*)").arg(importable_patterns()),
      this);
  dialog->setFileMode(QFileDialog::ExistingFiles);
  connect(dialog, &QFileDialog::filesSelected, this, &MainWindow::take_files);
}

void MainWindow::ask_for_project() {
  QFileDialog* dialog =
      ask_for_file(tr("Open a project of your own kernel"), tr("Projects (*.json);;All files (*)"), this);
  // The form reports a file that is not a project, with the reason.
  connect(dialog, &QFileDialog::fileSelected, this, &MainWindow::open_project_file);
}

void MainWindow::ask_for_new_project() {
  QFileDialog* dialog = files::make_file_dialog(this, tr("Choose a folder for the new project"));
  dialog->setFileMode(QFileDialog::Directory);
  dialog->setOption(QFileDialog::ShowDirsOnly);
  connect(dialog, &QFileDialog::fileSelected, this, &MainWindow::make_new_project);
  dialog->open();
}

void MainWindow::make_new_project(const QString& folder) {
  const Result<std::filesystem::path> project = workspace::write_new_project(folder.toStdString());
  if (!project) return workspace_.notices().fail(project.error());
  const QString path = QString::fromStdString(project->string());
  workspace_.notices().inform(
      tr("%1 was written. The README.md in its folder explains what to change.").arg(path));
  open_project_file(path);
}

void MainWindow::ask_for_files() {
  QFileDialog* dialog = ask_for_file(tr("Open or import"), tr("All files (*)"), this);
  dialog->setFileMode(QFileDialog::ExistingFiles);
  connect(dialog, &QFileDialog::filesSelected, this, &MainWindow::take_files);
}

void MainWindow::export_current() {
  if (!export_dialog_) {
    export_dialog_ = new views::ExportDialog(workspace_, this);
    export_dialog_->setAttribute(Qt::WA_DeleteOnClose);
  }
  export_dialog_->show();
  export_dialog_->raise();
  export_dialog_->activateWindow();
}

void MainWindow::report_current() {
  if (views::View* view = current_view(); view != nullptr && view->report_current()) return;
  const workspace::Source& source = workspace_.source();
  if (!source)
    return workspace_.notices().warn(
        tr("No session is open, so there is nothing to report. Open a session first."));
  const store::SessionRecord& record = source->record();
  const std::string name = record.name.empty() ? record.task_name : record.name;
  reports_->ask({.study = std::nullopt, .sessions = {record.id}, .name = QString::fromStdString(name)});
}

void MainWindow::report_study(store::StudyId id) {
  reports_->ask({.study = id, .sessions = {}, .name = tr("study %1").arg(id)});
}

void MainWindow::reset_layout() {
  if (views::View* view = current_view()) view->reset_layout();
}

void MainWindow::show_shortcuts() {
  if (!shortcuts_) {
    shortcuts_ = new ShortcutOverview(actions_, this);
    shortcuts_->setAttribute(Qt::WA_DeleteOnClose);
  }
  shortcuts_->show();
  shortcuts_->raise();
  shortcuts_->activateWindow();
}

void MainWindow::show_manual(const manual::Place& place) {
  if (!manual_) {
    manual_ = new manual::Window(this);
    manual_->setAttribute(Qt::WA_DeleteOnClose);
  }
  manual_->show_place(place);
  manual_->show();
  manual_->raise();
  manual_->activateWindow();
}

void MainWindow::show_preferences() {
  if (!preferences_dialog_) {
    preferences_dialog_ = new PreferencesDialog(preferences_, this);
    preferences_dialog_->setAttribute(Qt::WA_DeleteOnClose);
  }
  preferences_dialog_->show();
  preferences_dialog_->raise();
  preferences_dialog_->activateWindow();
}

void MainWindow::show_devices() {
  if (!devices_dialog_) {
    devices_dialog_ = new DevicesDialog(workspace_, this);
    devices_dialog_->setAttribute(Qt::WA_DeleteOnClose);
  }
  devices_dialog_->show();
  devices_dialog_->raise();
  devices_dialog_->activateWindow();
}

void MainWindow::show_about() {
  auto* about = new QMessageBox(this);
  about->setAttribute(Qt::WA_DeleteOnClose);
  about->setWindowTitle(tr("About Kernelscape"));
  about->setIconPixmap(style::application_icon().pixmap(64));
  about->setTextFormat(Qt::PlainText);
  about->setText(
      tr("Kernelscape %1")
          .arg(QString::fromUtf8(session::program_version.data(), session::program_version.size())));
  about->setInformativeText(
      tr("Finds the fastest kernel of a tensor operator on this machine.\nFree software: GPL-3.0-or-later.\n"
         "Database: %1")
          .arg(QString::fromStdString(workspace_.database().string())));
  about->open();
}

}  // namespace kernelscape::frame
