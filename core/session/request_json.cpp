#include "core/session/request_json.h"

#include <fmt/format.h>

#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>

#include "core/space/knob_json.h"
#include "core/trial/budget.h"
#include "core/trial/measure_options.h"

namespace kernelscape::session {
namespace {

std::unexpected<Error> unusable_member(std::string_view member) {
  return fail(ErrorCode::InvalidArgument,
              fmt::format("stored settings of a form have no valid \"{}\"", member),
              "fill in the form again");
}

Result<std::string> text_member(const space::Json& object, std::string_view name) {
  const space::Json* text = space::member_of(object, name);
  if (text == nullptr || !text->is_string()) return unusable_member(name);
  return text->get<std::string>();
}

/** An array or an object. */
Result<const space::Json*> structured_member(const space::Json& object, std::string_view name) {
  const space::Json* found = space::member_of(object, name);
  if (found == nullptr || !found->is_structured()) return unusable_member(name);
  return found;
}

space::Json restriction_object(const KnobRestriction& restriction) {
  return {{"knob", restriction.knob},
          {"position", restriction.position},
          {"values", restriction.values},
          {"texts", restriction.texts}};
}

Result<KnobRestriction> restriction_of(const space::Json& json) {
  KnobRestriction restriction;
  restriction.knob = TRY(text_member(json, "knob"));
  const space::Json* position = space::member_of(json, "position");
  const auto number = position == nullptr ? std::nullopt : space::integer_of(*position);
  if (!number || *number < 0 || *number > std::numeric_limits<int>::max()) return unusable_member("position");
  restriction.position = static_cast<int>(*number);
  for (const space::Json& value : *TRY(structured_member(json, "values"))) {
    const auto element = space::integer_of(value);
    if (!element) return unusable_member("values");
    restriction.values.push_back(*element);
  }
  for (const space::Json& text : *TRY(structured_member(json, "texts"))) {
    if (!text.is_string()) return unusable_member("texts");
    restriction.texts.push_back(text.get<std::string>());
  }
  return restriction;
}

/** Settings and restrictions: lists of what tuner and space have. */
Status read_lists(const space::Json& object, TuningRequest& request) {
  const space::Json* settings = TRY(structured_member(object, "settings"));
  for (const auto& [name, value] : settings->items()) {
    if (!value.is_string()) return unusable_member("settings");
    request.settings[name] = value.get<std::string>();
  }
  for (const space::Json& restriction : *TRY(structured_member(object, "restrictions")))
    request.restrictions.push_back(TRY(restriction_of(restriction)));
  return {};
}

}  // namespace

std::string request_to_json(const TuningRequest& request) {
  space::Json restrictions = space::Json::array();
  for (const KnobRestriction& restriction : request.restrictions)
    restrictions.push_back(restriction_object(restriction));
  space::Json settings = space::Json::object();
  for (const auto& [name, value] : request.settings) settings[name] = value;
  const space::Json object = {
      {"task", request.task},
      {"target", request.target},
      {"template", request.template_name},
      {"tuner", request.tuner},
      {"settings", settings},
      {"budget", space::parse_json(trial::budget_to_json(request.budget))},
      {"seed", request.seed ? space::Json(*request.seed) : space::Json()},
      {"measuring", space::parse_json(trial::measure_options_to_json(request.measuring))},
      {"respect_limits", request.respect_limits ? space::Json(*request.respect_limits) : space::Json()},
      {"restrictions", restrictions},
      {"name", request.name},
      {"architecture", request.architecture},
      {"outside_files", request.outside_files}};
  return space::to_text(object);
}

Result<TuningRequest> request_from_json(std::string_view json) {
  const space::Json object = space::parse_json(json);
  if (!object.is_object()) return unusable_member("task");
  TuningRequest request;
  request.task = TRY(text_member(object, "task"));
  request.target = TRY(text_member(object, "target"));
  request.template_name = TRY(text_member(object, "template"));
  request.tuner = TRY(text_member(object, "tuner"));
  request.name = TRY(text_member(object, "name"));
  request.architecture = TRY(text_member(object, "architecture"));
  request.budget = TRY(trial::budget_from_json(space::to_text(*TRY(structured_member(object, "budget")))));
  request.measuring =
      TRY(trial::measure_options_from_json(space::to_text(*TRY(structured_member(object, "measuring")))));
  const space::Json* limits = space::member_of(object, "respect_limits");
  if (limits == nullptr || !(limits->is_boolean() || limits->is_null()))
    return unusable_member("respect_limits");
  if (limits->is_boolean()) request.respect_limits = limits->get<bool>();
  // Set-ups that were kept before there were projects have none.
  if (const space::Json* outside = space::member_of(object, "outside_files")) {
    if (!outside->is_boolean()) return unusable_member("outside_files");
    request.outside_files = outside->get<bool>();
  }
  const space::Json* seed = space::member_of(object, "seed");
  if (seed != nullptr && !seed->is_null()) {
    if (!seed->is_number_unsigned()) return unusable_member("seed");
    request.seed = seed->get<std::uint64_t>();
  }
  TRY(read_lists(object, request));
  return request;
}

}  // namespace kernelscape::session
