// The parameters and conditions of a project: T1's ConfigurationSpace, and ProblemSize.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "core/base/text.h"
#include "core/base/visible_text.h"
#include "core/project/in_list.h"
#include "core/project/reading.h"
#include "core/project/value_list.h"

namespace kernelscape::project {
namespace {

constexpr std::array<std::string_view, 5> parameter_types{"int", "uint", "float", "bool", "string"};
constexpr std::size_t max_parameters = 256;
constexpr std::size_t max_conditions = 1024;

/** Reads a list of values. T1 has a text here; a JSON list has the same meaning. */
Result<std::vector<space::KnobValue>> listed_values(const Reading& reading, const JsonPlace& place) {
  if (!place.exists() || !place.value->is_array()) {
    auto values = read_value_list(TRY(reading.text_of(place)));
    if (!values) return reading.placed(place, std::move(values).error());
    return values;
  }
  std::vector<space::KnobValue> values;
  for (std::size_t index = 0; index < place.size(); ++index) {
    const auto value = place[index].exists() ? space::value_from_json(*place[index].value) : std::nullopt;
    if (!value) return reading.fail_at(place[index], "is not a value");
    values.push_back(*value);
  }
  return values;
}

Result<std::vector<space::KnobValue>> typed_values(Reading& reading, const JsonPlace& place,
                                                   std::string_view type) {
  std::vector<space::KnobValue> values;
  std::size_t repeated = 0;
  std::set<space::KnobValue> seen;
  for (const space::KnobValue& value : TRY(listed_values(reading, place))) {
    auto typed = value_of_type(value, type);
    if (!typed) return reading.placed(place, std::move(typed).error());
    if (seen.insert(*typed).second)
      values.push_back(*std::move(typed));
    else
      ++repeated;
  }
  if (values.empty()) return reading.fail_at(place, "has no value", "name at least one");
  if (repeated > 0) reading.notice(place, fmt::format("lists {} values twice; each counts once", repeated));
  return values;
}

void check_default(Reading& reading, const JsonPlace& place, const Parameter& parameter) {
  if (!place.exists()) return;
  const bool listed = place.value->is_array() && place.size() == 1;
  const auto value = space::value_from_json(listed ? *place[0].value : *place.value);
  const auto typed = value ? value_of_type(*value, parameter.type)
                           : Result<space::KnobValue>(fail(ErrorCode::InvalidArgument, "no value"));
  if (!typed || !in_list(parameter.values, *typed))
    reading.notice(place, fmt::format("is {}, which is not a value of {}; it is not used",
                                      base::one_line(space::to_text(*place.value)), parameter.name));
  else if (listed)
    reading.notice(place, "is a list instead of a single value");
}

Status add_parameter(Reading& reading, const JsonPlace& place) {
  static constexpr std::array<std::string_view, 4> known{"Name", "Type", "Values", "Default"};
  if (!place.exists() || !place.value->is_object()) return reading.fail_at(place, "is not a parameter");
  reading.notice_unknown(place, known);
  Parameter parameter;
  parameter.name = TRY(reading.text_of(place["Name"]));
  if (!is_identifier(parameter.name) || parameter.name == "ProblemSize")
    return reading.fail_at(
        place["Name"],
        fmt::format("is {}, which is not the name of a macro", base::quoted_line(parameter.name)),
        "use letters, digits and _, not a digit first");
  if (in_list(reading.project.parameters, parameter.name, &Parameter::name))
    return reading.fail_at(place["Name"],
                           fmt::format("is {}, which occurs twice", base::quoted_line(parameter.name)),
                           "give each parameter a different name");
  parameter.type = TRY(reading.text_of(place["Type"]));
  if (!in_list(parameter_types, std::string_view(parameter.type)))
    return reading.fail_at(place["Type"],
                           fmt::format("is {}, which is not a type", base::quoted_line(parameter.type)),
                           "int, uint, float, bool or string");
  parameter.values = TRY(typed_values(reading, place["Values"], parameter.type));
  check_default(reading, place["Default"], parameter);
  reading.project.parameters.push_back(std::move(parameter));
  return {};
}

/** Reports differences between the list of names and the names in the expression, which decides. */
void compare_names(Reading& reading, const JsonPlace& list, const PythonExpression& expression) {
  if (!list.exists()) return;
  std::vector<std::string> listed;
  for (std::size_t index = 0; index < list.size(); ++index) {
    if (list[index].exists() && list[index].value->is_string())
      listed.push_back(list[index].value->get<std::string>());
  }
  std::vector<std::string> unlisted;
  for (const std::string& name : expression.names()) {
    if (!in_list(listed, name)) unlisted.push_back(name);
  }
  std::erase_if(listed, [&](const std::string& name) { return in_list(expression.names(), name); });
  if (!unlisted.empty())
    reading.notice(list, fmt::format("omits {}, which the expression names",
                                     base::one_line(base::join(unlisted, ", "))));
  if (!listed.empty())
    reading.notice(list, fmt::format("has {}, which the expression does not name",
                                     base::one_line(base::join(listed, ", "))));
}

Status add_condition(Reading& reading, const JsonPlace& place) {
  static constexpr std::array<std::string_view, 2> known{"Expression", "Parameters"};
  if (!place.exists() || !place.value->is_object()) return reading.fail_at(place, "is not a condition");
  reading.notice_unknown(place, known);
  const JsonPlace written = place["Expression"];
  Condition condition;
  condition.text = TRY(reading.text_of(written));
  condition.expression = TRY(reading.expression_of(written));
  TRY(reading.check_names(written, condition.expression, false));
  compare_names(reading, place["Parameters"], condition.expression);
  reading.project.conditions.push_back(std::move(condition));
  return {};
}

}  // namespace

Status read_parameters(Reading& reading) {
  const JsonPlace space = reading.root()["ConfigurationSpace"];
  static constexpr std::array<std::string_view, 2> known{"TuningParameters", "Conditions"};
  reading.notice_unknown(space, known);
  const JsonPlace list = space["TuningParameters"];
  if (!list.exists() || !list.value->is_array() || list.size() == 0)
    return reading.fail_at(list, "has no parameter", "name at least one that can be tuned");
  if (list.size() > max_parameters)
    return reading.fail_at(list, fmt::format("has over {} parameters", max_parameters));
  for (std::size_t index = 0; index < list.size(); ++index) TRY(add_parameter(reading, list[index]));
  return {};
}

Status read_conditions(Reading& reading) {
  const JsonPlace list = reading.root()["ConfigurationSpace"]["Conditions"];
  if (!list.exists()) return {};
  if (!list.value->is_array()) return reading.fail_at(list, "is not a list");
  if (list.size() > max_conditions)
    return reading.fail_at(list, fmt::format("has over {} conditions", max_conditions), "join some with and");
  for (std::size_t index = 0; index < list.size(); ++index) TRY(add_condition(reading, list[index]));
  return {};
}

Status read_problem_size(Reading& reading) {
  constexpr std::size_t max_extents = 16;
  const JsonPlace place = reading.kernel()["ProblemSize"];
  if (!place.exists()) return {};
  std::vector<std::pair<JsonPlace, PythonExpression>> extents;
  if (place.value->is_string()) {
    // A text may hold a list, as in Values.
    if (auto values = read_value_list(place.value->get<std::string>()); values) {
      for (const space::KnobValue& value : *values)
        extents.emplace_back(place, TRY(PythonExpression::parse(space::to_string(value))));
    }
  }
  if (extents.empty() && !place.value->is_array())
    extents.emplace_back(place, TRY(reading.expression_of(place)));
  for (std::size_t index = 0; index < place.size(); ++index)
    extents.emplace_back(place[index], TRY(reading.expression_of(place[index])));
  if (extents.empty() || extents.size() > max_extents)
    return reading.fail_at(place, fmt::format("has {} extents", extents.size()), "one to 16");
  std::vector<std::int64_t> sizes;
  for (const auto& [where, extent] : extents) {
    if (!extent.names().empty())
      return reading.fail_at(where,
                             fmt::format("depends on {}, but only one problem is tuned at a time",
                                         base::quoted_line(extent.names().front())),
                             "write its number");
    const std::int64_t size = TRY(reading.constant_integer(where, extent));
    if (size < 1)
      return reading.fail_at(where, fmt::format("is {}", size), "a problem has at least one element");
    sizes.push_back(size);
  }
  reading.project.problem_size = std::move(sizes);
  return {};
}

}  // namespace kernelscape::project
