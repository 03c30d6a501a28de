#include "core/exchange/formats/autotvm_record.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "core/base/visible_text.h"
#include "core/exchange/formats/log_lines.h"
#include "core/exchange/import_json.h"
#include "core/exchange/validation_values.h"
#include "core/space/knob_json.h"

namespace kernelscape::exchange {
namespace {

/** The knob of tasks without knobs, because a space needs a knob. */
constexpr std::string_view only_configuration_knob = "configuration";

/** Limits of the arguments in the task's problem. */
constexpr TextLimits argument_limits{32 << 10, false};

std::unexpected<Error> wrong_record(std::string message) {
  return fail(ErrorCode::InvalidArgument, std::move(message),
              "a line of AutoTVM 0.2 has input, config, result and version; of 0.1 it has i, r and v");
}

/** Returns the member with this name, or an error that names the missing member. */
Result<const space::Json*> required(const space::Json& object, const char* name, std::string_view of) {
  if (const space::Json* found = space::member_of(object, name)) return found;
  return wrong_record(fmt::format("{} has no \"{}\"", of, name));
}

Result<std::vector<std::int64_t>> whole_numbers(const space::Json& list, std::string_view knob) {
  std::vector<std::int64_t> numbers;
  for (const space::Json& item : list) {
    const auto number = space::integer_of(item);
    if (!number)
      return wrong_record(
          fmt::format("knob {} has {} among its numbers", base::quoted_line(knob), shown_json(item)));
    numbers.push_back(*number);
  }
  return numbers;
}

Status check_factors(const LoggedChoice& entity) {
  for (std::size_t i = 0; i < entity.numbers.size(); ++i) {
    const std::int64_t factor = entity.numbers[i];
    if (factor < 1 && !(i == 0 && factor == -1))
      return wrong_record(fmt::format("knob {} has the factor {}", base::quoted_line(entity.knob), factor));
  }
  return {};
}

Result<LoggedChoice> list_entity(LoggedChoice entity, const space::Json& list) {
  if (!list.is_array() || list.empty())
    return wrong_record(
        fmt::format("knob {} needs a list, not {}", base::quoted_line(entity.knob), shown_json(list)));
  if (entity.kind == ChoiceKind::Annotate) {
    for (const space::Json& item : list)
      if (!item.is_string())
        return wrong_record(
            fmt::format("knob {} has an annotation that is not a text", base::quoted_line(entity.knob)));
    entity.value = space::to_text(list);
    return entity;
  }
  entity.numbers = TRY(whole_numbers(list, entity.knob));
  if (entity.kind == ChoiceKind::Split) TRY(check_factors(entity));
  return entity;
}

Result<LoggedChoice> entity_of(const space::Json& json) {
  const bool formed = json.is_array() && json.size() == 3 && json[0].is_string() && json[1].is_string();
  if (!formed || json[0].get_ref<const std::string&>().empty())
    return wrong_record("an entity is not [knob, kind, value]");
  LoggedChoice entity{.knob = json[0].get<std::string>()};
  const auto kind = json[1].get<std::string>();
  if (kind == "ot") {
    const auto value = space::value_from_json(json[2]);
    if (!value && !json[2].is_null())
      return wrong_record(
          fmt::format("knob {} has a value that is not a scalar", base::quoted_line(entity.knob)));
    entity.value = value ? *value : space::KnobValue(std::string("null"));
    return entity;
  }
  if (kind == "sp")
    entity.kind = ChoiceKind::Split;
  else if (kind == "re")
    entity.kind = ChoiceKind::Reorder;
  else if (kind == "an")
    entity.kind = ChoiceKind::Annotate;
  else
    return wrong_record(fmt::format("knob {} has the unknown kind {}; known: sp, re, an, ot",
                                    base::quoted_line(entity.knob), base::quoted_line(kind)));
  return list_entity(std::move(entity), json[2]);
}

Status read_input(const space::Json& input, AutotvmRecord& record) {
  const bool formed = input.is_array() && input.size() >= 3 && input[0].is_string() && input[1].is_string() &&
                      input[2].is_array();
  if (!formed) return wrong_record("its input is not [target, task, arguments, ...]");
  record.target = input[0].get<std::string>();
  record.task = input[1].get<std::string>();
  record.args_json = space::to_text(input[2]);
  if (!is_clean_text(record.target, line_limits) || !is_clean_text(record.task, name_limits) ||
      !is_clean_text(record.args_json, argument_limits))
    return wrong_record("its target, task or arguments are too long, or have control characters");
  return {};
}

Status read_configuration(const space::Json& index, const space::Json& entities, AutotvmRecord& record) {
  if (!index.is_number() || (index.is_number_integer() && !index.is_number_unsigned()))
    return wrong_record("its configuration's index is not a number of at least 0");
  if (index.is_number_unsigned()) record.index = index.get<std::uint64_t>();
  if (!entities.is_array()) return wrong_record("its configuration has no list of knobs");
  for (const space::Json& json : entities) record.entities.push_back(TRY(entity_of(json)));
  // A task without knobs, such as a depthwise convolution on processors, has one configuration.
  if (entities.empty())
    record.entities.push_back(
        {.knob = std::string(only_configuration_knob), .value = std::string("default")});
  return check_choices(record.entities);
}

bool usable_seconds(const space::Json& json) {
  return json.is_number() && std::isfinite(json.get<double>()) && json.get<double>() >= 0;
}

Status read_result(const space::Json& result, AutotvmRecord& record) {
  if (!result.is_array() || result.size() < 4 || !result[0].is_array())
    return wrong_record("its result is not [costs, error number, all cost, timestamp]");
  const auto category = space::integer_of(result[1]);
  if (!category || *category < 0)
    return wrong_record(fmt::format("its error number {} is not 0 to 8", shown_json(result[1])));
  set_error(*category, record.category, record.message);
  if (!usable_seconds(result[2]))
    return wrong_record(fmt::format("its total cost {} is not a number of seconds", shown_json(result[2])));
  if (!usable_seconds(result[3]))
    return wrong_record(fmt::format("its timestamp {} is not a number of seconds", shown_json(result[3])));
  record.all_cost_seconds = result[2].get<double>();
  record.timestamp_seconds = result[3].get<double>();
  // On errors the log has a cost of 1e9 or another number instead of a time.
  if (record.category != trial::ErrorCategory::NoError) return {};
  for (const space::Json& cost : result[0]) {
    if (!usable_seconds(cost))
      return wrong_record(fmt::format("its cost {} is not a number of seconds", shown_json(cost)));
    if (cost.get<double>() <= 0) return wrong_record("one of its costs is 0 seconds");
    record.costs_seconds.push_back(cost.get<double>());
  }
  if (record.costs_seconds.empty()) return wrong_record("it has neither costs nor an error");
  return {};
}

Result<AutotvmRecord> record_of_version_1(const space::Json& line) {
  const auto input = TRY(required(line, "i", "the line"));
  const auto result = TRY(required(line, "r", "the line"));
  AutotvmRecord record;
  TRY(read_input(*input, record));
  if (input->size() < 6) return wrong_record("its input has no configuration");
  const space::Json& configuration = (*input)[5];
  const auto index = TRY(required(configuration, "i", "its configuration"));
  const auto entities = TRY(required(configuration, "e", "its configuration"));
  if (const space::Json* key = space::member_of(configuration, "t"); key && key->is_string())
    record.template_key = key->get<std::string>();
  TRY(read_configuration(*index, *entities, record));
  TRY(read_result(*result, record));
  return record;
}

Result<AutotvmRecord> record_of_version_2(const space::Json& line) {
  const auto input = TRY(required(line, "input", "the line"));
  const auto configuration = TRY(required(line, "config", "the line"));
  const auto result = TRY(required(line, "result", "the line"));
  const auto index = TRY(required(*configuration, "index", "its configuration"));
  const auto entities = TRY(required(*configuration, "entity", "its configuration"));
  AutotvmRecord record;
  TRY(read_input(*input, record));
  TRY(read_configuration(*index, *entities, record));
  TRY(read_result(*result, record));
  if (const space::Json* version = space::member_of(line, "tvm_version"); version && version->is_string())
    record.tvm_version = version->get<std::string>();
  return record;
}

}  // namespace

Result<AutotvmRecord> autotvm_record(const nlohmann::json& line) {
  if (!line.is_object()) return wrong_record("the line is not a JSON object");
  return line.contains("i") ? record_of_version_1(line) : record_of_version_2(line);
}

}  // namespace kernelscape::exchange
