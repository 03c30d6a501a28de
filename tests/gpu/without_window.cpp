// The command line for machines without Qt: what opens windows and draws reports is elsewhere.
#include "app/display.h"
#include "app/report.h"
#include "app/serve.h"
#include "app/window.h"

namespace kernelscape::app {
namespace {

std::unexpected<Error> without_window() {
  return fail(ErrorCode::Environment, "this build has no window, draws no reports and serves no pages",
              "take its database home: `kernelscape import FILE.db`");
}

}  // namespace

Status find_display() { return without_window(); }
Result<int> run_report(const command_line::ReportOptions& /*options*/) { return without_window(); }
Result<int> run_serve(const command_line::ServeOptions& /*options*/) { return without_window(); }
Result<int> run_window(int& /*argc*/, char** /*argv*/, const std::string& /*database*/) {
  return without_window();
}

}  // namespace kernelscape::app
