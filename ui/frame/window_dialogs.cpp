#include "ui/frame/window_dialogs.h"

#include <QMessageBox>
#include <utility>

#include "core/session/version.h"
#include "ui/frame/devices_dialog.h"
#include "ui/frame/palette/shortcut_overview.h"
#include "ui/frame/preferences/preferences_dialog.h"
#include "ui/manual/window.h"
#include "ui/style/icons.h"
#include "ui/views/export/export_dialog.h"

namespace kernelscape::frame {
namespace {

/** Makes the dialog unless it is open. A dialog is deleted when it is closed. */
template <typename Dialog, typename... Arguments>
Dialog& open_or_made(QPointer<Dialog>& dialog, Arguments&&... arguments) {
  if (!dialog) {
    dialog = new Dialog(std::forward<Arguments>(arguments)...);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
  }
  return *dialog;
}

void show_in_front(QWidget& dialog) {
  dialog.show();
  dialog.raise();
  dialog.activateWindow();
}

}  // namespace

WindowDialogs::WindowDialogs(workspace::Workspace& workspace, PreferencesFile& preferences,
                             views::ActionRegistry& actions, QWidget& window)
    : QObject(&window),
      workspace_(workspace),
      preferences_(preferences),
      actions_(actions),
      window_(window) {}

void WindowDialogs::show_manual(const manual::Place& place) {
  manual::Window& dialog = open_or_made(manual_, &window_);
  dialog.show_place(place);
  show_in_front(dialog);
}

void WindowDialogs::show_shortcuts() { show_in_front(open_or_made(shortcuts_, actions_, &window_)); }

void WindowDialogs::show_preferences() {
  show_in_front(open_or_made(preferences_dialog_, preferences_, &window_));
}

void WindowDialogs::show_devices() { show_in_front(open_or_made(devices_dialog_, workspace_, &window_)); }

void WindowDialogs::show_export() { show_in_front(open_or_made(export_dialog_, workspace_, &window_)); }

void WindowDialogs::show_about() {
  auto* about = new QMessageBox(&window_);
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
