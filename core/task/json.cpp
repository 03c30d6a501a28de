#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/base/text.h"
#include "core/base/visible_text.h"
#include "core/task/json_reading.h"
#include "core/task/task.h"

namespace kernelscape::task {
namespace {

using nlohmann::json;

constexpr std::size_t max_unroll_steps = 64;
constexpr std::int64_t largest_unroll_step = 1 << 20;

/** Reads ascending integers. */
Result<std::vector<std::int64_t>> read_unroll_steps(const json& object) {
  std::vector<std::int64_t> steps;
  const auto found = object.find("unroll_steps");
  if (found == object.end()) return steps;
  const auto refuse = [] {
    return fail(ErrorCode::InvalidArgument, "unroll_steps is not a list of whole numbers in ascending order",
                fmt::format("write for example [0, 125, 256]; steps go up to {}", largest_unroll_step));
  };
  if (!found->is_array() || found->size() > max_unroll_steps) return refuse();
  for (const json& value : *found) {
    if (!value.is_number_unsigned() || value.get<std::uint64_t>() > largest_unroll_step) return refuse();
    const auto step = value.get<std::int64_t>();
    if (!steps.empty() && step <= steps.back()) return refuse();
    steps.push_back(step);
  }
  return steps;
}

Result<Task> read_generic(const json& object, const std::string& name) {
  const json& generic = object.at("generic");
  TRY(check_object(generic, "a generic task", {"problem", "objective", "unit", "flops", "bytes"}));
  GenericProblem problem;
  for (const auto& [member, target] :
       {std::pair{"problem", &problem.problem}, {"objective", &problem.objective}, {"unit", &problem.unit}}) {
    *target = TRY(text_member(generic, "a generic task", member));
  }
  for (const auto& [member, target] : {std::pair{"flops", &problem.flops}, {"bytes", &problem.bytes}}) {
    const auto found = generic.find(member);
    if (found == generic.end()) continue;
    if (!found->is_number())
      return fail(ErrorCode::InvalidArgument, fmt::format("\"{}\" of a generic task is not a number", member),
                  "give a number of at least 0");
    *target = found->get<double>();
  }
  return make_generic_task(problem, name);
}

}  // namespace

Status check_object(const json& object, std::string_view what, const std::vector<std::string>& members) {
  if (!object.is_object()) {
    return fail(ErrorCode::InvalidArgument, fmt::format("{} is not a JSON object", what),
                fmt::format("write {{...}} with the members {}", base::join(members, ", ")));
  }
  for (const auto& item : object.items()) {
    if (std::ranges::find(members, item.key()) == members.end())
      return fail(ErrorCode::InvalidArgument,
                  fmt::format("{} has an unknown member {}", what, base::quoted_line(item.key())),
                  base::suggest(item.key(), members));
  }
  return {};
}

Result<std::string> text_member(const json& object, std::string_view what, const char* member,
                                std::string otherwise) {
  const auto found = object.find(member);
  if (found == object.end()) return otherwise;
  if (found->is_string()) return found->get<std::string>();
  return fail(ErrorCode::InvalidArgument, fmt::format("\"{}\" of {} is not a text", member, what),
              "write it in quotation marks");
}

Result<json> parse_json(std::string_view text, std::string_view what) {
  json value = json::parse(text, nullptr, false);
  if (!value.is_discarded()) return value;
  return fail(
      ErrorCode::InvalidArgument, fmt::format("{} is not valid JSON", what),
      R"(write for example {"name": "mine", "task": "conv2d 1x64x56x56 64x64x3x3 stride=1 pad=1 f32"})");
}

Result<Task> task_from_json_value(const json& object) {
  TRY(check_object(object, "a task", {"name", "task", "generic", "unroll_steps"}));
  const std::string name = TRY(text_member(object, "a task", "name"));
  if (object.contains("task") == object.contains("generic")) {
    return fail(ErrorCode::InvalidArgument, "a task has neither or both of the members task and generic",
                R"(write "task": "conv2d 1x64x56x56 64x64x3x3 stride=1 pad=1 f32")");
  }
  if (object.contains("generic")) return read_generic(object, name);

  const std::string text = TRY(text_member(object, "a task", "task"));
  std::vector<std::int64_t> unroll_steps = TRY(read_unroll_steps(object));
  Task task = TRY(parse_task(text));
  if (!name.empty()) task.name = name;
  task.unroll_steps = std::move(unroll_steps);
  return task;
}

std::string task_to_json(const Task& task) {
  nlohmann::ordered_json object = {{"name", task.name}};
  if (const auto* generic = std::get_if<GenericProblem>(&task.definition)) {
    object["generic"] = {
        {"problem", generic->problem}, {"objective", generic->objective}, {"unit", generic->unit}};
    if (generic->flops > 0) object["generic"]["flops"] = generic->flops;
    if (generic->bytes > 0) object["generic"]["bytes"] = generic->bytes;
  } else {
    object["task"] = task.text;
  }
  if (!task.unroll_steps.empty()) object["unroll_steps"] = task.unroll_steps;
  // Names from foreign files may be invalid UTF-8, which JSON does not allow.
  return object.dump(-1, ' ', false, json::error_handler_t::replace);
}

Result<Task> task_from_json(std::string_view text) {
  const json value = TRY(parse_json(text, "the task"));
  return task_from_json_value(value);
}

}  // namespace kernelscape::task
