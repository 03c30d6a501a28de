#include "app/command_line/json_events.h"

#include <nlohmann/json.hpp>
#include <type_traits>

#include "app/command_line/console.h"
#include "core/base/int128.h"
#include "core/base/numbers.h"
#include "core/measure/cpu/machine_limits.h"
#include "core/trial/trial_fields.h"

namespace kernelscape {
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

json resources_or_null(const std::optional<KernelResources>& resources) {
  if (!resources) return nullptr;
  json fields = json::object();
  for_each_field<gpu_fields>([&](auto field) {
    if constexpr (field.of_resources)
      fields[std::string(field.facts.key)] = event_value(field, value_in(field, *resources));
  });
  return fields;
}

/** Its fields that need nothing else. */
json fields_of(const Trial& trial) {
  json fields = json::object();
  const auto add = [&](auto field) {
    if constexpr (!field.facts.event.empty())
      fields[std::string(field.facts.event)] = event_value(field, value_in(field, trial));
  };
  for_each_field<trial_fields>(add);
  for_each_field<gpu_fields>(add);
  return fields;
}

json quartile_fields(const Quartiles& seconds, double flops) {
  return {{"median_seconds", number_or_null(seconds.median)},
          {"first_quartile_seconds", number_or_null(seconds.first)},
          {"third_quartile_seconds", number_or_null(seconds.third)},
          {"gflops", number_or_null(gflops_of(flops, seconds.median))}};
}

/** "median_seconds" is always the median of the samples, and speeds are of "objective_seconds". */
json value_fields(const TrialValue& value, double flops) {
  json fields = quartile_fields(value.samples, flops);
  fields["objective"] = to_string(value.kind);
  fields["objective_seconds"] = number_or_null(value.seconds);
  fields["gflops"] = number_or_null(gflops_of(flops, value.seconds));
  return fields;
}

json best_of(const SessionReport& report) {
  if (!report.best_trial) return nullptr;
  json best = value_fields(report.best, report.task.flops());
  best["trial"] = *report.best_trial;
  const bool known = report.space && !report.best_configuration.indices.empty();
  best["configuration"] =
      known ? parsed(report.space->configuration_to_json(report.best_configuration)) : json();
  best["confirmed"] = report.best_confirmed;
  best["layouts"] = text_or_null(report.best_layouts);
  best["resources"] = resources_or_null(report.best_resources);
  return best;
}

json confirmed_of(const SessionReport& report) {
  json list = json::array();
  for (const ConfirmedTrial& trial : report.confirmed) {
    json item = quartile_fields(trial.seconds, report.task.flops());
    item["trial"] = trial.trial;
    list.push_back(std::move(item));
  }
  return list;
}

json first_valid_of(const SessionReport& report) {
  const Baselines& baselines = report.baselines;
  json first = {{"configuration", nullptr},
                {"median_seconds", number_or_null(report.first_valid_seconds.median)},
                {"gflops", number_or_null(gflops_of(report.task.flops(), report.first_valid_seconds.median))},
                {"reason", text_or_null(baselines.first_valid_reason)}};
  if (baselines.first_valid && report.space && report.space->contains(baselines.first_valid->configuration)) {
    first["configuration"] =
        parsed(report.space->configuration_to_json(baselines.first_valid->configuration));
  }
  return first;
}

json vendor_of(const SessionReport& report) {
  const VendorResult& vendor = report.baselines.vendor;
  return {{"name", text_or_null(vendor.name)},
          {"algorithm", text_or_null(vendor.algorithm)},
          {"implementation", text_or_null(vendor.implementation)},
          {"layouts", text_or_null(vendor.layouts)},
          {"median_seconds", number_or_null(report.vendor_seconds.median)},
          {"gflops", number_or_null(gflops_of(report.task.flops(), report.vendor_seconds.median))},
          {"reason", text_or_null(vendor.reason)}};
}

/** Returns the machine's limit for the task. */
json limit_of(const SessionReport& report) {
  const SpeedLimit limit = speed_limit(report.baselines.limits, report.task);
  return {{"name", text_or_null(limit.name)}, {"gflops", number_or_null(limit.gflops)}};
}

json errors_of(const ErrorBreakdown& errors) {
  json object = json::object();
  for (std::size_t code = 0; code < error_category_count; ++code) {
    const CategoryTotals& totals = errors.categories[code];
    if (totals.trials == 0) continue;
    object[std::string(to_string(static_cast<ErrorCategory>(code)))] = {
        {"trials", totals.trials}, {"work_seconds", totals.work_seconds()}};
  }
  return object;
}

/** Returns the representative failure of a session without a valid trial. */
json failure_of(const SessionReport& report) {
  if (!report.failure) return nullptr;
  const std::optional<SourcePlace>& place = report.failure->place;
  return {{"category", to_string(report.failure->category)},
          {"text", text_or_null(report.failure->text)},
          {"file", place ? json(place->file) : json()},
          {"line", place ? json(place->line) : json()}};
}

json ratio(double numerator, double denominator) {
  return numerator > 0 && denominator > 0 ? json(numerator / denominator) : json();
}

}  // namespace

