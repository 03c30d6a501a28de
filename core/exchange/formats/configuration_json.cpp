#include "core/exchange/formats/configuration_json.h"

#include <nlohmann/json.hpp>

#include "core/analysis/order_statistics.h"
#include "core/space/knob_json.h"

namespace kernelscape::exchange {
namespace {

constexpr int format_version = 1;

/** Returns the JSON value in a stored text; null if the text is damaged. */
space::Json stored_object(std::string_view text) {
  space::Json object = space::parse_json(text);
  return object.is_discarded() ? space::Json() : object;
}

space::Json samples_object(const std::vector<double>& samples, double flops) {
  if (samples.empty()) return {};
  const analysis::Quartiles seconds = analysis::quartiles(samples);
  return {{"samples_seconds", samples},
          {"first_quartile_seconds", seconds.first},
          {"median_seconds", seconds.median},
          {"third_quartile_seconds", seconds.third},
          {"gflops",
           flops > 0 && seconds.median > 0 ? space::Json(flops / seconds.median / 1e9) : space::Json()}};
}

space::Json confirmed_object(const MeasuredConfiguration& measured) {
  space::Json object = samples_object(measured.confirmed_seconds, measured.task.flops());
  if (object.is_object()) object["measured_utc"] = measured.confirmed_utc;
  return object;
}

space::Json task_object(const task::Task& task) {
  return {{"name", task.name},
          {"text", task.text},
          {"definition", stored_object(task::task_to_json(task))},
          {"flops", task.flops() > 0 ? space::Json(task.flops()) : space::Json()}};
}

space::Json provenance_object(const MeasuredConfiguration& measured) {
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
          {"origin", from.origin.empty() ? space::Json() : space::Json(from.origin)},
          {"reproduce", reproduce_command(measured).text()}};
}

}  // namespace

space::Json configuration_object(const MeasuredConfiguration& measured) {
  return {{"format", "kernelscape-configuration"},
          {"format_version", format_version},
          {"task", task_object(measured.task)},
          {"target", stored_object(schedule::target_to_json(measured.target))},
          {"template", {{"name", measured.template_name}, {"version", measured.template_version}}},
          {"configuration", stored_object(measured.space.configuration_to_json(measured.configuration))},
          {"configuration_text", measured.space.describe(measured.configuration)},
          {"category", trial::to_string(measured.category)},
          {"message", measured.message},
          {"measured", samples_object(measured.samples_seconds, measured.task.flops())},
          {"confirmed", confirmed_object(measured)},
          {"mark", measured.category == trial::ErrorCategory::NoError ? analysis::best_mark(measured.result)
                                                                      : std::string()},
          {"threads", measured.threads()},
          {"options", stored_object(trial::measure_options_to_json(measured.options))},
          {"disturbances", measured.disturbances},
          {"provenance", provenance_object(measured)}};
}

std::string configuration_json(const MeasuredConfiguration& measured) {
  return configuration_object(measured).dump(2, ' ', false, space::Json::error_handler_t::replace) + "\n";
}

}  // namespace kernelscape::exchange
