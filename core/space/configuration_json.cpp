#include "core/space/configuration_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/base/text.h"
#include "core/base/visible_text.h"
#include "core/space/knob_json.h"

namespace kernelscape::space {
namespace {

std::unexpected<Error> wrong_value(const Knob& knob, const Json& json, std::string hint) {
  return fail(
      ErrorCode::InvalidArgument,
      fmt::format("knob {} has no value {}", base::quoted_line(knob.name()), base::one_line(to_text(json))),
      std::move(hint));
}

/** 4 is 4.0, but no truth value and no text. */
bool same_value(const KnobValue& value, const KnobValue& asked) {
  if (value == asked) return true;
  const auto* real = std::get_if<double>(&value);
  const auto* integer = std::get_if<std::int64_t>(&asked);
  return real && integer && *real == static_cast<double>(*integer);
}

Result<std::uint32_t> option_from_json(const Knob& knob, const Json& json) {
  const std::optional<KnobValue> asked = value_from_json(json);
  for (std::uint32_t index = 0; asked && index < knob.count(); ++index)
    if (same_value(knob.value(index), *asked)) return index;
  std::vector<std::string> known;
  for (std::uint32_t index = 0; index < std::min(knob.count(), 16U); ++index)
    known.push_back(to_text(value_to_json(knob.value(index))));
  return wrong_value(knob, json, "values: " + base::join(known, ", ") + (knob.count() > 16 ? ", ..." : ""));
}

Result<std::uint32_t> elements_from_json(const Knob& knob, const Json& json) {
  const bool permutation = knob.kind() == KnobKind::Permutation;
  const std::string hint = permutation ? fmt::format("list {} in some order", base::join(knob.items(), ", "))
                                       : fmt::format("list {} factors", knob.element_count());
  if (!json.is_array()) return wrong_value(knob, json, hint);
  std::vector<std::int64_t> elements;
  for (const Json& item : json) {
    if (permutation && item.is_string()) {
      const auto found = std::ranges::find(knob.items(), item.get_ref<const std::string&>());
      if (found == knob.items().end()) return wrong_value(knob, json, hint);
      elements.push_back(found - knob.items().begin());
    } else if (const auto number = integer_of(item)) {
      elements.push_back(*number);
    } else {
      return wrong_value(knob, json, hint);
    }
  }
  return knob.find(elements);
}

}  // namespace

Result<Configuration> configuration_from_json(const std::vector<Knob>& knobs, std::string_view text) {
  const Json json = parse_json(text);
  if (!json.is_object())
    return fail(ErrorCode::InvalidArgument, "a configuration is not a JSON object",
                "write {\"knob\": value, ...}");
  std::vector<std::string> names;
  for (const Knob& knob : knobs) names.push_back(knob.name());
  for (const auto& [name, value] : json.items())
    if (std::ranges::find(knobs, name, &Knob::name) == knobs.end())
      return fail(ErrorCode::InvalidArgument, fmt::format("there is no knob {}", base::quoted_line(name)),
                  base::suggest(name, names));
  Configuration configuration;
  for (const Knob& knob : knobs) {
    const Json* value = member_of(json, knob.name());
    if (!value)
      return fail(ErrorCode::InvalidArgument,
                  fmt::format("knob {} has no value", base::quoted_line(knob.name())),
                  "a configuration needs a value for every knob");
    const bool option = knob.kind() == KnobKind::Ordinal || knob.kind() == KnobKind::Categorical;
    const std::uint32_t index =
        TRY(option ? option_from_json(knob, *value) : elements_from_json(knob, *value));
    configuration.indices.push_back(index);
  }
  return configuration;
}

std::string configuration_to_json(const std::vector<Knob>& knobs, const Configuration& configuration) {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();  // in the order of the knobs
  for (std::size_t i = 0; i < knobs.size(); ++i) {
    const Knob& knob = knobs[i];
    const std::uint32_t index = configuration.indices[i];
    Json value;
    if (knob.kind() == KnobKind::Ordinal || knob.kind() == KnobKind::Categorical) {
      value = value_to_json(knob.value(index));
    } else {
      value = Json::array();
      for (const std::int64_t element : knob.row(index)) {
        if (knob.kind() == KnobKind::Permutation)
          value.push_back(knob.items()[static_cast<std::size_t>(element)]);
        else
          value.push_back(element);
      }
    }
    // NOLINTNEXTLINE(performance-move-const-arg): it moves: the library takes it by value
    json[knob.name()] = std::move(value);
  }
  return json.dump();
}

}  // namespace kernelscape::space
