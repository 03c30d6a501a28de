#pragma once

#include <set>

#include "ui/frame/preferences/preferences.h"
#include "ui/workspace/workspace.h"

class QMainWindow;

namespace kernelscape::views {
class View;
}  // namespace kernelscape::views

namespace kernelscape::frame {

class SessionFolding;
class ViewStack;

/**
 * Stores the state of the main window and of its views in the preferences, and restores it: layouts, forms,
 * and the sessions that were open or paused.
 */
class WindowState {
 public:
  WindowState(workspace::Workspace& workspace, PreferencesFile& preferences)
      : workspace_(workspace), preferences_(preferences) {}

  QString database() const;  ///< absolute path of the open database

  /** Restores the geometry and the docks of the window, and the folders of file dialogs. */
  void restore_layout(QMainWindow& window) const;
  /** Restores what the user entered into a view; to be called when the view was created. */
  void restore_view(views::View& view) const;
  /**
   * Returns the paused sessions of this database and removes them from the preferences, so that they are
   * offered once.
   */
  std::set<store::SessionId> take_paused_sessions();
  /**
   * Opens the session that was open when the window closed, unless another session was opened meanwhile.
   */
  void open_last_session();
  /** Adds the open database to the recent databases. */
  void remember_database();
  /** Stores the state; to be called when the window closes. */
  void save(const QMainWindow& window, SessionFolding& folding, ViewStack& views);

 private:
  void save_views(ViewStack& views, Preferences& preferences) const;
  void save_sessions(Preferences& preferences) const;

  workspace::Workspace& workspace_;
  PreferencesFile& preferences_;
};

}  // namespace kernelscape::frame
