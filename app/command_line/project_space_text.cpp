#include "app/command_line/project_space_text.h"

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "app/command_line/command.h"
#include "app/command_line/console.h"
#include "app/command_line/json_output.h"
#include "app/command_line/tuner_advice_text.h"
#include "core/base/file.h"
#include "core/base/numbers.h"
#include "core/base/processors.h"
#include "core/project/host_language.h"
#include "core/space/member_search.h"

namespace kernelscape::command_line {
namespace {

using nlohmann::json;

constexpr std::uint32_t max_shown_values = 8;
constexpr std::uintmax_t max_judged_bytes = 16U << 20U;

std::string_view memory_of(project::ArgumentMemory memory) {
  switch (memory) {
    case project::ArgumentMemory::Scalar:
      return "scalar";
    case project::ArgumentMemory::Vector:
      return "vector";
    case project::ArgumentMemory::Local:
      return "local memory";
    case project::ArgumentMemory::Constant:
      break;
  }
  return "constant memory";
}

std::string_view access_of(const project::ProgramArgument& argument) {
  if (argument.memory != project::ArgumentMemory::Vector) return "";
  if (argument.checked)
    return argument.access == project::ArgumentAccess::ReadWrite ? "read, written, checked" : "checked";
  return argument.access == project::ArgumentAccess::ReadOnly ? "read" : "written";
}

std::string_view answer_of(project::AnswerKind kind) {
  switch (kind) {
    case project::AnswerKind::Kernel:
      return "a reference kernel";
    case project::AnswerKind::Function:
      return "a C function";
    case project::AnswerKind::Bytes:
      return "files";
    case project::AnswerKind::FirstValid:
      break;
  }
  return "the outputs of the first configuration that runs, which may be wrong";
}

std::string type_of(const project::ProgramArgument& argument) {
  return argument.lanes > 1 ? fmt::format("{}{}", project::to_string(argument.type), argument.lanes)
                            : project::to_string(argument.type);
}

std::vector<std::string> notices_of(const project::KernelProject& project, const project::Space& made) {
  std::vector<std::string> notices = project.notices;
  for (const std::string& notice : made.notices)
    if (std::ranges::find(notices, notice) == notices.end()) notices.push_back(notice);
  return notices;
}

std::vector<std::string> condition_texts(const project::KernelProject& project) {
  std::vector<std::string> texts;
  for (const project::Condition& condition : project.conditions) texts.push_back(condition.text);
  return texts;
}

/** Counts the members; of a space that takes too long, at least those that were found. */
space::MemberCount count_members(const space::SearchSpace& space) {
  space::MemberCount counted = space::counted_members(space);
  if (!counted.complete && counted.count == 0) counted.count = space::first_members(space, 1).members.size();
  return counted;
}

tuner::TunerAdvice advice_for(const project::Space& made, const space::MemberCount& members,
                              std::int64_t trials) {
  const std::optional<base::uint128> known = members.complete ? std::optional(members.count) : std::nullopt;
  return tuner::advise_tuner(facts_of(made.space, known, trials));
}

std::string members_text(const space::MemberCount& members) {
  const std::string count = base::with_thousands(base::to_string(members.count));
  if (members.complete) return count;
  if (members.count > 0) return fmt::format("at least {} (counting all takes too long)", count);
  return "none was found: the constraint solver gave up, so it is unknown whether there is one";
}

/** Returns what a project gives to the objective of a program: "time in ms, lower is better". */
std::string objective_text(const project::ProgramNumber& objective) {
  return fmt::format("{} in {}, {} is better", objective.name, objective.unit,
                     objective.higher_is_better ? "higher" : "lower");
}

json program_fields(const project::Program& program) {
  json metrics = json::array();
  for (const project::ProgramNumber& metric : program.metrics) metrics.push_back(metric.name);
  return {{"commands", project::program_lines(program)},
          {"objective",
           {{"name", program.objective.name},
            {"unit", program.objective.unit},
            {"higher_is_better", program.objective.higher_is_better}}},
          {"metrics", std::move(metrics)},
          {"network", program.permissions.network},
          {"permissions", project::permission_lines(program.permissions)}};
}

void print_as_json(const project::KernelProject& project, const project::Space& made, std::int64_t trials) {
  const space::MemberCount members = count_members(made.space);
  json object = {{"project", project.name},
                 {"kernel", project.kernel_name},
                 {"language", project::language_of(project)},
                 {"source", project.source_name},
                 {"processors", project.dialect == codegen::Dialect::C ? json(base::usable_cores()) : json()},
                 {"hash", project::content_hash(project)},
                 {"size", base::to_string(made.space.size())},
                 {"members", members.complete ? json(base::to_string(members.count)) : json()},
                 {"members_at_least", base::to_string(members.count)},
                 {"knobs", json::array()},
                 {"conditions", condition_texts(project)},
                 {"arguments", json::array()},
                 {"right", answer_of(project.data.answer.kind)},
                 {"notices", notices_of(project, made)},
                 {"tuner_advice", advice_fields(advice_for(made, members, trials))}};
  if (project.program) {
    for (const char* of_kernel : {"kernel", "source", "processors", "right"}) object[of_kernel] = nullptr;
    object["program"] = program_fields(*project.program);
  }
  for (const space::Knob& knob : made.space.knobs())
    object["knobs"].push_back(
        {{"name", knob.name()}, {"kind", space::to_string(knob.kind())}, {"count", knob.count()}});
  for (const project::ProgramArgument& argument : project.data.arguments) {
    object["arguments"].push_back({{"name", argument.name},
                                   {"type", type_of(argument)},
                                   {"memory", memory_of(argument.memory)},
                                   {"count", argument.count},
                                   {"bytes", argument.bytes()}});
  }
  print_json_line(object);
}

std::string shown_values(const space::Knob& knob) {
  std::string text;
  for (std::uint32_t index = 0; index < std::min(knob.count(), max_shown_values); ++index)
    text += (index == 0 ? "" : " ") + knob.describe(index);
  return knob.count() > max_shown_values ? text + " ..." : text;
}

/** Prints the first lines: a kernel, or the commands of a program. */
void print_heading(const project::KernelProject& project) {
  if (!project.program) {
    print("project   {}, kernel {} of {}, {}\n", project.name, project.kernel_name, project.source_name,
          project::language_of(project));
    return;
  }
  print("project   {}, a program of {} files\n", project.name, project.includes.size());
  for (const std::string& line : project::program_lines(*project.program)) print("          {}\n", line);
  for (const std::string& line : project::permission_lines(project.program->permissions))
    print("          {}\n", line);
  print("objective {}\n", objective_text(project.program->objective));
}

void print_arguments(const project::KernelProject& project) {
  print("\n");
  TextTable arguments({"argument", "type", "elements", "", ""});
  for (const project::ProgramArgument& argument : project.data.arguments) {
    arguments.add({argument.name, type_of(argument), base::with_thousands(std::to_string(argument.count)),
                   std::string(memory_of(argument.memory)), std::string(access_of(argument))});
  }
  print(arguments.text());
}

void print_as_text(const project::KernelProject& project, const project::Space& made, std::int64_t trials) {
  const space::MemberCount members = count_members(made.space);
  print_heading(project);
  print("content   {}\n", project::content_hash(project));
  if (!project.program && project.dialect == codegen::Dialect::C)
    print("cores     {}; --threads of tune sets another number\n",
          project::processors_text(project.parts, base::usable_cores()));
  print("size      {} configurations\n", base::with_thousands(base::to_string(made.space.size())));
  print("feasible  {}\n", members_text(members));
  if (!project.program) print("reference {}\n", answer_of(project.data.answer.kind));
  print("\n");
  TextTable knobs({"parameter", "kind", "values", ""});
  for (const space::Knob& knob : made.space.knobs())
    knobs.add({knob.name(), space::to_string(knob.kind()), std::to_string(knob.count()), shown_values(knob)});
  print(knobs.text());
  if (!project.conditions.empty()) print("\nconditions on feasible configurations:\n");
  for (const std::string& text : condition_texts(project)) print("  {}\n", text);
  if (!project.program) print_arguments(project);
  print("\ntuner     {}\n", advice_line(advice_for(made, members, trials)));
}

}  // namespace

std::optional<Result<project::KernelProject>> project_named(const std::string& name, bool outside) {
  const std::filesystem::path path = name;
  std::error_code failed;
  if (path.extension() != ".json" || !std::filesystem::is_regular_file(path, failed)) return std::nullopt;
  const Result<std::string> text = base::read_text_file(path, max_judged_bytes);
  if (!text || !project::is_project(*text)) return std::nullopt;
  return project::read_project(path, outside);
}

Result<int> print_project(const project::KernelProject& project, std::int64_t trials, bool as_json) {
  const project::Space made =
      TRY(project::make_project_space(project.parameters, project.conditions, project.problem_size));
  for (const std::string& notice : notices_of(project, made)) print_note(notice);
  as_json ? print_as_json(project, made, trials) : print_as_text(project, made, trials);
  return exit_done;
}

}  // namespace kernelscape::command_line
