#pragma once

#include <QObject>
#include <QPointer>

#include "ui/frame/preferences/preferences.h"
#include "ui/manual/page.h"
#include "ui/views/action_registry.h"
#include "ui/workspace/workspace.h"

namespace kernelscape::manual {
class Window;
}  // namespace kernelscape::manual

namespace kernelscape::views {
class ExportDialog;
}  // namespace kernelscape::views

namespace kernelscape::frame {

class DevicesDialog;
class PreferencesDialog;
class ShortcutOverview;

/** Opens the dialogs of the main window, which are not modal. At most one dialog of each kind is open. */
class WindowDialogs : public QObject {
  Q_OBJECT

 public:
  /** @param window parent of the dialogs, and owner of this object */
  WindowDialogs(workspace::Workspace& workspace, PreferencesFile& preferences, views::ActionRegistry& actions,
                QWidget& window);

  /** Shows the manual at a place. */
  void show_manual(const manual::Place& place);
  /** Shows the list of all shortcuts, in which they can be reassigned. */
  void show_shortcuts();
  /** Shows the preferences. */
  void show_preferences();
  /** Shows the devices of this machine. */
  void show_devices();
  /** Shows the export of the open session. */
  void show_export();
  /** Shows the version, the license and the path of the database. */
  void show_about();

 private:
  workspace::Workspace& workspace_;
  PreferencesFile& preferences_;
  views::ActionRegistry& actions_;
  QWidget& window_;
  QPointer<manual::Window> manual_;
  QPointer<ShortcutOverview> shortcuts_;
  QPointer<PreferencesDialog> preferences_dialog_;
  QPointer<DevicesDialog> devices_dialog_;
  QPointer<views::ExportDialog> export_dialog_;
};

}  // namespace kernelscape::frame
