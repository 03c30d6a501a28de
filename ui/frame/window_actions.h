#pragma once

#include <QKeySequence>
#include <QObject>
#include <QString>

#include "ui/frame/preferences/preferences.h"
#include "ui/workspace/workspace.h"

class QDockWidget;

namespace kernelscape::frame {

class FileOpener;
class MainWindow;
class NavigationBar;
class ReportRequests;
class WindowDialogs;

/**
 * Declares the actions of the main window that belong to no view: those of the menus File, View, Tools and
 * Help, and the action that stops all runs. Adds the actions of the whole window to the window, also those
 * that views declare later.
 */
class WindowActions : public QObject {
  Q_OBJECT

 public:
  /** What the actions use beside the window. */
  struct Parts {
    workspace::Workspace& workspace;
    const PreferencesFile& preferences;
    FileOpener& files;
    WindowDialogs& dialogs;
    ReportRequests& reports;
    NavigationBar& navigation;  ///< gets a button for each view
    QDockWidget& sessions;      ///< list of sessions
    QDockWidget& log;
  };

  /** @param window owner of this object */
  WindowActions(MainWindow& window, const Parts& parts);

 private:
  void add_file_actions();
  void add_open_actions();
  void add_recent_databases();
  void add_run_actions();
  void add_view_actions();
  void add_dock_action(QDockWidget& dock, const QString& id, const QString& text, const QString& shortcut);
  void add_tool_actions();
  void add_help_actions();
  void add_to_window();
  void export_current();
  void report_current();

  MainWindow& window_;
  Parts parts_;
};

}  // namespace kernelscape::frame
