#include "core/session/session_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/measure/kernel_family.h"
#include "core/schedule/template.h"

namespace kernelscape {
namespace {

/** The layouts that a configuration chose: "data: NCHW16c; weight: OIHW16i16o; output: NCHW16c". */
std::string layouts_of(const SessionRecord& record, const Task& task, const Configuration& configuration) {
  const Result<TargetDescription> target = target_from_json(record.target_json);
  if (!target) return {};
  const Result<ScheduledKernel> kernel = apply_template(task, *target, record.template_name);
  if (!kernel || kernel->template_version() != record.template_version) return {};
  if (!kernel->space().contains(configuration)) return {};
  const Result<KernelSource> source = ScheduleFamily(*kernel).source(configuration);
  if (!source) return {};
  std::string text;
  for (const KernelArgument& argument : source->arguments) {
    text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", argument.name, argument.layout.name);
  }
  return text;
}

/** The report with what the session was made from. */
Result<SessionReport> begin_report(SessionSummary session) {
  Result<Task> task = task_from_json(session.record.task_json);
  if (!task) return std::unexpected(task.error());
  Result<SearchSpace> space = space_from_json(session.record.space_json);
  if (!space) return std::unexpected(space.error());
  const Result<BudgetPlan> plan = budget_plan_from_json(session.record.budget_json);
  if (!plan) return std::unexpected(plan.error());
  SessionReport report{.space = std::move(*space)};
  report.session = std::move(session);
  report.task = std::move(*task);
  report.budget = plan->budget;
  return report;
}

Result<TrialSnapshot> read_trials(const Store& store, SessionId id, std::size_t knobs) {
  const Result<std::vector<Store::ArrivedRow>> rows = store.rows(id);
  if (!rows) return std::unexpected(rows.error());
  TrialTable table(knobs);
  for (const Store::ArrivedRow& row : *rows) {
    table.append({row.number, row.batch, row.position, row.category, row.cut_short, row.sample_count,
                  row.median_seconds, row.first_quartile_seconds, row.third_quartile_seconds,
                  row.build_seconds, row.run_seconds, row.finished_seconds, row.message},
                 row.configuration);
  }
  return table.snapshot();
}

/** Those measured together last: only these were interleaved. */
Result<std::vector<ConfirmedTrial>> last_confirmed(const Store& store, SessionId id) {
  const Result<std::vector<Confirmation>> all = store.confirmations(id);
  if (!all) return std::unexpected(all.error());
  std::string last;
  for (const Confirmation& confirmation : *all) last = std::max(last, confirmation.measured_utc);
  std::vector<ConfirmedTrial> confirmed;
  for (const Confirmation& confirmation : *all) {
    if (confirmation.trial < 0 || confirmation.measured_utc != last || confirmation.samples_seconds.empty())
      continue;
    confirmed.push_back({confirmation.trial, quartiles(confirmation.samples_seconds)});
  }
  std::ranges::stable_sort(confirmed, {}, [](const ConfirmedTrial& trial) { return trial.seconds.median; });
  return confirmed;
}

Status choose_best(const Store& store, SessionReport& report) {
  const SessionId id = report.session.record.id;
  const bool none_better_since = std::ranges::any_of(
      report.confirmed, [&](const auto& c) { return c.trial == report.session.status.best_trial; });
  report.best_confirmed = !report.confirmed.empty() && none_better_since;
  if (report.session.status.best_trial < 0) return {};
  report.best_trial =
      report.best_confirmed ? report.confirmed.front().trial : report.session.status.best_trial;
  const Result<Trial> trial = store.trial(id, *report.best_trial);
  if (!trial) return std::unexpected(trial.error());
  report.best_configuration = trial->configuration;
  report.best_seconds = report.best_confirmed ? report.confirmed.front().seconds
                                              : quartiles(trial->measurement.samples_seconds);
  report.best_layouts = layouts_of(report.session.record, report.task, report.best_configuration);
  return {};
}

}  // namespace

Result<SessionReport> make_session_report(const Store& store, SessionId id) {
  Result<SessionSummary> session = store.session(id);
  if (!session) return std::unexpected(session.error());
  Result<SessionReport> made = begin_report(std::move(*session));
  if (!made) return std::unexpected(made.error());
  SessionReport& report = *made;
  const Result<TrialSnapshot> trials = read_trials(store, id, report.space.knobs().size());
  if (!trials) return std::unexpected(trials.error());
  report.errors = error_breakdown(*trials);
  const SessionStatus& status = report.session.status;
  report.time = {status.session_seconds, status.search_seconds, status.build_seconds, status.run_seconds};
  Result<std::vector<ConfirmedTrial>> confirmed = last_confirmed(store, id);
  if (!confirmed) return std::unexpected(confirmed.error());
  report.confirmed = std::move(*confirmed);
  Result<Baselines> baselines = baselines_from_json(status.vendor_json);
  if (!baselines) return std::unexpected(baselines.error());
  report.baselines = std::move(*baselines);
  report.vendor_seconds = quartiles(report.baselines.vendor.samples_seconds);
  if (report.baselines.first_valid) {
    report.first_valid_seconds = quartiles(report.baselines.first_valid->samples_seconds);
  }
  if (const Status chosen = choose_best(store, report); !chosen) return std::unexpected(chosen.error());
  return made;
}

}  // namespace kernelscape
