#include "ui/frame/window_state.h"

#include <QMainWindow>
#include <tuple>

#include "core/base/read_file.h"
#include "ui/files/dialog.h"
#include "ui/frame/recent_databases.h"
#include "ui/frame/sessions/session_folding.h"
#include "ui/frame/view_registry.h"
#include "ui/frame/view_stack.h"
#include "ui/workspace/run_queue.h"

namespace kernelscape::frame {
namespace {

/** Incremented when docks of the main window are added or removed. */
constexpr int layout_version = 1;

const QString& layout_name() {
  static const QString name = QStringLiteral("window");
  return name;
}

}  // namespace

QString WindowState::database() const {
  const std::filesystem::path& database = workspace_.database();
  return QString::fromStdString(base::absolute_path(database).value_or(database).string());
}

void WindowState::restore_layout(QMainWindow& window) const {
  const Preferences& last = preferences_.get();
  if (!last.folders.isEmpty()) files::dialog_folders() = last.folders;
  if (!last.geometry.isEmpty()) window.restoreGeometry(last.geometry);
  if (const QByteArray layout = last.layouts.value(layout_name()); !layout.isEmpty())
    window.restoreState(layout, layout_version);
}

void WindowState::restore_view(views::View& view) const {
  const Preferences& last = preferences_.get();
  fill_kept_form(view, last.form);
  show_whole_axis(view, last.whole_speed_axis);
  offer_networks(view, last.recent_networks);
  offer_fleet(view, last.fleet_address, last.fleet_password_file);
  if (last.threads > 0) prefer_threads(view, last.threads);
}

std::set<store::SessionId> WindowState::take_paused_sessions() {
  std::set<store::SessionId> sessions;
  if (preferences_.get().paused_database != database()) return sessions;
  for (const QString& id : preferences_.get().paused_sessions) sessions.insert(id.toLongLong());
  preferences_.change([](Preferences& p) {
    p.paused_database.clear();
    p.paused_sessions.clear();
  });
  return sessions;
}

void WindowState::open_last_session() {
  const Preferences& last = preferences_.get();
  if (workspace_.opened() || last.session.isEmpty() || last.session_database != database()) return;
  // Sessions of studies and networks are not in the list; a session that was deleted is closed again.
  workspace_.open_session(last.session.toLongLong());
}

void WindowState::remember_database() {
  preferences_.change(
      [this](Preferences& p) { p.recent_databases = with_recent_database(p.recent_databases, database()); });
}

void WindowState::save(const QMainWindow& window, SessionFolding& folding, ViewStack& views) {
  preferences_.change([&](Preferences& p) {
    p.geometry = window.saveGeometry();
    p.folders = files::dialog_folders();
    folding.unfold();
    p.layouts.insert(layout_name(), window.saveState(layout_version));
    save_views(views, p);
    save_sessions(p);
  });
}

void WindowState::save_views(ViewStack& views, Preferences& preferences) const {
  views.save_layouts(preferences);
  if (const views::View* tune = views.view(view_registrations().front().name)) {
    preferences.form = kept_form(*tune);
    preferences.whole_speed_axis = shows_whole_axis(*tune);
  }
  if (const views::View* network = views.view(QStringLiteral("Network")))
    preferences.recent_networks = offered_networks(*network);
  if (const views::View* fleet = views.view(QStringLiteral("Fleet")))
    std::tie(preferences.fleet_address, preferences.fleet_password_file) = offered_fleet(*fleet);
}

/** Stores which session is open, and which sessions are paused. */
void WindowState::save_sessions(Preferences& preferences) const {
  const std::optional<store::SessionId> opened = workspace_.opened();
  preferences.session_database = opened ? database() : QString();
  preferences.session = opened ? QString::number(*opened) : QString();
  QStringList paused;
  for (const workspace::RunView& run : workspace_.queue().runs()) {
    if (!run.session) continue;
    // The last run of a session counts: a session may have been paused, resumed and stopped.
    const QString session = QString::number(*run.session);
    paused.removeAll(session);
    if (run.state == workspace::RunState::Paused) paused.append(session);
  }
  if (paused.isEmpty()) return;
  preferences.paused_database = database();
  preferences.paused_sessions = paused;
}

}  // namespace kernelscape::frame
