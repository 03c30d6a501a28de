#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/command_line/command.h"
#include "app/command_line/console.h"
#include "app/command_line/json_events.h"
#include "app/command_line/report_text.h"
#include "app/command_line/shared_options.h"
#include "core/base/numbers.h"
#include "core/session/kernel_library.h"
#include "core/task/catalogue.h"

namespace kernelscape {
namespace {

struct BestOptions {
  std::string task;
  std::string database;
  bool json = false;
};

/** A kernel with its session. */
struct BestOfTarget {
  LibraryKernel kernel;
  SessionReport report;
};

/** The best kernel of a task on each target description that has one, those that were measured here first. */
Result<std::vector<BestOfTarget>> best_per_target(const Store& store, const Task& task) {
  std::vector<LibraryKernel> kernels = TRY(best_kernels(store));
  std::vector<BestOfTarget> best;
  for (LibraryKernel& kernel : kernels) {
    if (kernel.task.text != task.text) continue;
    SessionReport report = TRY(make_session_report(store, kernel.session));
    best.push_back({std::move(kernel), std::move(report)});
  }
  std::ranges::stable_partition(best, [](const BestOfTarget& one) { return one.kernel.measured_here(); });
  return best;
}

/** "claimed     2.10 x faster by session 7 gemm, trial 3: imported from ..., not measured here". */
std::string claimed_line(const LibraryKernel& kernel) {
  if (!kernel.claimed) return {};
  const ClaimedKernel& claimed = *kernel.claimed;
  return fmt::format("claimed     {:.2f} x faster ({}) by trial {} of session {}{}: {}\n",
                     claimed.times_faster, speed_text(kernel.task.flops(), claimed.seconds.median),
                     claimed.trial, claimed.session,
                     claimed.session_name.empty() ? "" : " (" + claimed.session_name + ")", claimed.origin);
}

nlohmann::json claimed_object(const LibraryKernel& kernel) {
  if (!kernel.claimed) return nullptr;
  const ClaimedKernel& claimed = *kernel.claimed;
  return {{"session", claimed.session},
          {"name", claimed.session_name},
          {"origin", claimed.origin},
          {"trial", claimed.trial},
          {"median_seconds", number_or_null(claimed.seconds.median)},
          {"gflops", number_or_null(gflops_of(kernel.task.flops(), claimed.seconds.median))},
          {"times_faster", claimed.times_faster}};
}

void print_best(const BestOfTarget& best, bool as_json) {
  if (as_json) {
    nlohmann::json event = summary_event(best.report, false);
    event["claimed"] = claimed_object(best.kernel);
    print_json_line(event);
    return;
  }
  const SessionRecord& record = best.report.session.record;
  const Result<TargetDescription> target = target_from_json(record.target_json);
  fmt::print("target      {}; template {}, tuner {}\n{}{}\n",
             target ? target_text(*target) : record.target_name, record.template_name, record.tuner,
             claimed_line(best.kernel), report_text(best.report));
}

Result<int> run_best(const BestOptions& options) {
  const Catalogue catalogue = TRY(Catalogue::load_default());
  const Task task = TRY(catalogue.find(options.task));
  const Store store = TRY(open_store(options.database));
  const std::vector<BestOfTarget> best = TRY(best_per_target(store, task));
  if (best.empty()) {
    return fail(ErrorCode::NotFound, fmt::format("no session has a valid kernel of {}", task.name),
                fmt::format("find one with `kernelscape tune \"{}\"`", options.task));
  }
  for (const BestOfTarget& one : best) print_best(one, options.json);
  return exit_done;
}

}  // namespace

Command add_best_command(CLI::App& program) {
  auto options = std::make_shared<BestOptions>();
  CLI::App* app = program.add_subcommand(
      "best", "The best kernel of a task over all sessions, per target: what was measured here first");
  app->add_option("TASK", options->task, "A catalogue name, a JSON file, or a task written out")->required();
  add_database_option(*app, options->database);
  add_json_option(*app, options->json);
  return {app, [options] { return run_best(*options); }};
}

}  // namespace kernelscape
