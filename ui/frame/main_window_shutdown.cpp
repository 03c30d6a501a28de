#include <QCloseEvent>
#include <tuple>

#include "core/base/read_file.h"
#include "ui/files/dialog.h"
#include "ui/frame/main_window.h"
#include "ui/frame/recent_databases.h"
#include "ui/frame/sessions/session_folding.h"
#include "ui/frame/trash.h"
#include "ui/frame/view_registry.h"
#include "ui/frame/view_stack.h"
#include "ui/workspace/notices.h"
#include "ui/workspace/session_watch.h"

// Stores and restores the window's state, and closes the window.

namespace kernelscape::frame {
namespace {

/** Incremented when docks of the main window are added or removed. */
constexpr int layout_version = 1;

const QString& layout_name() {
  static const QString name = QStringLiteral("window");
  return name;
}

}  // namespace

QString MainWindow::whole_path() const {
  const std::filesystem::path& database = workspace_.database();
  return QString::fromStdString(base::absolute_path(database).value_or(database).string());
}

void MainWindow::restore_layout() {
  if (!preferences_.get().folders.isEmpty()) files::dialog_folders() = preferences_.get().folders;
  if (!preferences_.get().geometry.isEmpty()) restoreGeometry(preferences_.get().geometry);
  if (const QByteArray layout = preferences_.get().layouts.value(layout_name()); !layout.isEmpty())
    restoreState(layout, layout_version);
}

/**
 * Returns the paused sessions of this database and removes them from the preferences, so that they are
 * offered once.
 */
std::set<store::SessionId> MainWindow::take_paused_sessions() {
  std::set<store::SessionId> sessions;
  if (preferences_.get().paused_database != whole_path()) return sessions;
  for (const QString& id : preferences_.get().paused_sessions) sessions.insert(id.toLongLong());
  preferences_.change([](Preferences& p) {
    p.paused_database.clear();
    p.paused_sessions.clear();
  });
  return sessions;
}

void MainWindow::remember_paused_sessions(Preferences& preferences) const {
  QStringList paused;
  for (const workspace::RunView& run : workspace_.queue().runs()) {
    if (!run.session) continue;
    // The last run of a session counts: a session may have been paused, resumed and stopped.
    const QString session = QString::number(*run.session);
    paused.removeAll(session);
    if (run.state == workspace::RunState::Paused) paused.append(session);
  }
  if (paused.isEmpty()) return;
  preferences.paused_database = whole_path();
  preferences.paused_sessions = paused;
}

/** Opens the session that was open when the window closed, unless another session was opened meanwhile. */
void MainWindow::open_last_session() {
  const Preferences& last = preferences_.get();
  if (workspace_.opened() || last.session.isEmpty() || last.session_database != whole_path()) return;
  // Sessions of studies and networks are not in the list; a session that was deleted is closed again.
  workspace_.open_session(last.session.toLongLong());
}

void MainWindow::open_database(const QString& database) {
  check_job_.start(
      [database](const workspace::JobControl&) { return check_database(database.toStdString()); },
      [this, database](const Status& checked) {
        if (checked) return leave_for(database);
        const QString open = QString::fromStdString(workspace_.database().filename().string());
        workspace_.notices().fail(
            {checked.error().code, checked.error().message,
             tr("%1 stays open. File > Open database opens another database.").arg(open).toStdString()});
      });
}

void MainWindow::leave_for(const QString& database) {
  guard_->leave(tr("open"), [this, database] { finish_shutdown(database); });
}

void MainWindow::leave_pausing() {
  guard_->leave_pausing([this] { finish_shutdown({}); });
}

void MainWindow::finish_shutdown(const QString& next_database) {
  preferences_.change([this](Preferences& p) {
    p.geometry = saveGeometry();
    p.folders = files::dialog_folders();
    session_folding_->unfold();
    p.layouts.insert(layout_name(), saveState(layout_version));
    stack_->save_layouts(p);
    remember_paused_sessions(p);
    const views::View* tune = stack_->view(view_registrations().front().name);
    if (tune != nullptr) {
      p.form = kept_form(*tune);
      p.whole_speed_axis = shows_whole_axis(*tune);
    }
    const views::View* network = stack_->view(QStringLiteral("Network"));
    if (network != nullptr) p.recent_networks = offered_networks(*network);
    if (const views::View* fleet = stack_->view(QStringLiteral("Fleet")))
      std::tie(p.fleet_address, p.fleet_password_file) = offered_fleet(*fleet);
    p.session_database = workspace_.opened() ? whole_path() : QString();
    p.session = workspace_.opened() ? QString::number(*workspace_.opened()) : QString();
  });
  hide();
  leave_job_.start(
      [database = workspace_.database()](const workspace::JobControl&) { return empty_trash(database); },
      [this, next_database](const Status&) {
        left_ = true;
        emit left(next_database);
      });
}

void MainWindow::closeEvent(QCloseEvent* event) {
  if (left_) return event->accept();
  event->ignore();
  guard_->leave(tr("quit"), [this] { finish_shutdown({}); });
}

}  // namespace kernelscape::frame
