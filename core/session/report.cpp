#include "core/session/report.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/exchange/kernels/exported_kernel.h"
#include "core/session/kernels.h"
#include "core/session/project_preparation.h"
#include "core/store/stored_speeds.h"
#include "core/task/winograd.h"

namespace kernelscape::session {
namespace {

/** The layouts that a configuration chose; empty where its kernel can't be made again. */
std::string layouts_of(const store::SessionRecord& record, const space::Configuration& configuration) {
  const Result<kernel::ScheduleFamily> kernels = session_kernels(record);
  if (!kernels || !kernels->space().contains(configuration)) return {};
  // It was measured: no limit refused it.
  const Result<codegen::KernelSource> source =
      kernel::ScheduleFamily(kernels->kernel().without_limits()).source(configuration);
  if (!source) return {};
  return layouts_text(*source);
}

/** Reads a part of the report; records a problem if it cannot be read. */
template <typename T>
std::optional<T> readable(Report& report, std::string_view part, Result<T> read) {
  if (read) return *std::move(read);
  report.problems.push_back(fmt::format("{}: {}", part, read.error().message));
  return std::nullopt;
}

/** The report with what the session was made from. */
Report begin_report(store::SessionSummary session) {
  Report report;
  report.session = std::move(session);
  const store::SessionRecord& record = report.session.record;
  report.task.name = record.task_name;
  if (auto task = readable(report, "task", task::task_from_json(record.task_json)))
    report.task = std::move(*task);
  readable(report, "target", schedule::target_from_json(record.target_json));
  report.space = readable(report, "space", space::space_from_json(record.space_json));
  report.budget.trials = 0;
  if (const auto plan = readable(report, "budget", trial::budget_plan_from_json(record.budget_json)))
    report.budget = plan->budget;
  // Sessions measured by another program may have none.
  if (record.options_json.empty()) return report;
  if (const auto options = readable(report, "options", trial::stored_measure_options(record.options_json)))
    report.options = *options;
  return report;
}

void add_saved_samples(const trial::Snapshot& trials, Report& report) {
  for (std::int64_t row = 0; row < trials.size(); ++row)
    analysis::add_saved(report.time.saved, trials.row(row), report.options.min_sample_seconds(),
                        report.options.calls_per_sample);
}

/** Finds the representative failure of a session without a valid trial. */
Status find_failure(const store::Store& store, const trial::Snapshot& trials, Report& report) {
  if (report.errors.of(trial::ErrorCategory::NoError).trials > 0 || trials.size() == 0) return {};
  const auto most = std::ranges::max_element(report.errors.categories, {}, &analysis::CategoryTotals::trials);
  const auto category = static_cast<trial::ErrorCategory>(most - report.errors.categories.begin());
  std::optional<trial::Row> first;
  for (std::int64_t i = 0; i < trials.size(); ++i) {
    const trial::Row row = trials.row(i);
    if (row.category == category && (!first || row.number < first->number)) first = row;
  }
  const bool has_message = first && first->message != 0;
  report.failure = trial::failure_text(
      category, has_message ? TRY(store.trials().message(first->message)) : std::string());
  return {};
}

/** Determines the best result. @param trials null if they cannot be read: the status names the best one */
void find_best(const trial::Snapshot* trials, std::span<const trial::Confirmation> confirmations,
               Report& report) {
  const store::SessionStatus& status = report.session.status;
  analysis::BestInput input{
      .confirmations = confirmations,
      .speeds = report.baselines.confirmation_speeds,
      .usual = report.speeds ? report.speeds->usual : report.session.record.usual_probe};
  if (trials != nullptr)
    input.measured = analysis::best_measured(*trials);
  else
    input.measured = {.trial = status.best_trial, .value = {.seconds = status.best_seconds}};
  report.confirmed = analysis::last_confirmed(confirmations, input.speeds);
  report.result = analysis::best_result(input);
  report.compared = compare_best(report.result, confirmations, report.baselines, report.task,
                                 report.session.record.template_name);
}

Status describe_best(const store::Store& store, Report& report) {
  const std::int64_t stored = report.session.status.best_trial;
  if (!report.result.exists() && stored >= 0)
    return fail(ErrorCode::Corrupt, fmt::format("trial {} is missing", stored));
  if (!report.result.exists()) return {};
  const std::int64_t number = report.result.trial;
  const trial::Trial trial = TRY(store.trials().get(report.session.record.id, number));
  report.best_trial = number;
  report.best_confirmed = report.result.confirmed() && store::measured_here(report.session.record);
  report.best = report.result.confirmed_utc.empty()
                    ? analysis::corrected(analysis::trial_value(trial.measurement), report.result.correction)
                    : report.result.value;
  report.best_resources = trial.measurement.resources;
  report.best_metrics = trial.measurement.metrics;
  if (!report.space) return {};
  if (!exchange::fits_knobs(*report.space, trial.configuration))
    return fail(ErrorCode::Corrupt, fmt::format("the configuration of trial {} is not in its space", number));
  report.best_configuration = trial.configuration;
  report.best_layouts = layouts_of(report.session.record, report.best_configuration);
  return {};
}

}  // namespace

bool failed_identically(const store::SessionStatus& status) {
  return status.state == store::SessionState::Done && status.state_reason == trial::identical_failures_reason;
}

Result<Report> make_session_report(const store::Store& store, store::SessionId id) {
  store::SessionSummary session = TRY(store.sessions().get(id));
  Report report = begin_report(std::move(session));
  if (!report.session.record.project_hash.empty()) {
    if (const auto project = readable(report, "project", stored_project(store, report.session.record))) {
      if ((*project)->program) {
        report.program_checked = !(*project)->program->check.commands.empty();
      } else {
        report.right_answer = (*project)->data.answer.kind;
        report.project_files = {(*project)->source_name};
      }
      for (const codegen::IncludedFile& file : (*project)->includes)
        report.project_files.push_back(file.name);
    }
  }
  const store::SessionStatus& status = report.session.status;
  report.time = {status.session_seconds, status.search_seconds, status.build_seconds, status.run_seconds};
  const auto read = readable(report, "trials", store::read_trials(store, report.session.record));
  const trial::Snapshot* trials = read ? &read->trials : nullptr;
  if (trials != nullptr) {
    report.speeds = read->speeds;
    report.errors = analysis::error_breakdown(*trials);
    add_saved_samples(*trials, report);
    if (const Status found = find_failure(store, *trials, report); !found)
      report.problems.push_back("failure: " + found.error().message);
  }
  const auto confirmations = readable(report, "confirmations", store.confirmations().of(id));
  if (auto baselines = readable(report, "baselines", trial::baselines_from_json(status.vendor_json)))
    report.baselines = std::move(*baselines);
  if (auto notices = readable(report, "notices", store.notices().of(id)))
    report.notices = std::move(*notices);
  if (report.baselines.first_valid)
    report.first_valid_seconds = analysis::quartiles(report.baselines.first_valid->samples_seconds);
  find_best(trials ? &*trials : nullptr, confirmations.value_or(std::vector<trial::Confirmation>()), report);
  if (const Status described = describe_best(store, report); !described)
    report.problems.push_back("best trial: " + described.error().message);
  return report;
}

std::string layouts_text(const codegen::KernelSource& kernel) {
  std::string text;
  for (const codegen::KernelArgument& argument : kernel.arguments) {
    const loop_nest::Layout& layout = argument.layout;
    text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", argument.name, layout.name);
    if (layout.winograd_tile > 0)
      text += fmt::format(" (transformed for Winograd's F({0}x{0}, 3x3), whose error is below {1:.1e})",
                          layout.winograd_tile,
                          task::winograd_error_bound(layout.winograd_tile, layout.shape[1]));
  }
  return text;
}

}  // namespace kernelscape::session
