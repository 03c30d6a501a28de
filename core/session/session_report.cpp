#include "core/session/session_report.h"

#include <fmt/format.h>

#include "core/kernel/kernel_family.h"
#include "core/schedule/template.h"

namespace kernelscape {
namespace {

/** The layouts that a configuration chose; empty where its kernel can't be made again. */
std::string layouts_of(const SessionRecord& record, const Task& task, const Configuration& configuration) {
  const Result<TargetDescription> target = target_from_json(record.target_json);
  if (!target) return {};
  const Result<ScheduledKernel> kernel = apply_template(task, *target, record.template_name);
  if (!kernel || kernel->template_version() != record.template_version) return {};
  if (!kernel->space().contains(configuration)) return {};
  const Result<KernelSource> source = ScheduleFamily(*kernel).source(configuration);
  if (!source) return {};
  return layouts_text(*source);
}

/** The report with what the session was made from. */
Result<SessionReport> begin_report(SessionSummary session) {
  Task task = TRY(task_from_json(session.record.task_json));
  SearchSpace space = TRY(space_from_json(session.record.space_json));
  const BudgetPlan plan = TRY(budget_plan_from_json(session.record.budget_json));
  SessionReport report{.space = std::move(space)};
  // What another program measured may have none.
  report.options = measure_options_from_json(session.record.options_json).value_or(MeasureOptions());
  report.session = std::move(session);
  report.task = std::move(task);
  report.budget = plan.budget;
  return report;
}

Result<TrialSnapshot> read_trials(const Store& store, SessionId id, std::size_t knobs) {
  const std::vector<Store::ArrivedRow> rows = TRY(store.rows(id));
  TrialTable table(knobs);
  for (const Store::ArrivedRow& row : rows) table.append(row, row.configuration);
  return table.snapshot();
}

void add_saved_samples(const TrialSnapshot& trials, SessionReport& report) {
  SavedSamples saved;
  for (std::int64_t row = 0; row < trials.size(); ++row)
    add_saved(saved, trials.row(row), report.options.least_sample_seconds());
  report.samples_taken = saved.taken;
  report.time.samples_saved = saved.samples;
  report.time.saved_seconds = saved.seconds;
}

Status choose_best(const Store& store, SessionReport& report) {
  const SessionId id = report.session.record.id;
  const ConfirmedTrial* confirmed = confirmed_best(report.confirmed, report.session.status.best_trial);
  report.best_confirmed = confirmed != nullptr && measured_here(report.session.record);
  if (report.session.status.best_trial < 0) return {};
  report.best_trial = confirmed != nullptr ? confirmed->trial : report.session.status.best_trial;
  const Trial trial = TRY(store.trial(id, *report.best_trial));
  report.best_configuration = trial.configuration;
  report.best_seconds = confirmed != nullptr ? confirmed->seconds : measured_quartiles(trial.measurement);
  report.best_resources = trial.measurement.resources;
  report.best_layouts = layouts_of(report.session.record, report.task, report.best_configuration);
  return {};
}

}  // namespace

Quartiles measured_quartiles(const Measurement& measurement) {
  if (measurement.recorded_seconds <= 0) return quartiles(measurement.samples_seconds);
  if (measurement.samples_seconds.empty()) return quartiles({&measurement.recorded_seconds, 1});
  Quartiles seconds = quartiles(measurement.samples_seconds);
  seconds.median = measurement.recorded_seconds;
  return seconds;
}

Result<SessionReport> make_session_report(const Store& store, SessionId id) {
  SessionSummary session = TRY(store.session(id));
  SessionReport made = TRY(begin_report(std::move(session)));
  SessionReport& report = made;
  const TrialSnapshot trials = TRY(read_trials(store, id, report.space.knobs().size()));
  report.errors = error_breakdown(trials);
  const SessionStatus& status = report.session.status;
  report.time = {status.session_seconds, status.search_seconds, status.build_seconds, status.run_seconds};
  add_saved_samples(trials, report);
  const std::vector<Confirmation> confirmations = TRY(store.confirmations(id));
  report.confirmed = last_confirmed(confirmations);
  report.baselines = TRY(baselines_from_json(status.vendor_json));
  report.vendor_seconds = quartiles(report.baselines.vendor.samples_seconds);
  if (report.baselines.first_valid) {
    report.first_valid_seconds = quartiles(report.baselines.first_valid->samples_seconds);
  }
  TRY(choose_best(store, report));
  return made;
}

std::string layouts_text(const KernelSource& kernel) {
  std::string text;
  for (const KernelArgument& argument : kernel.arguments)
    text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", argument.name, argument.layout.name);
  return text;
}

}  // namespace kernelscape
