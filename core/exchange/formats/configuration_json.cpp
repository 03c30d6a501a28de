#include "core/exchange/formats/configuration_json.h"

#include <nlohmann/json.hpp>

#include "core/analysis/order_statistics.h"
#include "core/space/knob_json.h"

namespace kernelscape {
namespace {

constexpr int format_version = 1;

/** Returns the JSON value in a stored text; null if the text is damaged. */
Json stored_object(std::string_view text) {
  Json object = parse_json(text);
  return object.is_discarded() ? Json() : object;
}

Json samples_object(const std::vector<double>& samples, double flops) {
  if (samples.empty()) return {};
  const Quartiles seconds = quartiles(samples);
  return {{"samples_seconds", samples},
          {"first_quartile_seconds", seconds.first},
          {"median_seconds", seconds.median},
          {"third_quartile_seconds", seconds.third},
          {"gflops", flops > 0 && seconds.median > 0 ? Json(flops / seconds.median / 1e9) : Json()}};
}

Json confirmed_object(const MeasuredConfiguration& measured) {
  Json object = samples_object(measured.confirmed_seconds, measured.task.flops());
  if (object.is_object()) object["measured_utc"] = measured.confirmed_utc;
  return object;
}

Json task_object(const Task& task) {
  return {{"name", task.name},
          {"text", task.text},
          {"definition", stored_object(task_to_json(task))},
          {"flops", task.flops() > 0 ? Json(task.flops()) : Json()}};
}

Json provenance_object(const MeasuredConfiguration& measured) {
  const Provenance& from = measured.provenance;
  return {{"session", from.session},
          {"session_name", from.session_name},
          {"trial", from.trial},
          {"trials", from.trial_count},
          {"tuner", from.tuner},
          {"settings", stored_object(from.settings_json)},
          {"seed", from.seed},
          {"created_utc", from.created_utc},
          {"program_version", from.program_version},
          {"origin", from.origin.empty() ? Json() : Json(from.origin)},
          {"reproduce", reproduce_command(measured).text()}};
}

}  // namespace

Json configuration_object(const MeasuredConfiguration& measured) {
  return {{"format", "kernelscape-configuration"},
          {"format_version", format_version},
          {"task", task_object(measured.task)},
          {"target", stored_object(target_to_json(measured.target))},
          {"template", {{"name", measured.template_name}, {"version", measured.template_version}}},
          {"configuration", stored_object(measured.space.configuration_to_json(measured.configuration))},
          {"configuration_text", measured.space.describe(measured.configuration)},
          {"category", to_string(measured.category)},
          {"message", measured.message},
          {"measured", samples_object(measured.samples_seconds, measured.task.flops())},
          {"confirmed", confirmed_object(measured)},
          {"threads", measured.threads()},
          {"options", stored_object(measure_options_to_json(measured.options))},
          {"disturbances", measured.disturbances},
          {"provenance", provenance_object(measured)}};
}

std::string configuration_json(const MeasuredConfiguration& measured) {
  return configuration_object(measured).dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace kernelscape
