#include "core/project/project_json.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core/base/sha256.h"
#include "core/base/utf8.h"
#include "core/project/base64.h"
#include "core/project/project_names.h"

namespace kernelscape {
namespace {

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const Utf8Character first = first_character(text);
    if (first.code == invalid_utf8) return false;
    text.remove_prefix(first.bytes);
  }
  return true;
}

Json bytes_json(std::string_view bytes, ProjectBytes how) {
  if (how == ProjectBytes::Whole) return to_base64(bytes);
  return fmt::format("{} bytes, SHA-256 {}", bytes.size(), sha256(bytes));
}

Json texts_json(const std::vector<std::string>& texts) {
  Json list = Json::array();
  for (const std::string& text : texts) list.push_back(text_json(text));
  return list;
}

template <typename Expressions>
Json expressions_json(const Expressions& expressions) {
  Json list = Json::array();
  for (const PythonExpression& expression : expressions) list.push_back(expression.text());
  return list;
}

Json includes_json(const std::vector<IncludedFile>& includes) {
  Json list = Json::array();
  for (const IncludedFile& file : includes)
    list.push_back({{"name", text_json(file.name)}, {"text", text_json(file.text)}});
  return list;
}

Json parameters_json(const std::vector<ProjectParameter>& parameters) {
  Json list = Json::array();
  for (const ProjectParameter& parameter : parameters) {
    Json values = Json::array();
    for (const KnobValue& value : parameter.values) values.push_back(value_to_json(value));
    list.push_back({{"name", parameter.name}, {"type", parameter.type}, {"values", std::move(values)}});
  }
  return list;
}

Json launch_json(const ProjectLaunch& launch) {
  Json divisors = Json::array();
  for (const auto& axis : launch.grid_divisors) divisors.push_back(expressions_json(axis));
  return {{"meaning", launch.meaning == GlobalSizeMeaning::Threads ? "threads" : "blocks"},
          {"global", expressions_json(launch.global)},
          {"local", expressions_json(launch.local)},
          {"divisors", std::move(divisors)},
          {"shared_bytes", launch.shared_bytes.text()}};
}

Json fill_json(const ArgumentFill& fill, ProjectBytes how) {
  Json json{{"kind", name_of(fill_names, fill.kind)}, {"value", fill.value}, {"seed", fill.seed}};
  if (fill.kind == FillKind::Bytes) json["bytes"] = bytes_json(fill.bytes, how);
  return json;
}

Json arguments_json(const std::vector<ProgramArgument>& arguments, ProjectBytes how) {
  Json list = Json::array();
  for (const ProgramArgument& argument : arguments)
    list.push_back({{"name", argument.name},
                    {"type", to_string(argument.type)},
                    {"lanes", argument.lanes},
                    {"memory", name_of(memory_names, argument.memory)},
                    {"access", name_of(access_names, argument.access)},
                    {"count", argument.count},
                    {"fill", fill_json(argument.fill, how)},
                    {"checked", argument.checked},
                    {"absolute", argument.tolerance.absolute},
                    {"relative", argument.tolerance.relative}});
  return list;
}

Json reference_json(const KernelSource& reference) {
  return {{"dialect", name_of(dialect_names, reference.dialect)},
          {"text", text_json(reference.text)},
          {"entry", reference.entry},
          {"flags", texts_json(reference.flags.words())},
          {"user_flags", texts_json(reference.user_flags)},
          {"includes", includes_json(reference.includes)},
          {"grid", reference.launch.grid},
          {"block", reference.launch.block},
          {"parts", reference.parts}};
}

Json answer_json(const RightAnswer& answer, ProjectBytes how) {
  Json json{{"kind", name_of(answer_names, answer.kind)}};
  if (answer.kind == AnswerKind::Kernel || answer.kind == AnswerKind::Function)
    json["reference"] = reference_json(answer.reference);
  if (answer.kind == AnswerKind::Bytes) {
    json["bytes"] = Json::array();
    for (const std::string& one : answer.bytes) json["bytes"].push_back(bytes_json(one, how));
  }
  return json;
}

}  // namespace

Json text_json(std::string_view text) {
  if (is_utf8(text)) return text;
  return {{"base64", to_base64(text)}};
}

Json project_object(const KernelProject& project, ProjectBytes bytes) {
  Json conditions = Json::array();
  for (const ProjectCondition& condition : project.conditions) conditions.push_back(condition.text);
  return {{"format", "kernelscape-project"},
          {"version", 1},
          {"name", text_json(project.name)},
          {"dialect", name_of(dialect_names, project.dialect)},
          {"kernel", project.kernel_name},
          {"source_name", text_json(project.source_name)},
          {"source", text_json(project.source)},
          {"includes", includes_json(project.includes)},
          {"flags", texts_json(project.flags)},
          {"parameters", parameters_json(project.parameters)},
          {"conditions", std::move(conditions)},
          {"problem_size", project.problem_size},
          {"launch", launch_json(project.launch)},
          {"parts", project.parts},
          {"local_counts", expressions_json(project.local_counts)},
          {"arguments", arguments_json(project.data.arguments, bytes)},
          {"answer", answer_json(project.data.answer, bytes)},
          {"flops", project.flops},
          {"bytes", project.bytes}};
}

std::string project_to_json(const KernelProject& project) {
  return to_text(project_object(project, ProjectBytes::Whole));
}

std::string content_hash(const KernelProject& project) {
  return sha256(to_text(project_object(project, ProjectBytes::Hashed)));
}

}  // namespace kernelscape
