#include "core/project/json.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core/base/sha256.h"
#include "core/base/utf8.h"
#include "core/project/base64.h"
#include "core/project/data_file.h"
#include "core/project/names.h"
#include "core/project/program_json.h"

namespace kernelscape::project {
namespace {

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const base::Utf8Character first = base::first_character(text);
    if (first.code == base::invalid_utf8) return false;
    text.remove_prefix(first.bytes);
  }
  return true;
}

/** Returns contents for comparisons. The text does not depend on whether the contents are stored or in a
 * file. */
std::string digest_text(std::uint64_t bytes, std::string_view sha256) {
  return fmt::format("{} bytes, SHA-256 {}", bytes, sha256);
}

space::Json bytes_json(std::string_view bytes, ProjectBytes how) {
  if (how == ProjectBytes::Whole) return to_base64(bytes);
  return digest_text(bytes.size(), base::sha256(bytes));
}

space::Json file_json(const DataFile& file, ProjectBytes how) {
  if (how == ProjectBytes::Hashed) return digest_text(file.bytes, file.sha256);
  return {{"file", text_json(file.path)}, {"bytes", file.bytes}, {"sha256", file.sha256}};
}

space::Json texts_json(const std::vector<std::string>& texts) {
  space::Json list = space::Json::array();
  for (const std::string& text : texts) list.push_back(text_json(text));
  return list;
}

template <typename Expressions>
space::Json expressions_json(const Expressions& expressions) {
  space::Json list = space::Json::array();
  for (const PythonExpression& expression : expressions) list.push_back(expression.text());
  return list;
}

space::Json includes_json(const std::vector<codegen::IncludedFile>& includes) {
  space::Json list = space::Json::array();
  for (const codegen::IncludedFile& file : includes)
    list.push_back({{"name", text_json(file.name)}, {"text", text_json(file.text)}});
  return list;
}

space::Json parameters_json(const std::vector<Parameter>& parameters) {
  space::Json list = space::Json::array();
  for (const Parameter& parameter : parameters) {
    space::Json values = space::Json::array();
    for (const space::KnobValue& value : parameter.values) values.push_back(space::value_to_json(value));
    list.push_back({{"name", parameter.name}, {"type", parameter.type}, {"values", std::move(values)}});
  }
  return list;
}

space::Json launch_json(const Launch& launch) {
  space::Json divisors = space::Json::array();
  for (const auto& axis : launch.grid_divisors) divisors.push_back(expressions_json(axis));
  return {{"meaning", launch.meaning == GlobalSizeMeaning::Threads ? "threads" : "blocks"},
          {"global", expressions_json(launch.global)},
          {"local", expressions_json(launch.local)},
          {"divisors", std::move(divisors)},
          {"shared_bytes", launch.shared_bytes.text()}};
}

space::Json fill_json(const ArgumentFill& fill, ProjectBytes how) {
  space::Json json{{"kind", name_of(fill_names, fill.kind)}, {"value", fill.value}, {"seed", fill.seed}};
  if (fill.kind == FillKind::Bytes)
    json["bytes"] = fill.file ? file_json(*fill.file, how) : bytes_json(fill.bytes, how);
  return json;
}

space::Json arguments_json(const std::vector<ProgramArgument>& arguments, ProjectBytes how) {
  space::Json list = space::Json::array();
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

space::Json reference_json(const codegen::KernelSource& reference) {
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

space::Json answer_json(const RightAnswer& answer, ProjectBytes how) {
  space::Json json{{"kind", name_of(answer_names, answer.kind)}};
  if (answer.kind == AnswerKind::Kernel || answer.kind == AnswerKind::Function)
    json["reference"] = reference_json(answer.reference);
  if (answer.kind == AnswerKind::Bytes) {
    json["bytes"] = space::Json::array();
    for (std::size_t index = 0; index < answer.bytes.size(); ++index) {
      const auto file = answer.files.find(index);
      json["bytes"].push_back(file != answer.files.end() ? file_json(file->second, how)
                                                         : bytes_json(answer.bytes[index], how));
    }
  }
  return json;
}

}  // namespace

space::Json text_json(std::string_view text) {
  if (is_utf8(text)) return text;
  return {{"base64", to_base64(text)}};
}

space::Json project_object(const KernelProject& project, ProjectBytes bytes) {
  space::Json conditions = space::Json::array();
  for (const Condition& condition : project.conditions) conditions.push_back(condition.text);
  if (project.program)
    return {{"format", "kernelscape-project"},
            {"version", program_project_version},
            {"name", text_json(project.name)},
            {"includes", includes_json(project.includes)},
            {"parameters", parameters_json(project.parameters)},
            {"conditions", std::move(conditions)},
            {"problem_size", project.problem_size},
            {"program", program_json(*project.program)},
            {"flops", project.flops},
            {"bytes", project.bytes}};
  return {{"format", "kernelscape-project"},
          {"version",
           bytes == ProjectBytes::Whole && has_data_files(project.data) ? data_file_project_version : 1},
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
  return space::to_text(project_object(project, ProjectBytes::Whole));
}

std::string content_hash(const KernelProject& project) {
  return base::sha256(space::to_text(project_object(project, ProjectBytes::Hashed)));
}

}  // namespace kernelscape::project
