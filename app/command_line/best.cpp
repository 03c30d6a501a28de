#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>

#include "app/command_line/command.h"
#include "app/command_line/console.h"
#include "app/command_line/json_events.h"
#include "app/command_line/report_text.h"
#include "app/command_line/shared_options.h"
#include "core/base/media/shell_script.h"
#include "core/base/numbers.h"
#include "core/session/kernel_library.h"
#include "core/task/catalogue.h"

namespace kernelscape::command_line {
namespace {

struct BestOptions {
  std::string task;
  std::string database;
  bool json = false;
};

/** A kernel with its session. */
struct BestOfTarget {
  session::LibraryKernel kernel;
  session::Report report;
};

/** The best kernel of a task, on each target description that has one. */
struct BestKernels {
  std::vector<BestOfTarget> kernels;                   ///< those that were measured here first
  std::vector<session::UnreadableSession> unreadable;  ///< left out
};

/** @param left_out sessions that were found to be unreadable, and grows */
Result<BestKernels> best_without(const store::Store& store, const task::Task& task,
                                 std::vector<session::UnreadableSession>& left_out) {
  std::set<store::SessionId> without;
  for (const session::UnreadableSession& session : left_out) without.insert(session.session);
  session::LibraryKernels library = TRY(session::best_kernels(store, without));
  BestKernels best{{}, std::move(library.unreadable)};
  for (session::LibraryKernel& kernel : library.kernels) {
    if (kernel.task.text != task.text) continue;
    Result<session::Report> report = session::make_session_report(store, kernel.session);
    if (report && report->problems.empty())
      best.kernels.push_back({std::move(kernel), std::move(*report)});
    else
      left_out.push_back(
          {kernel.session, kernel.session_name, report ? report->problems.front() : report.error().message});
  }
  std::ranges::stable_partition(best.kernels,
                                [](const BestOfTarget& one) { return one.kernel.measured_here(); });
  return best;
}

/** Returns the best sessions that can be read completely: an unreadable session does not hide the others. */
Result<BestKernels> best_per_target(const store::Store& store, const task::Task& task) {
  std::vector<session::UnreadableSession> left_out;
  for (;;) {
    const std::size_t before = left_out.size();
    BestKernels best = TRY(best_without(store, task, left_out));
    if (left_out.size() > before) continue;
    best.unreadable.insert(best.unreadable.end(), left_out.begin(), left_out.end());
    return best;
  }
}

/** "claimed     2.10 x faster by session 7 gemm, trial 3: imported from ..., not measured here". */
base::TerminalText claimed_line(const session::LibraryKernel& kernel) {
  if (!kernel.claimed) return {};
  const session::ClaimedKernel& claimed = *kernel.claimed;
  const std::string objective = analysis::objective_text(claimed.value.kind);
  return base::write<base::Terminal>(
      "claimed     {:.2f} x faster ({}{}{}) by trial {} of session {}{}: {}\n", claimed.times_faster,
      base::speed_text(kernel.task.flops(), claimed.value.seconds), objective.empty() ? "" : ", ", objective,
      claimed.trial, claimed.session, claimed.session_name.empty() ? "" : " (" + claimed.session_name + ")",
      claimed.origin);
}

nlohmann::json claimed_object(const session::LibraryKernel& kernel) {
  if (!kernel.claimed) return nullptr;
  const session::ClaimedKernel& claimed = *kernel.claimed;
  return {{"session", claimed.session},
          {"name", claimed.session_name},
          {"origin", claimed.origin},
          {"trial", claimed.trial},
          {"median_seconds", number_or_null(claimed.value.samples.median)},
          {"objective", trial::to_string(claimed.value.kind)},
          {"objective_seconds", number_or_null(claimed.value.seconds)},
          {"gflops", number_or_null(base::gflops_of(kernel.task.flops(), claimed.value.seconds))},
          {"times_faster", claimed.times_faster}};
}

void print_best(const BestOfTarget& best, bool as_json) {
  if (as_json) {
    nlohmann::json event = summary_event(best.report, false);
    event["claimed"] = claimed_object(best.kernel);
    print_json_line(event);
    return;
  }
  const store::SessionRecord& record = best.report.session.record;
  const Result<schedule::TargetDescription> target = schedule::target_from_json(record.target_json);
  print("target      {}; template {}, tuner {}\n{}{}\n", target ? target_text(*target) : record.target_name,
        record.template_name, record.tuner, claimed_line(best.kernel), report_text(best.report));
}

Result<int> run_best(const BestOptions& options) {
  const task::Catalogue catalogue = TRY(task::Catalogue::load_default());
  const task::Task task = TRY(catalogue.find(options.task));
  const store::Store store = TRY(open_store(options.database));
  const BestKernels best = TRY(best_per_target(store, task));
  for (const session::UnreadableSession& session : best.unreadable)
    print_note(session::left_out_text(session));
  if (best.kernels.empty()) {
    return fail(ErrorCode::NotFound, fmt::format("no session has a valid kernel of {}", task.name),
                fmt::format("find one with `kernelscape tune {}`", base::ShellScript::escaped(options.task)));
  }
  for (const BestOfTarget& one : best.kernels) print_best(one, options.json);
  std::vector<trial::ComparedVendor> vendors;
  for (const BestOfTarget& one : best.kernels) vendors.push_back(one.kernel.compared_with());
  if (const std::string notice = trial::vendor_difference_text(vendors, {"session", "sessions"});
      !notice.empty())
    print_note(notice);
  return exit_done;
}

}  // namespace

Command add_best_command(CLI::App& program) {
  auto options = std::make_shared<BestOptions>();
  CLI::App* app = program.add_subcommand(
      "best", "The best kernel of a task over all sessions, per target: kernels measured here first");
  app->add_option(
         "TASK", options->task,
         "A catalogue name or the text of a task, either with an epilogue (+bias+relu), or a JSON file")
      ->required();
  add_database_option(*app, options->database);
  add_json_option(*app, options->json);
  return {app, [options] { return run_best(*options); }};
}

}  // namespace kernelscape::command_line
