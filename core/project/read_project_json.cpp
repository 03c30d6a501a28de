// Reads a project from a database, a session's JSON or a recording: the text is untrusted.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/base/long_json.h"
#include "core/base/text.h"
#include "core/base/visible_text.h"
#include "core/codegen/known_flags.h"
#include "core/project/base64.h"
#include "core/project/function_name.h"
#include "core/project/host_language.h"
#include "core/project/in_list.h"
#include "core/project/json.h"
#include "core/project/names.h"
#include "core/project/program_json.h"
#include "core/project/reading.h"
#include "core/project/value_list.h"

namespace kernelscape::project {
namespace {

constexpr std::size_t max_listed = 4096;

std::unexpected<Error> damaged_project(std::string_view what) {
  return fail(ErrorCode::Corrupt, fmt::format("a stored project {}", what), "open its project file again");
}

Result<const space::Json*> stored_member(const space::Json& object, const char* name) {
  const space::Json* member = space::member_of(object, name);
  if (member == nullptr) return damaged_project(fmt::format("has no \"{}\"", name));
  return member;
}

Result<const space::Json*> stored_list(const space::Json& object, const char* name) {
  const space::Json* list = TRY(stored_member(object, name));
  if (!list->is_array() || list->size() > max_listed)
    return damaged_project(fmt::format("has no list \"{}\", or a long one", name));
  return list;
}

Result<std::string> stored_text(const space::Json& json) {
  if (json.is_string()) return json.get<std::string>();
  const space::Json* encoded = space::member_of(json, "base64");
  auto text = encoded != nullptr && encoded->is_string() ? from_base64(encoded->get_ref<const std::string&>())
                                                         : std::nullopt;
  if (!text) return damaged_project("has another type where a text is needed");
  return *std::move(text);
}

Result<std::string> text_in(const space::Json& object, const char* name) {
  return stored_text(*TRY(stored_member(object, name)));
}

Result<bool> truth_in(const space::Json& object, const char* name) {
  const space::Json* member = TRY(stored_member(object, name));
  if (!member->is_boolean()) return damaged_project(fmt::format("has no truth value \"{}\"", name));
  return member->get<bool>();
}

Result<std::int64_t> integer_in(const space::Json& object, const char* name, std::int64_t least,
                                std::int64_t most) {
  const auto number = space::integer_of(*TRY(stored_member(object, name)));
  if (!number || *number < least || *number > most)
    return damaged_project(fmt::format("has no number \"{}\" from {} to {}", name, least, most));
  return *number;
}

/**
 * Reads a finite number.
 * @param least minimum value
 */
Result<double> real_in(const space::Json& object, const char* name, double least) {
  const space::Json* member = TRY(stored_member(object, name));
  const double number = member->is_number() ? member->get<double>() : std::nan("");
  if (!std::isfinite(number) || number < least)
    return damaged_project(fmt::format("has no number \"{}\"", name));
  return number;
}

template <typename Value, std::size_t count>
Result<Value> named_in(const space::Json& object, const char* name,
                       const std::array<std::string_view, count>& names) {
  const auto value = value_named<Value>(names, TRY(text_in(object, name)));
  if (!value) return damaged_project(fmt::format("has an unknown \"{}\"", name));
  return *value;
}

Result<std::string> identifier_in(const space::Json& object, const char* name) {
  std::string text = TRY(text_in(object, name));
  if (!is_identifier(text)) return damaged_project(fmt::format("has no name as \"{}\"", name));
  return text;
}

Result<std::vector<std::string>> texts_in(const space::Json& object, const char* name) {
  std::vector<std::string> texts;
  for (const space::Json& one : *TRY(stored_list(object, name))) {
    texts.push_back(TRY(stored_text(one)));
    if (texts.back().contains('\0')) return damaged_project(fmt::format("has a null byte in \"{}\"", name));
  }
  return texts;
}

Result<std::vector<PythonExpression>> expressions_of(const space::Json& list) {
  if (!list.is_array() || list.size() > max_listed) return damaged_project("has no list of expressions");
  std::vector<PythonExpression> expressions;
  for (const space::Json& one : list)
    expressions.push_back(TRY(PythonExpression::parse(TRY(stored_text(one)))));
  return expressions;
}

Result<std::array<PythonExpression, 3>> axes_in(const space::Json& object, const char* name) {
  std::vector<PythonExpression> list = TRY(expressions_of(*TRY(stored_member(object, name))));
  if (list.size() != 3) return damaged_project(fmt::format("has no three axes in \"{}\"", name));
  return std::array<PythonExpression, 3>{std::move(list[0]), std::move(list[1]), std::move(list[2])};
}

/** Reads the included files, whose names must be below a folder and different. */
Result<std::vector<codegen::IncludedFile>> includes_in(const space::Json& object) {
  std::vector<codegen::IncludedFile> includes;
  for (const space::Json& one : *TRY(stored_list(object, "includes"))) {
    codegen::IncludedFile file;
    file.name = TRY(text_in(one, "name"));
    file.text = TRY(text_in(one, "text"));
    if (!is_name_within_folder(file.name) || in_list(includes, file.name, &codegen::IncludedFile::name))
      return damaged_project(fmt::format("includes a file called {}", base::quoted_line(file.name)));
    includes.push_back(std::move(file));
  }
  return includes;
}

Result<Parameter> parameter_of(const space::Json& json) {
  Parameter parameter;
  parameter.name = TRY(identifier_in(json, "name"));
  parameter.type = TRY(text_in(json, "type"));
  const space::Json* values = TRY(stored_member(json, "values"));
  if (!values->is_array() || values->empty()) return damaged_project("has a parameter without values");
  for (const space::Json& value : *values) {
    const auto read = space::value_from_json(value);
    const auto typed =
        read ? value_of_type(*read, parameter.type) : Result<space::KnobValue>(damaged_project("no value"));
    // A real with an integral value is written as an integer, and stays a real.
    if (!typed || typed->index() != read->index()) return damaged_project("has a value of another type");
    parameter.values.push_back(*typed);
  }
  return parameter;
}

Status read_stored_space(const space::Json& json, KernelProject& project) {
  for (const space::Json& one : *TRY(stored_list(json, "parameters"))) {
    project.parameters.push_back(TRY(parameter_of(one)));
    const std::string& name = project.parameters.back().name;
    if (std::ranges::count(project.parameters, name, &Parameter::name) > 1)
      return damaged_project(fmt::format("has two parameters {}", base::quoted_line(name)));
  }
  if (project.parameters.empty()) return damaged_project("has no parameter");
  for (const space::Json& one : *TRY(stored_list(json, "conditions"))) {
    Condition condition;
    condition.text = TRY(stored_text(one));
    condition.expression = TRY(PythonExpression::parse(condition.text));
    project.conditions.push_back(std::move(condition));
  }
  for (const space::Json& one : *TRY(stored_list(json, "problem_size"))) {
    const auto size = space::integer_of(one);
    if (!size || *size < 1) return damaged_project("has an invalid problem size");
    project.problem_size.push_back(*size);
  }
  return {};
}

Status read_stored_launch(const space::Json& json, KernelProject& project) {
  const space::Json& launch = *TRY(stored_member(json, "launch"));
  const std::string meaning = TRY(text_in(launch, "meaning"));
  if (meaning != "threads" && meaning != "blocks") return damaged_project("has an unknown \"meaning\"");
  project.launch.meaning = meaning == "threads" ? GlobalSizeMeaning::Threads : GlobalSizeMeaning::Blocks;
  project.launch.global = TRY(axes_in(launch, "global"));
  project.launch.local = TRY(axes_in(launch, "local"));
  project.launch.shared_bytes = TRY(PythonExpression::parse(TRY(text_in(launch, "shared_bytes"))));
  const space::Json& divisors = *TRY(stored_list(launch, "divisors"));
  if (divisors.size() != project.launch.grid_divisors.size()) return damaged_project("has no three divisors");
  for (std::size_t axis = 0; axis < divisors.size(); ++axis)
    project.launch.grid_divisors[axis] = TRY(expressions_of(divisors[axis]));
  return {};
}

bool is_sha256(std::string_view text) {
  return text.size() == 64 && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

Result<DataFile> stored_data_file(const space::Json& json) {
  DataFile file{.path = TRY(text_in(json, "file"))};
  if (file.path.contains('\0') || !std::filesystem::path(file.path).is_absolute())
    return damaged_project("has a data file without an absolute path");
  file.bytes = static_cast<std::uint64_t>(
      TRY(integer_in(json, "bytes", 1, static_cast<std::int64_t>(max_argument_bytes))));
  file.sha256 = TRY(text_in(json, "sha256"));
  if (!is_sha256(file.sha256)) return damaged_project("has a data file without SHA-256");
  return file;
}

/** Reads the contents of an argument: in base64, or the path, size and hash of a data file. */
Result<ArgumentFill> stored_contents(const space::Json& json, const ProgramArgument& argument) {
  ArgumentFill fill{.kind = FillKind::Bytes};
  if (space::member_of(json, "file") != nullptr) {
    fill.file = TRY(stored_data_file(json));
  } else {
    auto bytes = from_base64(TRY(stored_text(json)));
    if (!bytes) return damaged_project("has contents that are not in base64");
    fill.bytes = *std::move(bytes);
  }
  if ((fill.file ? fill.file->bytes : fill.bytes.size()) != argument.bytes())
    return damaged_project(fmt::format("does not have the contents of {}", base::quoted_line(argument.name)));
  return fill;
}

Result<ArgumentFill> stored_fill(const space::Json& json, const ProgramArgument& argument) {
  ArgumentFill fill;
  fill.kind = TRY(named_in<FillKind>(json, "kind", fill_names));
  fill.value = TRY(real_in(json, "value", std::numeric_limits<double>::lowest()));
  const space::Json* seed = TRY(stored_member(json, "seed"));
  if (!seed->is_number_unsigned()) return damaged_project("has an invalid seed");
  fill.seed = seed->get<std::uint64_t>();
  if (fill.kind != FillKind::Bytes) return fill;
  ArgumentFill contents = TRY(stored_contents(*TRY(stored_member(json, "bytes")), argument));
  fill.bytes = std::move(contents.bytes);
  fill.file = std::move(contents.file);
  return fill;
}

Result<ProgramArgument> stored_argument(const space::Json& json) {
  ProgramArgument argument;
  argument.name = TRY(identifier_in(json, "name"));
  const std::string type = TRY(text_in(json, "type"));
  std::uint64_t index = 0;
  while (index < element_type_count && to_string(static_cast<ElementType>(index)) != type) ++index;
  if (index == element_type_count) return damaged_project("has an unknown \"type\"");
  argument.type = static_cast<ElementType>(index);
  argument.lanes = static_cast<std::int32_t>(TRY(integer_in(json, "lanes", 1, 16)));
  argument.memory = TRY(named_in<ArgumentMemory>(json, "memory", memory_names));
  argument.access = TRY(named_in<ArgumentAccess>(json, "access", access_names));
  const auto most = static_cast<std::int64_t>(max_argument_bytes) /
                    (argument.lanes * static_cast<std::int64_t>(element_bytes(argument.type)));
  argument.count = TRY(integer_in(json, "count", 1, argument.memory == ArgumentMemory::Scalar ? 1 : most));
  argument.fill = TRY(stored_fill(*TRY(stored_member(json, "fill")), argument));
  argument.checked = TRY(truth_in(json, "checked"));
  if (argument.checked &&
      (argument.memory != ArgumentMemory::Vector || argument.access == ArgumentAccess::ReadOnly))
    return damaged_project(fmt::format("checks {}, which is no output", base::quoted_line(argument.name)));
  argument.tolerance.absolute = TRY(real_in(json, "absolute", 0));
  argument.tolerance.relative = TRY(real_in(json, "relative", 0));
  return argument;
}

Status read_stored_arguments(const space::Json& json, KernelProject& project) {
  std::uint64_t taken = 0;
  std::size_t locals = 0;
  for (const space::Json& one : *TRY(stored_list(json, "arguments"))) {
    ProgramArgument argument = TRY(stored_argument(one));
    if (in_list(project.data.arguments, argument.name, &ProgramArgument::name))
      return damaged_project(fmt::format("has two arguments {}", base::quoted_line(argument.name)));
    if (argument.bytes() > max_argument_bytes - taken)
      return damaged_project("has arguments that exceed the memory limit");
    taken += argument.bytes();
    if (argument.memory == ArgumentMemory::Local) ++locals;
    project.data.arguments.push_back(std::move(argument));
  }
  project.local_counts = TRY(expressions_of(*TRY(stored_member(json, "local_counts"))));
  if (project.local_counts.size() != locals) return damaged_project("has sizes of other local arguments");
  return {};
}

Result<codegen::KernelSource> stored_reference(const space::Json& json) {
  constexpr std::int64_t max_blocks = 1LL << 31;
  codegen::KernelSource reference;
  reference.dialect = TRY(named_in<codegen::Dialect>(json, "dialect", dialect_names));
  reference.text = TRY(text_in(json, "text"));
  reference.flags = codegen::sort_flags(reference.dialect, TRY(texts_in(json, "flags"))).known;
  reference.user_flags = TRY(texts_in(json, "user_flags"));
  reference.entry = TRY(text_in(json, "entry"));
  if (!is_function_name(reference.entry, names_as_cpp(reference.dialect, reference.user_flags)))
    return damaged_project("has no name as \"entry\"");
  reference.includes = TRY(includes_in(json));
  reference.parts = TRY(truth_in(json, "parts"));
  const space::Json& grid = *TRY(stored_list(json, "grid"));
  const space::Json& block = *TRY(stored_list(json, "block"));
  for (std::size_t axis = 0; axis < reference.launch.grid.size(); ++axis) {
    const auto blocks = axis < grid.size() ? space::integer_of(grid[axis]) : std::nullopt;
    const auto threads = axis < block.size() ? space::integer_of(block[axis]) : std::nullopt;
    if (!blocks || !threads || *blocks < 1 || *threads < 1 || *blocks > max_blocks || *threads > max_blocks)
      return damaged_project("has a reference with no launch");
    reference.launch.grid[axis] = *blocks;
    reference.launch.block[axis] = *threads;
  }
  return reference;
}

Status read_stored_answer(const space::Json& json, KernelProject& project) {
  const space::Json& stored = *TRY(stored_member(json, "answer"));
  RightAnswer& answer = project.data.answer;
  answer.kind = TRY(named_in<AnswerKind>(stored, "kind", answer_names));
  if (answer.kind == AnswerKind::Kernel || answer.kind == AnswerKind::Function) {
    answer.reference = TRY(stored_reference(*TRY(stored_member(stored, "reference"))));
    const codegen::Dialect wanted =
        answer.kind == AnswerKind::Function ? codegen::Dialect::C : project.dialect;
    if (answer.reference.dialect != wanted) return damaged_project("has a reference in another language");
  }
  if (answer.kind != AnswerKind::Bytes) return {};
  const space::Json& encoded = *TRY(stored_list(stored, "bytes"));
  for (const ProgramArgument& argument : project.data.arguments) {
    if (!argument.checked) continue;
    if (answer.bytes.size() == encoded.size())
      return damaged_project("does not have the reference of its outputs");
    ArgumentFill contents = TRY(stored_contents(encoded[answer.bytes.size()], argument));
    if (contents.file) answer.files.emplace(answer.bytes.size(), *std::move(contents.file));
    answer.bytes.push_back(std::move(contents.bytes));
  }
  if (answer.bytes.size() != encoded.size()) return damaged_project("has more references than outputs");
  return {};
}

/** Sets the obstacle as reading the file would: a launch that names an unknown parameter. */
void find_obstacle(KernelProject& project) {
  const Launch& launch = project.launch;
  std::vector<PythonExpression> all(launch.global.begin(), launch.global.end());
  all.insert(all.end(), launch.local.begin(), launch.local.end());
  for (const auto& axis : launch.grid_divisors) all.insert(all.end(), axis.begin(), axis.end());
  all.insert(all.end(), project.flag_values.begin(), project.flag_values.end());
  all.insert(all.end(), project.local_counts.begin(), project.local_counts.end());
  all.push_back(launch.shared_bytes);
  for (const PythonExpression& expression : all) {
    for (const std::string& name : expression.names()) {
      if (name == "ProblemSize" || in_list(project.parameters, name, &Parameter::name)) continue;
      project.obstacle = Error{ErrorCode::InvalidArgument,
                               fmt::format("the launch names {} in {}, which is not a parameter",
                                           base::quoted_line(name), base::quoted_line(expression.text())),
                               "correct it in the project file"};
      return;
    }
  }
}

Result<KernelProject> stored_program(const space::Json& json) {
  KernelProject project;
  project.name = TRY(text_in(json, "name"));
  project.includes = TRY(includes_in(json));
  TRY(read_stored_space(json, project));
  project.flops = TRY(real_in(json, "flops", 0));
  project.bytes = TRY(real_in(json, "bytes", 0));
  ProgramText text{.name_of = [](const std::string& path) { return "a stored project: " + path; },
                   .code = ErrorCode::Corrupt,
                   .names = {"ProblemSize"}};
  for (const Parameter& parameter : project.parameters) text.names.push_back(parameter.name);
  const space::Json* program = TRY(stored_member(json, "program"));
  project.program = TRY(program_from_json({program, "program"}, text));
  set_work_of_rate(project);
  return project;
}

Result<KernelProject> stored_project(const space::Json& json) {
  const space::Json* format = space::member_of(json, "format");
  if (format == nullptr || *format != "kernelscape-project") return damaged_project("is none");
  const std::int64_t version = TRY(integer_in(json, "version", 1, std::numeric_limits<std::int64_t>::max()));
  if (version == program_project_version) return stored_program(json);
  if (version != 1 && version != data_file_project_version)
    return fail(ErrorCode::Refused, "a stored project is of a newer version", "use a newer Kernelscape");
  KernelProject project;
  project.name = TRY(text_in(json, "name"));
  project.dialect = TRY(named_in<codegen::Dialect>(json, "dialect", dialect_names));
  project.kernel_name = TRY(text_in(json, "kernel"));
  project.source_name = TRY(text_in(json, "source_name"));
  project.source = TRY(text_in(json, "source"));
  project.includes = TRY(includes_in(json));
  project.flags = TRY(texts_in(json, "flags"));
  if (!is_function_name(project.kernel_name, names_as_cpp(project.dialect, project.flags)))
    return damaged_project("has no kernel's name");
  std::vector<std::string> with_expressions = project.flags;
  with_expressions.push_back(project.kernel_name);
  for (const std::string& text : with_expressions) {
    std::vector<PythonExpression> values = TRY(values_in_flag(text));
    project.flag_values.insert(project.flag_values.end(), values.begin(), values.end());
  }
  TRY(read_stored_space(json, project));
  TRY(read_stored_launch(json, project));
  project.parts = TRY(truth_in(json, "parts"));
  if (project.parts && project.dialect != codegen::Dialect::C)
    return damaged_project("has parts, and is not in C");
  TRY(read_stored_arguments(json, project));
  TRY(read_stored_answer(json, project));
  project.flops = TRY(real_in(json, "flops", 0));
  project.bytes = TRY(real_in(json, "bytes", 0));
  find_obstacle(project);
  // The same as for a missing kernel file.
  if (project.source.empty() && !project.obstacle)
    project.obstacle = Error{ErrorCode::NotFound, "the project has no source", "open its project file again"};
  return project;
}

}  // namespace

Result<KernelProject> project_from_json(std::string_view text) {
  const base::LongJson<space::Json> json(space::parse_json(text));
  return stored_project(*json);
}

}  // namespace kernelscape::project
