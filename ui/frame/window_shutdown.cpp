#include "ui/frame/window_shutdown.h"

#include <utility>

#include "ui/frame/recent_databases.h"
#include "ui/frame/trash.h"
#include "ui/workspace/notices.h"

namespace kernelscape::frame {

WindowShutdown::WindowShutdown(workspace::Workspace& workspace, QWidget& window, std::function<void()> save)
    : QObject(&window),
      workspace_(workspace),
      window_(window),
      save_(std::move(save)),
      guard_(*new CloseGuard(workspace, &window)) {}

void WindowShutdown::quit() {
  guard_.leave(tr("quit"), [this] { finish({}); });
}

void WindowShutdown::leave_for(const QString& database) {
  guard_.leave(tr("open"), [this, database] { finish(database); });
}

void WindowShutdown::open_database(const QString& database) {
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

void WindowShutdown::leave_pausing() {
  guard_.leave_pausing([this] { finish({}); });
}

void WindowShutdown::finish(const QString& next_database) {
  save_();
  window_.hide();
  trash_job_.start(
      [database = workspace_.database()](const workspace::JobControl&) { return empty_trash(database); },
      [this, next_database](const Status&) {
        left_ = true;
        emit left_for(next_database);
      });
}

}  // namespace kernelscape::frame
