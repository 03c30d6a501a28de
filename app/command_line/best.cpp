#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "app/command_line/command.h"
#include "app/command_line/console.h"
#include "app/command_line/json_events.h"
#include "app/command_line/report_text.h"
#include "app/command_line/shared_options.h"
#include "core/session/kernel_library.h"
#include "core/task/catalogue.h"

namespace kernelscape {
namespace {

struct BestOptions {
  std::string task;
  std::string database;
  bool json = false;
};

/** The session of the best kernel of a task, on each target description that has one. */
Result<std::vector<SessionReport>> best_per_target(const Store& store, const Task& task) {
  const std::vector<LibraryKernel> kernels = TRY(best_kernels(store));
  std::vector<SessionReport> best;
  for (const LibraryKernel& kernel : kernels) {
    if (kernel.task.text != task.text) continue;
    best.push_back(TRY(make_session_report(store, kernel.session)));
  }
  return best;
}

Result<int> run_best(const BestOptions& options) {
  const Catalogue catalogue = TRY(Catalogue::load_default());
  const Task task = TRY(catalogue.find(options.task));
  const Store store = TRY(open_store(options.database));
  const std::vector<SessionReport> reports = TRY(best_per_target(store, task));
  if (reports.empty()) {
    return fail(ErrorCode::NotFound, fmt::format("no session has a valid kernel of {}", task.name),
                fmt::format("find one with `kernelscape tune \"{}\"`", options.task));
  }
  for (const SessionReport& report : reports) {
    const SessionRecord& record = report.session.record;
    if (options.json) {
      print_json_line(summary_event(report, false));
      continue;
    }
    const Result<TargetDescription> target = target_from_json(record.target_json);
    fmt::print("target      {}; template {}, tuner {}\n{}\n",
               target ? target_text(*target) : record.target_name, record.template_name, record.tuner,
               report_text(report));
  }
  return exit_done;
}

}  // namespace

Command add_best_command(CLI::App& program) {
  auto options = std::make_shared<BestOptions>();
  CLI::App* app = program.add_subcommand("best", "The best kernel of a task over all sessions, per target");
  app->add_option("TASK", options->task, "A catalogue name, a JSON file, or a task written out")->required();
  add_database_option(*app, options->database);
  add_json_option(*app, options->json);
  return {app, [options] { return run_best(*options); }};
}

}  // namespace kernelscape
