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

namespace kernelscape {

class CommandPalette;
class DevicesDialog;
class ExportDialog;
class FirstStartPage;
class ManualWindow;
class NavigationBar;
class PaletteSource;
class PreferencesDialog;
class ReportRequests;
class SessionDock;
class SessionFolding;
class ShortcutKeeper;
class ShortcutOverview;
class View;
class ViewStack;
struct ManualPlace;

/** The frame around the views: it makes its parts and connects them. */
class MainWindow : public QMainWindow {
  Q_OBJECT

 public:
  MainWindow(Workspace& workspace, PreferencesFile& preferences);
  ~MainWindow() override;

  /** Shared by all parts of the window; menus and palette are made of it. */
  ActionRegistry& actions() { return actions_; }
  CommandPalette& palette_popup() { return *palette_; }  ///< hidden until Ctrl+K or its action opens it
  CloseGuard& guard() { return *guard_; }  ///< decides whether the window may close while runs go on

  /** "Tune", "Explore", ... */
  void show_view(const QString& name);
  /** Null: the first start page. */
  View* current_view() const;
  /** In place of the views; none of them is current then. */
  void show_first_start();
  /** False once a view is shown. */
  bool shows_first_start() const;

  /** Fills the form for a new run, and shows it. */
  void prepare_run(TuningRequest request);

  /** As closing: asks where something runs; then hides, tidies up and tells `left`. */
  void leave_for(const QString& database);
  /** The same, once it is known that it can be opened; else this one stays, and the notices say why. */
  void open_database(const QString& database);
  /** The same without asking: the session of the desktop ends. */
  void leave_pausing();

 signals:
  /** Nothing runs any more, and everything is kept. @param next_database to open instead; empty: quit */
  void left(const QString& next_database);

 protected:
  /** Tips of menus don't cover the status line: they are tool tips. */
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
  void ask_for_run_trust(RunId run);
  /** Opens a database or a project of the user's own kernel, imports everything else. */
  void take_files(const QStringList& paths);
  void show_imported(const std::vector<ImportedSession>& sessions);
  void show_predictor(PredictorId id);
  void explore_shipped();
  /** Of the current source. */
  void report_current();
  void report_study(StudyId id);
  void show_study(StudyId id);
  void export_current();
  void reset_layout();
  void show_manual(const ManualPlace& place);
  void show_shortcuts();
  void show_preferences();
  void show_devices();
  void show_about();

  // main_window_leaving.cpp
  QString whole_path() const;  ///< of the database
  void restore_layout();
  std::set<SessionId> take_paused_sessions();
  void remember_paused_sessions(Preferences& preferences) const;
  void open_last_session();
  void finish_leaving(const QString& next_database);

  void make_docks();
  void make_central();
  void make_menu_corner();
  void connect_runs();
  void connect_session_menu();
  void finish_start();
  void meet_view(View* view);
  void start_first_run();
  void offer_first_start();
  void dismiss_first_start();

  Workspace& workspace_;
  PreferencesFile& preferences_;
  ActionRegistry actions_;
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
  QPointer<ManualWindow> manual_;
  QPointer<ShortcutOverview> shortcuts_;
  QPointer<PreferencesDialog> preferences_dialog_;
  QPointer<DevicesDialog> devices_dialog_;
  QPointer<ExportDialog> export_dialog_;
  std::set<RunId> followed_runs_;  ///< started here: their session is shown once it exists
  bool painted_ = false;
  bool list_seen_ = false;
  bool knobs_promised_ = false;  ///< by the card of the first start, until its space is there
  bool greeting_ = false;        ///< the first start page was shown and not answered yet
  bool left_ = false;
  JobTracker study_job_;  ///< looks at what a study is for
  JobTracker check_job_;  ///< looks at a database that is to be opened
  JobTracker leave_job_;
  FileImport* imports_;
  ReportRequests* reports_;
};

}  // namespace kernelscape
