#include "core/session/session_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/exchange/kernels/exported_kernel.h"
#include "core/session/project_preparation.h"
#include "core/session/session_kernels.h"

namespace kernelscape {
namespace {

/** The layouts that a configuration chose; empty where its kernel can't be made again. */
std::string layouts_of(const SessionRecord& record, const Configuration& configuration) {
  const Result<ScheduleFamily> kernels = session_kernels(record);
  if (!kernels || !kernels->space().contains(configuration)) return {};
  // It was measured: no limit refused it.
  const Result<KernelSource> source =
      ScheduleFamily(kernels->kernel().without_limits()).source(configuration);
  if (!source) return {};
  return layouts_text(*source);
}

/** Reads a part of the report; records a problem if it cannot be read. */
template <typename T>
std::optional<T> readable(SessionReport& report, std::string_view part, Result<T> read) {
  if (read) return *std::move(read);
  report.problems.push_back(fmt::format("{}: {}", part, read.error().message));
  return std::nullopt;
}

/** The report with what the session was made from. */
SessionReport begin_report(SessionSummary session) {
  SessionReport report;
  report.session = std::move(session);
  const SessionRecord& record = report.session.record;
  report.task.name = record.task_name;
  if (auto task = readable(report, "task", task_from_json(record.task_json))) report.task = std::move(*task);
  readable(report, "target", target_from_json(record.target_json));
  report.space = readable(report, "space", space_from_json(record.space_json));
  report.budget.trials = 0;
  if (const auto plan = readable(report, "budget", budget_plan_from_json(record.budget_json)))
    report.budget = plan->budget;
  // Sessions measured by another program may have none.
  if (record.options_json.empty()) return report;
  if (const auto options = readable(report, "options", stored_measure_options(record.options_json)))
    report.options = *options;
  return report;
}

Result<TrialSnapshot> read_trials(const Store& store, SessionId id) {
  TrialTable table(0);
  TRY(store.visit_rows(id, 0, [&](const Store::ArrivedRow& row) { table.append(row, {}); }));
  return table.snapshot();
}

void add_saved_samples(const TrialSnapshot& trials, SessionReport& report) {
  for (std::int64_t row = 0; row < trials.size(); ++row)
    add_saved(report.time.saved, trials.row(row), report.options.min_sample_seconds(),
              report.options.calls_per_sample);
}

/** Finds the representative failure of a session without a valid trial. */
Status find_failure(const Store& store, const TrialSnapshot& trials, SessionReport& report) {
  if (report.errors.of(ErrorCategory::NoError).trials > 0 || trials.size() == 0) return {};
  const auto most = std::ranges::max_element(report.errors.categories, {}, &CategoryTotals::trials);
  const auto category = static_cast<ErrorCategory>(most - report.errors.categories.begin());
  std::optional<TrialRow> first;
  for (std::int64_t i = 0; i < trials.size(); ++i) {
    const TrialRow row = trials.row(i);
    if (row.category == category && (!first || row.number < first->number)) first = row;
  }
  const bool has_message = first && first->message != 0;
  report.failure = failure_text(category, has_message ? TRY(store.message(first->message)) : std::string());
  return {};
}

Status choose_best(const Store& store, SessionReport& report) {
  const SessionId id = report.session.record.id;
  if (report.session.status.best_trial < 0) return {};
  const ConfirmedTrial* confirmed = confirmed_best(report.confirmed, report.session.status.best_trial);
  const std::int64_t number = confirmed != nullptr ? confirmed->trial : report.session.status.best_trial;
  const Trial trial = TRY(store.trial(id, number));
  report.best_trial = number;
  report.best_confirmed = confirmed != nullptr && measured_here(report.session.record);
  report.best = confirmed != nullptr ? median_value(confirmed->seconds) : trial_value(trial.measurement);
  report.best_resources = trial.measurement.resources;
  if (!report.space) return {};
  if (!fits_knobs(*report.space, trial.configuration))
    return fail(ErrorCode::Corrupt, fmt::format("the configuration of trial {} is not in its space", number));
  report.best_configuration = trial.configuration;
  report.best_layouts = layouts_of(report.session.record, report.best_configuration);
  return {};
}

}  // namespace

bool failed_identically(const SessionStatus& status) {
  return status.state == SessionState::Done && status.state_reason == identical_failures_reason;
}

Result<SessionReport> make_session_report(const Store& store, SessionId id) {
  SessionSummary session = TRY(store.session(id));
  SessionReport report = begin_report(std::move(session));
  if (!report.session.record.project_hash.empty()) {
    if (const auto project = readable(report, "project", stored_project(store, report.session.record))) {
      report.right_answer = (*project)->data.answer.kind;
      report.project_files = {(*project)->source_name};
      for (const IncludedFile& file : (*project)->includes) report.project_files.push_back(file.name);
    }
  }
  const SessionStatus& status = report.session.status;
  report.time = {status.session_seconds, status.search_seconds, status.build_seconds, status.run_seconds};
  if (const auto trials = readable(report, "trials", read_trials(store, id))) {
    report.errors = error_breakdown(*trials);
    add_saved_samples(*trials, report);
    if (const Status found = find_failure(store, *trials, report); !found)
      report.problems.push_back("failure: " + found.error().message);
  }
  if (const auto confirmations = readable(report, "confirmations", store.confirmations(id)))
    report.confirmed = last_confirmed(*confirmations);
  if (auto baselines = readable(report, "baselines", baselines_from_json(status.vendor_json)))
    report.baselines = std::move(*baselines);
  if (auto notices = readable(report, "notices", store.notices(id))) report.notices = std::move(*notices);
  report.vendor_seconds = quartiles(report.baselines.vendor.samples_seconds);
  if (report.baselines.first_valid)
    report.first_valid_seconds = quartiles(report.baselines.first_valid->samples_seconds);
  if (const Status chosen = choose_best(store, report); !chosen)
    report.problems.push_back("best trial: " + chosen.error().message);
  return report;
}

std::string layouts_text(const KernelSource& kernel) {
  std::string text;
  for (const KernelArgument& argument : kernel.arguments)
    text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", argument.name, argument.layout.name);
  return text;
}

}  // namespace kernelscape
