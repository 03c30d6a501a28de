#pragma once

#include <QMainWindow>

#include "ui/frame/close_guard.h"
#include "ui/frame/preferences/preferences.h"
#include "ui/frame/sessions/session_actions.h"
#include "ui/frame/window_state.h"
#include "ui/views/action_registry.h"
#include "ui/workspace/file_import.h"
#include "ui/workspace/run_queue.h"
#include "ui/workspace/workspace.h"

class QDockWidget;

namespace kernelscape::views {
class View;
}  // namespace kernelscape::views

namespace kernelscape::frame {

class CommandPalette;
class FileOpener;
class FirstStart;
class NavigationBar;
class PaletteSource;
class ReportRequests;
class RunFollower;
class SessionDock;
class SessionFolding;
class ShortcutKeeper;
class ViewStack;
class WindowDialogs;
class WindowShutdown;

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
  CloseGuard& guard();  ///< decides whether the window may close while runs are active

  QString database() const { return state_.database(); }  ///< absolute path of the open database

  /** Opens the command palette with the commands that are available now. */
  void open_palette();
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
  void make_central();
  void make_docks();
  void make_actions();
  void make_menu_corner();
  void connect_sessions();
  void connect_session_menu();
  void connect_palette();
  void connect_notices();
  void connect_first_start();
  void connect_files();
  void meet_view(views::View* view);
  void finish_start();
  void receive_first_list();
  void show_current_session();
  void open_project_file(const QString& path);
  void open_network_file(const QString& path);
  void ask_for_network();
  void show_study(store::StudyId id);
  void show_imported(const std::vector<exchange::ImportedSession>& sessions);
  void show_predictor(store::PredictorId id);

  workspace::Workspace& workspace_;
  PreferencesFile& preferences_;
  views::ActionRegistry actions_;
  SessionActions sessions_;
  WindowState state_;
  ShortcutKeeper* shortcut_keeper_;
  PaletteSource* palette_source_;
  WindowShutdown* shutdown_;
  WindowDialogs* dialogs_;
  workspace::FileImport* imports_;
  FileOpener* files_;
  ReportRequests* reports_;
  RunFollower* runs_;
  ViewStack* stack_ = nullptr;
  FirstStart* first_start_ = nullptr;
  NavigationBar* navigation_ = nullptr;
  SessionDock* session_dock_ = nullptr;
  SessionFolding* session_folding_ = nullptr;
  QDockWidget* log_dock_ = nullptr;
  CommandPalette* palette_ = nullptr;
  bool painted_ = false;
  bool list_seen_ = false;
  workspace::JobTracker study_job_;  ///< reads the purpose of a study
};

}  // namespace kernelscape::frame