json number_or_null(double value) { return value > 0 ? json(value) : json(); }

json session_event(SessionId id, const SessionRecord& record, const std::string& database, bool resumed) {
  const Result<Task> task = task_from_json(record.task_json);
  const Result<TargetDescription> target = target_from_json(record.target_json);
  const Result<SearchSpace> space = space_from_json(record.space_json);
  json budget = parsed(record.budget_json);
  if (budget.is_object()) budget.erase("limits");
  return {{"event", "session"},
          {"session", id},
          {"name", text_or_null(record.name)},
          {"kind", to_string(record.kind)},
          {"origin", text_or_null(origin_text(record))},
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
          {"space_size", space ? json(to_string(space->size())) : json()},
          {"tuner", record.tuner},
          {"settings", parsed(record.settings_json)},
          {"batch_size", record.batch_size},
          {"seed", record.seed},
          {"budget", budget},
          {"options", parsed(record.options_json)},
          {"warm_start", parsed(record.history_json)}};
}

json trial_event(SessionId id, const Trial& trial, const SearchSpace& space, double flops,
                 const SessionStatus& status) {
  const Measurement& measurement = trial.measurement;
  json event = value_fields(trial_value(measurement), flops);
  event.update(fields_of(trial));
  event.update({{"event", "trial"},
                {"session", id},
                {"configuration", parsed(space.configuration_to_json(trial.configuration))},
                {"resources", resources_or_null(measurement.resources)},
                {"best_trial", status.best_trial < 0 ? json() : json(status.best_trial)},
                {"best_gflops", number_or_null(gflops_of(flops, status.best_seconds))}});
  return event;
}

json message_event(SessionId id, std::string_view level, const std::string& text, const std::string& hint) {
  return {{"event", "message"},
          {"session", id == 0 ? json() : json(id)},
          {"level", level},
          {"text", text},
          {"hint", text_or_null(with_commands(hint))}};
}

static json notices_of(const SessionReport& report) {
  json notices = json::array();
  for (const SessionNotice& notice : report.notices)
    notices.push_back({{"kind", notice.kind},
                       {"text", notice.text},
                       {"session_seconds", notice.session_seconds},
                       {"disturbs", disturbs(notice)}});
  return notices;
}

json summary_event(const SessionReport& report, bool interrupted) {
  const SessionRecord& record = report.session.record;
  const SessionStatus& status = report.session.status;
  return {{"event", "summary"},
          {"session", record.id},
          {"kind", to_string(record.kind)},
          {"origin", text_or_null(origin_text(record))},
          {"state", to_string(status.state)},
          {"reason", text_or_null(status.state_reason)},
          {"interrupted", interrupted},
          {"trials", status.trial_count},
          {"best", best_of(report)},
          {"confirmed", confirmed_of(report)},
          {"first_valid", first_valid_of(report)},
          {"speedup_over_first_valid", ratio(report.first_valid_seconds.median, report.best.seconds)},
          {"vendor", vendor_of(report)},
          {"share_of_vendor", ratio(report.vendor_seconds.median, report.best.seconds)},
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
          {std::string(MeasuredField<Measured::SamplesSaved>::facts.event), report.time.saved.samples},
          {"saved_seconds", report.time.saved.seconds},
          {"notices", notices_of(report)},
          {"problems", report.problems},
          {"task", record.task_name},
          {"target", record.target_name},
          {"template", record.template_name},
          {"tuner", record.tuner},
          {"seed", record.seed}};
}

}  // namespace kernelscape
