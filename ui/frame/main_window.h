#pragma once

#include <QMainWindow>
#include <set>

#include "ui/frame/close_guard.h"
#include "ui/frame/preferences/preferences.h"
#include "ui/frame/sessions/session_actions.h"
#include "ui/views/action_registry.h"
#include "ui/workspace/file_import.h"
#include "ui/workspace/run_queue.h"
#include "ui/workspace/workspace.h"

class QDockWidget;

namespace kernelscape::manual {
class Window;
struct Place;
}  // namespace kernelscape::manual

namespace kernelscape::views {
class ExportDialog;
class View;
}  // namespace kernelscape::views

namespace kernelscape::frame {

class CommandPalette;
class DevicesDialog;
class FirstStartPage;
class NavigationBar;
class PaletteSource;
class PreferencesDialog;
class ReportRequests;
class SessionDock;
class SessionFolding;
class ShortcutKeeper;
class ShortcutOverview;
class ViewStack;

/** The main window: creates the views, docks, menus and dialogs, and connects them. */
class MainWindow : public QMainWindow {
  Q_OBJECT

 public:
  MainWindow(workspace::Workspace& workspace, PreferencesFile& preferences);
  ~MainWindow() override;

  /**
   * Returns the action registry, which all parts of the window share; menus and the command palette are built
   * from it.
   */
  views::ActionRegistry& actions() { return actions_; }
  CommandPalette& palette_popup() { return *palette_; }  ///< hidden until Ctrl+K or its action opens it
  CloseGuard& guard() { return *guard_; }  ///< decides whether the window may close while runs are active

  /** Shows a view by its name: "Tune", "Explore", ... */
  void show_view(const QString& name);
  /** Returns the visible view, or null while the first start page is shown. */
  views::View* current_view() const;
  /** Shows the first start page in place of the views; no view is current then. */
  void show_first_start();
  /** Returns true while the first start page is shown instead of a view. */
  bool shows_first_start() const;

  /** Fills the form for a new run with `request`, and shows the form. */
  void prepare_run(session::TuningRequest request);

  /**
   * Closes the window in order to open another database. Asks the user first if something runs; then hides
   * the window, cleans up and emits `left`.
   */
  void leave_for(const QString& database);
  /**
   * Checks that the database can be opened, then calls leave_for(). If it can't be opened, this window stays
   * open and a notice says why.
   */
  void open_database(const QString& database);
  /** Closes the window without asking, and pauses all runs: used when the desktop session ends. */
  void leave_pausing();

 signals:
  /**
   * Nothing runs any more, and all results and settings are stored.
   * @param next_database database to open instead; empty: quit
   */
  void left(const QString& next_database);

 protected:
  /** Suppresses status tips of menus, which would cover the status line; menus show them as tool tips. */
  bool event(QEvent* event) override;
  void closeEvent(QCloseEvent* event) override;
  void paintEvent(QPaintEvent* event) override;
  void dragEnterEvent(QDragEnterEvent* event) override;
  void dropEvent(QDropEvent* event) override;

 private:
  // main_window_actions.cpp
  void add_actions();
  void add_file_actions();
  void add_recent_databases();
  void add_view_actions();
  void add_help_actions();
  void add_dock_action(QDockWidget& dock, const QString& id, const QString& text, const QString& shortcut);
  void open_palette();
  void ask_for_database();
  void ask_for_imports();
  void ask_for_files();
  void ask_for_project();
  void ask_for_new_project();
  void make_new_project(const QString& folder);
  void open_project_file(const QString& path);
  void open_network_file(const QString& path);
  void ask_for_network();
  void ask_for_run_trust(workspace::RunId run);
  /** Opens databases and projects of the user's own kernels; imports all other files. */
  void take_files(const QStringList& paths);
  void show_imported(const std::vector<exchange::ImportedSession>& sessions);
  void show_predictor(store::PredictorId id);
  void explore_bundled();
  /** Writes a report of the current source. */
  void report_current();
  void report_study(store::StudyId id);
  void show_study(store::StudyId id);
  void export_current();
  void reset_layout();
  void show_manual(const manual::Place& place);
  void show_shortcuts();
  void show_preferences();
  void show_devices();
  void show_about();

  // main_window_shutdown.cpp
  QString whole_path() const;  ///< absolute path of the database
  void restore_layout();
  std::set<store::SessionId> take_paused_sessions();
  void remember_paused_sessions(Preferences& preferences) const;
  void open_last_session();
  void finish_shutdown(const QString& next_database);

  void make_docks();
  void make_central();
  void make_menu_corner();
  void connect_runs();
  void connect_session_menu();
  void finish_start();
  void meet_view(views::View* view);
  void start_first_run();
  void offer_first_start();
  void dismiss_first_start();

  workspace::Workspace& workspace_;
  PreferencesFile& preferences_;
  views::ActionRegistry actions_;
  SessionActions sessions_;
  ShortcutKeeper* shortcut_keeper_;
  PaletteSource* palette_source_;
  ViewStack* stack_ = nullptr;
  FirstStartPage* first_start_ = nullptr;
  NavigationBar* navigation_ = nullptr;
  SessionDock* session_dock_ = nullptr;
  SessionFolding* session_folding_ = nullptr;
  QDockWidget* log_dock_ = nullptr;
  CommandPalette* palette_ = nullptr;
  CloseGuard* guard_;
  QPointer<manual::Window> manual_;
  QPointer<ShortcutOverview> shortcuts_;
  QPointer<PreferencesDialog> preferences_dialog_;
  QPointer<DevicesDialog> devices_dialog_;
  QPointer<views::ExportDialog> export_dialog_;
  std::set<workspace::RunId>
      followed_runs_;  ///< runs started in this window: their session is shown once it exists
  bool painted_ = false;
  bool list_seen_ = false;
  bool knobs_promised_ =
      false;               ///< the card that explores the knobs was clicked; its space is being imported
  bool greeting_ = false;  ///< the first start page was shown, and the user has not chosen anything yet
  bool left_ = false;
  workspace::JobTracker study_job_;  ///< reads the purpose of a study
  workspace::JobTracker check_job_;  ///< checks a database before it is opened
  workspace::JobTracker leave_job_;
  workspace::FileImport* imports_;
  ReportRequests* reports_;
};

}  // namespace kernelscape::frame
