#include "app/command_line/json_events.h"

#include <nlohmann/json.hpp>
#include <type_traits>

#include "app/command_line/console.h"
#include "core/base/int128.h"
#include "core/base/numbers.h"
#include "core/trial/fields.h"
#include "core/trial/slow_phase_notice.h"

namespace kernelscape::command_line {
namespace {

using nlohmann::json;

/** Parses a JSON text of the store; returns null if it is not valid JSON. */
json parsed(const std::string& text) {
  json value = json::parse(text, nullptr, false);
  return value.is_discarded() ? json() : value;
}

json text_or_null(const std::string& text) { return text.empty() ? json() : json(text); }

/** A field as events have it: a text that is empty, or a 0 that says that it is not known, is null. */
template <typename Field, typename Value>
json event_value(Field, const Value& value) {
  if constexpr (std::is_same_v<Value, std::string>)
    return text_or_null(value);
  else if constexpr (std::is_enum_v<Value>)
    return text_or_null(std::string(to_string(value)));
  else
    return Field::facts.zero_is_unknown && !(value > Value()) ? json() : json(value);
}

json resources_or_null(const std::optional<trial::KernelResources>& resources) {
  if (!resources) return nullptr;
  json fields = json::object();
  trial::for_each_field<trial::gpu_fields>([&](auto field) {
    if constexpr (field.of_resources)
      fields[std::string(field.facts.key)] = event_value(field, trial::value_in(field, *resources));
  });
  return fields;
}

/** Returns the metrics by name; null if there are none. */
json metrics_or_null(const std::vector<trial::Metric>& metrics) {
  json object;
  for (const trial::Metric& metric : metrics)
    object[metric.name] = {{"value", metric.value}, {"unit", text_or_null(metric.unit)}};
  return object;
}

/** Its fields that need nothing else. */
json fields_of(const trial::Trial& trial) {
  json fields = json::object();
  const auto add = [&](auto field) {
    if constexpr (!field.facts.event.empty())
      fields[std::string(field.facts.event)] = event_value(field, trial::value_in(field, trial));
  };
  trial::for_each_field<trial::trial_fields>(add);
  trial::for_each_field<trial::gpu_fields>(add);
  trial::for_each_field<trial::probe_fields>(add);
  return fields;
}

json quartile_fields(const analysis::Quartiles& seconds, double flops) {
  return {{"median_seconds", number_or_null(seconds.median)},
          {"first_quartile_seconds", number_or_null(seconds.first)},
          {"third_quartile_seconds", number_or_null(seconds.third)},
          {"gflops", number_or_null(base::gflops_of(flops, seconds.median))}};
}

/** "median_seconds" is always the median of the samples, and speeds are of "objective_seconds". */
json value_fields(const analysis::TrialValue& value, double flops) {
  json fields = quartile_fields(value.samples, flops);
  fields["objective"] = trial::to_string(value.kind);
  fields["objective_seconds"] = number_or_null(value.seconds);
  fields["gflops"] = number_or_null(base::gflops_of(flops, value.seconds));
  return fields;
}

json best_of(const session::Report& report) {
  if (!report.best_trial) return nullptr;
  json best = value_fields(report.best, report.task.flops());
  best["trial"] = *report.best_trial;
  const bool known = report.space && !report.best_configuration.indices.empty();
  best["configuration"] =
      known ? parsed(report.space->configuration_to_json(report.best_configuration)) : json();
  best["confirmed"] = report.best_confirmed;
  best["mark"] = exchange::result_mark(report.session.record, report.result);
  best["machine_speed"] = number_or_null(report.result.machine_share);
  best["layouts"] = text_or_null(report.best_layouts);
  best["resources"] = resources_or_null(report.best_resources);
  best["metrics"] = metrics_or_null(report.best_metrics);
  return best;
}

json confirmed_of(const session::Report& report) {
  json list = json::array();
  for (const analysis::ConfirmedTrial& trial : report.confirmed) {
    json item = quartile_fields(trial.seconds, report.task.flops());
    item["trial"] = trial.trial;
    list.push_back(std::move(item));
  }
  return list;
}

json first_valid_of(const session::Report& report) {
  const trial::Baselines& baselines = report.baselines;
  json first = {
      {"configuration", nullptr},
      {"median_seconds", number_or_null(report.first_valid_seconds.median)},
      {"gflops", number_or_null(base::gflops_of(report.task.flops(), report.first_valid_seconds.median))},
      {"reason", text_or_null(baselines.first_valid_reason)}};
  if (baselines.first_valid && report.space && report.space->contains(baselines.first_valid->configuration)) {
    first["configuration"] =
        parsed(report.space->configuration_to_json(baselines.first_valid->configuration));
  }
  return first;
}

/** Returns the libraries and algorithms that were timed in turns before the fastest was chosen. */
json vendor_candidates_of(const session::Report& report) {
  json list = json::array();
  for (const trial::VendorCandidate& candidate : report.baselines.vendor.candidates) {
    const double seconds = analysis::quartiles(candidate.samples_seconds).median;
    list.push_back({{"name", candidate.name},
                    {"algorithm", text_or_null(candidate.algorithm)},
                    {"implementation", text_or_null(candidate.implementation)},
                    {"median_seconds", number_or_null(seconds)},
                    {"gflops", number_or_null(base::gflops_of(report.task.flops(), seconds))},
                    {"reason", text_or_null(candidate.reason)}});
  }
  return list;
}

json vendor_of(const session::Report& report) {
  const trial::VendorResult& vendor = report.baselines.vendor;
  return {
      {"name", text_or_null(vendor.name)},
      {"algorithm", text_or_null(vendor.algorithm)},
      {"implementation", text_or_null(vendor.implementation)},
      {"layouts", text_or_null(vendor.layouts)},
      {"median_seconds", number_or_null(report.compared.vendor_seconds.median)},
      {"gflops", number_or_null(base::gflops_of(report.task.flops(), report.compared.vendor_seconds.median))},
      {"reason", text_or_null(vendor.reason)},
      {"candidates", vendor_candidates_of(report)}};
}

/** Returns the machine's limit for the task. */
json limit_of(const session::Report& report) {
  const session::QuotedShare& limit = report.compared.limit;
  return {{"name", text_or_null(limit.of)},
          {"gflops", number_or_null(report.compared.limit_gflops)},
          {"share", number_or_null(limit.share)},
          {"remark", text_or_null(limit.remark)},
          {"share_withheld", text_or_null(limit.withheld)}};
}

json errors_of(const analysis::ErrorBreakdown& errors) {
  json object = json::object();
  for (std::size_t code = 0; code < trial::error_category_count; ++code) {
    const analysis::CategoryTotals& totals = errors.categories[code];
    if (totals.trials == 0) continue;
    object[std::string(trial::to_string(static_cast<trial::ErrorCategory>(code)))] = {
        {"trials", totals.trials}, {"work_seconds", totals.work_seconds()}};
  }
  return object;
}

/** Returns the representative failure of a session without a valid trial. */
json failure_of(const session::Report& report) {
  if (!report.failure) return nullptr;
  const std::optional<trial::SourcePlace>& place = report.failure->place;
  return {{"category", trial::to_string(report.failure->category)},
          {"text", text_or_null(report.failure->text)},
          {"file", place ? json(place->file) : json()},
          {"line", place ? json(place->line) : json()}};
}

}  // namespace

json number_or_null(double value) { return value > 0 ? json(value) : json(); }

json session_event(store::SessionId id, const store::SessionRecord& record, const std::string& database,
                   bool resumed) {
  const Result<task::Task> task = task::task_from_json(record.task_json);
  const Result<schedule::TargetDescription> target = schedule::target_from_json(record.target_json);
  const Result<space::SearchSpace> space = space::space_from_json(record.space_json);
  json budget = parsed(record.budget_json);
  if (budget.is_object()) budget.erase("limits");
  return {{"event", "session"},
          {"session", id},
          {"name", text_or_null(record.name)},
          {"kind", store::to_string(record.kind)},
          {"origin", text_or_null(store::origin_text(record))},
          {"database", database},
          {"resumed", resumed},
          {"task", record.task_name},
          {"task_text", task ? json(task->text) : json()},
          {"flops", task ? number_or_null(task->flops()) : json()},
          {"target", record.target_name},
          {"device", target ? text_or_null(target->device) : json()},
          {"template", record.template_name},
          {"template_version", record.template_version},
          {"project_hash", record.project_hash},
          {"space_size", space ? json(base::to_string(space->size())) : json()},
          {"tuner", record.tuner},
          {"settings", parsed(record.settings_json)},
          {"batch_size", record.batch_size},
          {"seed", record.seed},
          {"budget", budget},
          {"options", parsed(record.options_json)},
          {"warm_start", parsed(record.history_json)}};
}

json trial_event(store::SessionId id, const trial::Trial& trial, const space::SearchSpace& space,
                 double flops, const store::SessionStatus& status) {
  const trial::Measurement& measurement = trial.measurement;
  json event = value_fields(analysis::trial_value(measurement), flops);
  event.update(fields_of(trial));
  event.update({{"event", "trial"},
                {"session", id},
                {"configuration", parsed(space.configuration_to_json(trial.configuration))},
                {"resources", resources_or_null(measurement.resources)},
                {"metrics", metrics_or_null(measurement.metrics)},
                {"best_trial", status.best_trial < 0 ? json() : json(status.best_trial)},
                {"best_gflops", number_or_null(base::gflops_of(flops, status.best_seconds))}});
  return event;
}

json message_event(store::SessionId id, std::string_view level, const std::string& text,
                   const std::string& hint) {
  return {{"event", "message"},
          {"session", id == 0 ? json() : json(id)},
          {"level", level},
          {"text", text},
          {"hint", text_or_null(with_commands(hint))}};
}

static json notices_of(const session::Report& report) {
  json notices = json::array();
  for (const trial::SessionNotice& notice : report.notices)
    notices.push_back({{"kind", notice.kind},
                       {"text", notice.text},
                       {"session_seconds", notice.session_seconds},
                       {"disturbs", trial::disturbs(notice)}});
  return notices;
}

/** Returns null if the machine's speed was not read. */
static json slow_phases_of(const session::Report& report) {
  if (!report.speeds) return nullptr;
  json phases = json::array();
  for (const trial::SlowPhase& phase : report.speeds->phases)
    phases.push_back({{"first_trial", phase.first_trial},
                      {"last_trial", phase.last_trial},
                      {"begin_seconds", phase.begin_seconds},
                      {"end_seconds", phase.end_seconds},
                      {"compute_speed", phase.speed.compute},
                      {"memory_speed", phase.speed.memory},
                      {"worker", text_or_null(trial::worker_name(*report.speeds, phase))},
                      {"ended", phase.ended},
                      {"explanation", text_or_null(trial::explanation_in(report.notices, phase))}});
  return phases;
}

json summary_event(const session::Report& report, bool interrupted) {
  const store::SessionRecord& record = report.session.record;
  const store::SessionStatus& status = report.session.status;
  return {{"event", "summary"},
          {"session", record.id},
          {"kind", store::to_string(record.kind)},
          {"origin", text_or_null(store::origin_text(record))},
          {"state", store::to_string(status.state)},
          {"reason", text_or_null(status.state_reason)},
          {"interrupted", interrupted},
          {"trials", status.trial_count},
          {"best", best_of(report)},
          {"confirmed", confirmed_of(report)},
          {"first_valid", first_valid_of(report)},
          {"speedup_over_first_valid", number_or_null(report.compared.speedup)},
          {"vendor", vendor_of(report)},
          {"share_of_vendor", number_or_null(report.compared.vendor.share)},
          {"share_of_vendor_withheld", text_or_null(report.compared.vendor.withheld)},
          {"limit", limit_of(report)},
          {"errors", errors_of(report.errors)},
          {"failure", failure_of(report)},
          {"time",
           {{"session_seconds", report.time.session_seconds},
            {"search_seconds", report.time.search_seconds},
            {"build_seconds", report.time.build_seconds},
            {"run_seconds", report.time.run_seconds},
            {"idle_seconds", report.time.idle_seconds()}}},
          {"samples_taken", report.time.saved.taken},
          {std::string(trial::MeasuredField<trial::Measured::SamplesSaved>::facts.event),
           report.time.saved.samples},
          {"saved_seconds", report.time.saved.seconds},
          {"notices", notices_of(report)},
          {"slow_phases", slow_phases_of(report)},
          {"problems", report.problems},
          {"task", record.task_name},
          {"target", record.target_name},
          {"template", record.template_name},
          {"tuner", record.tuner},
          {"seed", record.seed}};
}

}  // namespace kernelscape::command_line
