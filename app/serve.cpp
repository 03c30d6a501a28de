#include "app/serve.h"

#include <optional>
#include <string>

#include "app/chart_application.h"
#include "app/command_line/command.h"
#include "app/command_line/console.h"
#include "app/command_line/shared_options.h"
#include "core/fleet/signature.h"
#include "ui/frame/quit_signals.h"
#include "ui/web/server.h"
#include "ui/web/site.h"
#include "ui/workspace/jobs.h"

namespace kernelscape::app {
namespace {

/** Checks that the database can be read, and returns its path; a default database need not exist yet. */
Result<std::filesystem::path> database_path(const std::string& named) {
  const store::Store store = TRY(command_line::open_store(named));
  return store.path();
}

}  // namespace

Result<int> run_serve(const command_line::ServeOptions& options) {
  const std::filesystem::path database = TRY(database_path(options.database));
  const ChartApplication application;
  const std::string token = fleet::draw_nonce();
  std::optional<web::Site> site;
  web::Server server([&site](const web::HttpRequest& request, const web::Server::Respond& respond) {
    if (site) site->handle(request, respond);
  });
  TRY(server.listen(options.port));
  site.emplace(database, token, server.port());
  frame::QuitSignals quit_signals;
  QObject::connect(&quit_signals, &frame::QuitSignals::quit_requested, qApp, &QCoreApplication::quit);
  command_line::print("open http://127.0.0.1:{}/?token={} in a browser; Ctrl+C ends it\n", server.port(),
                      token);
  command_line::flush_printed();
  QCoreApplication::exec();
  // Cancels the readings in progress.
  site.reset();
  workspace::JobTracker::wait_for_all();
  return command_line::exit_done;
}

}  // namespace kernelscape::app
