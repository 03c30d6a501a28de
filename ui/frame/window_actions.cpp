#include "ui/frame/window_actions.h"

#include <QDockWidget>
#include <QWhatsThis>

#include "core/base/text.h"
#include "core/exchange/importer.h"
#include "ui/frame/file_opener.h"
#include "ui/frame/main_window.h"
#include "ui/frame/navigation_bar.h"
#include "ui/frame/sessions/report_requests.h"
#include "ui/frame/view_registry.h"
#include "ui/frame/window_dialogs.h"
#include "ui/manual/page.h"
#include "ui/workspace/devices.h"

namespace kernelscape::frame {
namespace {

QKeySequence keys(const QString& text) { return QKeySequence(text, QKeySequence::PortableText); }

/** Returns the section of the manual on a view. @param view null: the first start page */
manual::Place manual_place_of(const views::View* view) {
  if (view == nullptr) return {QStringLiteral("README.md"), {}};
  return {QStringLiteral("ui/views/README.md"), manual::anchor_of(view->objectName())};
}

}  // namespace

WindowActions::WindowActions(MainWindow& window, const Parts& parts)
    : QObject(&window), window_(window), parts_(parts) {
  add_file_actions();
  add_run_actions();
  add_view_actions();
  add_tool_actions();
  add_help_actions();
  add_to_window();
}

/** Actions without a scope apply to the whole window, even while their menu is closed. */
void WindowActions::add_to_window() {
  for (const views::ActionRegistry::Entry& entry : window_.actions().entries()) {
    if (entry.declaration.scope == nullptr) window_.addAction(entry.action);
  }
  connect(&window_.actions(), &views::ActionRegistry::added, this, [this](const QString& id) {
    const views::ActionRegistry::Entry& entry = window_.actions().entries().back();
    if (entry.declaration.id == id && entry.declaration.scope == nullptr) window_.addAction(entry.action);
  });
}

void WindowActions::add_open_actions() {
  const QString file = QStringLiteral("File");
  window_.actions().add({.id = QStringLiteral("file.open"),
                         .text = tr("Open database..."),
                         .menu = file,
                         .shortcut = keys(QStringLiteral("Ctrl+O")),
                         .help = tr("Shows the sessions of another database.")},
                        [this] { parts_.files.ask_for_database(); });
  window_.actions().add(
      {.id = QStringLiteral("file.open-project"),
       .text = tr("Open a project of your own kernel..."),
       .menu = file,
       .shortcut = keys(QStringLiteral("Ctrl+Shift+O")),
       .icon = QStringLiteral("kernel"),
       .help = tr("Tunes a kernel source in CUDA, OpenCL or C by the macros named in its project file.")},
      [this] { parts_.files.ask_for_project(); });
  window_.actions().add({.id = QStringLiteral("file.new-project"),
                         .text = tr("New project of your own kernel..."),
                         .menu = file,
                         .icon = QStringLiteral("kernel"),
                         .help = tr("Writes a small example project in C into a folder, and opens it.")},
                        [this] { parts_.files.ask_for_new_project(); });
  window_.actions().add(
      {.id = QStringLiteral("file.import"),
       .text = tr("Import..."),
       .menu = file,
       .shortcut = keys(QStringLiteral("Ctrl+I")),
       .help = tr("Imports %1, and predictors.")
                   .arg(QString::fromStdString(base::join(exchange::importable_files(), ", ")))},
      [this] { parts_.files.ask_for_imports(); });
}

void WindowActions::add_file_actions() {
  const QString file = QStringLiteral("File");
  add_open_actions();
  window_.actions().add({.id = QStringLiteral("file.export"),
                         .text = tr("Export..."),
                         .menu = file,
                         .shortcut = keys(QStringLiteral("Ctrl+E")),
                         .icon = QStringLiteral("export"),
                         .help = tr("Exports the best configuration, trials, or the kernel itself.")},
                        [this] { export_current(); });
  window_.actions().add(
      {.id = QStringLiteral("file.report"),
       .text = tr("Report..."),
       .menu = file,
       .shortcut = keys(QStringLiteral("Ctrl+Shift+E")),
       .help = tr("Writes a report of the current session or recorded space as one file: HTML or PDF.")},
      [this] { report_current(); });
  add_recent_databases();
  window_.actions().add({.id = QStringLiteral("quit.quit"),
                         .text = tr("Quit"),
                         .menu = file,
                         .shortcut = keys(QStringLiteral("Ctrl+Q"))},
                        [this] { window_.close(); });
}

void WindowActions::add_run_actions() {
  QAction* stop_all =
      window_.actions().add({.id = QStringLiteral("queue.stop-all"),
                             .text = tr("Stop all and empty the queue"),
                             .menu = QStringLiteral("Run"),
                             .help = tr("Stops the active run, and removes all queued runs.")},
                            [this] { parts_.workspace.queue().stop_all(); });
  const auto allow = [this, stop_all] { stop_all->setEnabled(!parts_.workspace.queue().idle()); };
  connect(&parts_.workspace.queue(), &workspace::RunQueue::changed, stop_all, allow);
  connect(&parts_.workspace.queue(), &workspace::RunQueue::run_ended, stop_all, allow);
  allow();
}

/** Adds an action for each recent database other than the open one. */
void WindowActions::add_recent_databases() {
  const QString open = window_.database();
  int number = 1;
  for (const QString& database : parts_.preferences.get().recent_databases) {
    if (database == open) continue;
    window_.actions().add({.id = QStringLiteral("recent.%1").arg(number++),
                           .text = tr("Open %1").arg(database),
                           .menu = QStringLiteral("File"),
                           .help = tr("A recently opened database.")},
                          [this, database] { window_.open_database(database); });
  }
}

void WindowActions::add_dock_action(QDockWidget& dock, const QString& id, const QString& text,
                                    const QString& shortcut) {
  QAction* action = window_.actions().add(
      {.id = id, .text = text, .menu = QStringLiteral("View"), .shortcut = keys(shortcut)},
      [&dock] { dock.setVisible(dock.isHidden()); });
  action->setCheckable(true);
  action->setChecked(!dock.isHidden());
  connect(dock.toggleViewAction(), &QAction::toggled, action, &QAction::setChecked);
}

void WindowActions::add_view_actions() {
  const QString view = QStringLiteral("View");
  int number = 1;
  for (const ViewRegistration& registration : view_registrations()) {
    const QString name = registration.name;
    QAction* action = window_.actions().add({.id = QStringLiteral("go.") + name,
                                             .text = name,
                                             .menu = view,
                                             .shortcut = keys(QStringLiteral("Ctrl+%1").arg(number++)),
                                             .icon = registration.icon_name,
                                             .help = tr("Shows the %1 view.").arg(name)},
                                            [this, name] { window_.show_view(name); });
    parts_.navigation.add_view(action);
  }
  add_dock_action(parts_.sessions, QStringLiteral("show.sessions"), tr("Sessions"), QStringLiteral("F9"));
  add_dock_action(parts_.log, QStringLiteral("show.log"), tr("Log"), QStringLiteral("F12"));
  window_.actions().add({.id = QStringLiteral("show.filter"),
                         .text = tr("Filter"),
                         .menu = view,
                         .shortcut = keys(QStringLiteral("Ctrl+F")),
                         .icon = QStringLiteral("filter"),
                         .help = tr("Moves the focus to the filter of the view.")},
                        [this] {
                          if (views::View* current = window_.current_view()) current->focus_filter();
                        });
  window_.actions().add({.id = QStringLiteral("show.reset"),
                         .text = tr("Reset layout"),
                         .menu = view,
                         .help = tr("Restores the default positions of all panels of this view.")},
                        [this] {
                          if (views::View* current = window_.current_view()) current->reset_layout();
                        });
}

void WindowActions::add_tool_actions() {
  const QString tools = QStringLiteral("Tools");
  window_.actions().add({.id = QStringLiteral("tools.commands"),
                         .text = tr("Search or command"),
                         .menu = tools,
                         .shortcut = keys(QStringLiteral("Ctrl+K")),
                         .icon = QStringLiteral("search"),
                         .help = tr("Finds every action, session and task.")},
                        [this] { window_.open_palette(); });
  window_.actions().add(
      {.id = QStringLiteral("tools.devices"),
       .text = tr("Devices"),
       .menu = tools,
       .shortcut = keys(QStringLiteral("Ctrl+Shift+D")),
       .icon = QStringLiteral("device"),
       .help = tr("Shows the CPU and GPUs of this machine: limits, memory, and the process that "
                  "measures on each device.")},
      [this] { parts_.dialogs.show_devices(); });
  window_.actions().add({.id = QStringLiteral("tools.look-for-devices"),
                         .text = tr("Search for devices again"),
                         .menu = tools,
                         .icon = QStringLiteral("refresh"),
                         .help = tr("Finds GPUs and drivers that were added or removed since the start.")},
                        [this] { parts_.workspace.devices().look(); });
  window_.actions().add({.id = QStringLiteral("tools.preferences"),
                         .text = tr("Preferences"),
                         .menu = tools,
                         .shortcut = keys(QStringLiteral("Ctrl+,")),
                         .icon = QStringLiteral("settings")},
                        [this] { parts_.dialogs.show_preferences(); });
}

void WindowActions::add_help_actions() {
  const QString help = QStringLiteral("Help");
  window_.actions().add(
      {.id = QStringLiteral("help.manual"),
       .text = tr("Manual"),
       .menu = help,
       .shortcut = keys(QStringLiteral("F1")),
       .icon = QStringLiteral("help"),
       .help = tr("Explains every view, tuner and number; opens at the section of the current view.")},
      [this] { parts_.dialogs.show_manual(manual_place_of(window_.current_view())); });
  window_.actions().add(
      {.id = QStringLiteral("help.glossary"),
       .text = tr("Glossary"),
       .menu = help,
       .help = tr("Explains the terms used in table headers, charts and statistics.")},
      [this] { parts_.dialogs.show_manual({QStringLiteral("ui/manual/glossary.md"), {}}); });
  window_.actions().add({.id = QStringLiteral("help.whats-this"),
                         .text = tr("What's this?"),
                         .menu = help,
                         .shortcut = keys(QStringLiteral("Shift+F1")),
                         .help = tr("Click a chart or a column header for an explanation.")},
                        [] { QWhatsThis::enterWhatsThisMode(); });
  window_.actions().add({.id = QStringLiteral("help.shortcuts"),
                         .text = tr("Keyboard shortcuts"),
                         .menu = help,
                         .shortcut = keys(QStringLiteral("Ctrl+F1")),
                         .icon = QStringLiteral("help"),
                         .help = tr("Lists all shortcuts, to search and reassign them.")},
                        [this] { parts_.dialogs.show_shortcuts(); });
  window_.actions().add({.id = QStringLiteral("help.first-start"),
                         .text = tr("First steps"),
                         .menu = help,
                         .help = tr("Shows the page of the first start again.")},
                        [this] { window_.show_first_start(); });
  window_.actions().add({.id = QStringLiteral("help.about"), .text = tr("About Kernelscape"), .menu = help},
                        [this] { parts_.dialogs.show_about(); });
}

void WindowActions::export_current() {
  if (views::View* view = window_.current_view()) return view->export_current();
  parts_.dialogs.show_export();
}

/** Writes a report of what the view shows, or of the open session. */
void WindowActions::report_current() {
  if (views::View* view = window_.current_view(); view != nullptr && view->report_current()) return;
  parts_.reports.ask_for_open_session();
}

}  // namespace kernelscape::frame
