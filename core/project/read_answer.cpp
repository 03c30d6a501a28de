// The reference of outputs: T1's ReferenceArguments, and the key "kernelscape".
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

#include "core/base/text.h"
#include "core/base/visible_text.h"
#include "core/codegen/known_flags.h"
#include "core/project/function_name.h"
#include "core/project/host_language.h"
#include "core/project/reading.h"

namespace kernelscape::project {
namespace {

std::vector<std::string> checked_names(const KernelProject& project) {
  std::vector<std::string> names;
  for (const ProgramArgument& argument : project.data.arguments) {
    if (argument.checked) names.push_back(argument.name);
  }
  return names;
}

/** Returns the compared vector of this name; an error if there is none. */
Result<ProgramArgument*> output_at(Reading& reading, const JsonPlace& place, const std::string& name) {
  auto& arguments = reading.project.data.arguments;
  const auto found = std::ranges::find(arguments, name, &ProgramArgument::name);
  if (found != arguments.end() && found->memory == ArgumentMemory::Vector &&
      found->access != ArgumentAccess::ReadOnly)
    return &*found;
  return reading.fail_at(
      place,
      fmt::format("names {}, which is not an argument that the kernel writes", base::quoted_line(name)),
      base::suggest(name, checked_names(reading.project)));
}

Result<double> margin_at(const Reading& reading, const JsonPlace& place, double otherwise) {
  const double margin = TRY(reading.number_of(place, otherwise));
  if (!std::isfinite(margin) || margin < 0)
    return reading.fail_at(place, "is not a valid tolerance", "a number from 0 on");
  return margin;
}

Status read_tolerances(Reading& reading) {
  static constexpr std::array<std::string_view, 2> known{"Absolute", "Relative"};
  const JsonPlace list = reading.ours()["Tolerance"];
  if (!list.exists()) return {};
  if (!list.value->is_object()) return reading.fail_at(list, "is not an object of outputs by their names");
  for (const auto& [name, value] : list.value->items()) {
    if (name == "Comment") continue;
    const JsonPlace place = list[name];
    ProgramArgument* argument = TRY(output_at(reading, place, name));
    reading.notice_unknown(place, known);
    if (!place.exists() || !place.value->is_object())
      return reading.fail_at(place, "is not a tolerance", "{\"Absolute\": 1e-5, \"Relative\": 1e-4}");
    argument->tolerance.absolute = TRY(margin_at(reading, place["Absolute"], 0));
    argument->tolerance.relative = TRY(margin_at(reading, place["Relative"], 0));
  }
  return {};
}

/** Stores the reference contents of outputs, by their names; no other output is compared. */
void keep_answers(Reading& reading, const JsonPlace& place, std::map<std::string, ArgumentFill> contents) {
  RightAnswer& answer = reading.project.data.answer;
  answer.kind = AnswerKind::Bytes;
  for (ProgramArgument& argument : reading.project.data.arguments) {
    const auto found = contents.find(argument.name);
    if (found == contents.end() && argument.checked)
      reading.notice(place, fmt::format("has nothing for {}, which is therefore not compared",
                                        base::quoted_line(argument.name)));
    argument.checked = found != contents.end();
    if (!argument.checked) continue;
    if (found->second.file) answer.files.emplace(answer.bytes.size(), *std::move(found->second.file));
    answer.bytes.push_back(std::move(found->second.bytes));
  }
}

/** Reads the contents of a reference: its bytes, or a data file. */
Result<ArgumentFill> right_contents(Reading& reading, const JsonPlace& place,
                                    const ProgramArgument& argument) {
  const std::string kind = TRY(reading.text_of(place["FillType"], "BinaryRaw"));
  if (kind == "Random")
    return reading.fail_at(place["FillType"], "is \"Random\", which is not a reference for any kernel",
                           "name a file (BinaryRaw), or a reference in kernelscape.Reference");
  ArgumentFill fill = TRY(read_fill(reading, place, JsonPlace{}, argument));
  if (fill.kind == FillKind::Bytes) return fill;
  if (argument.bytes() > max_project_bytes) return reading.fail_at(place, "is too large for a reference");
  const auto element = element_of(argument.type, PythonValue(fill.value));
  ArgumentFill right{.kind = FillKind::Bytes};
  while (element && right.bytes.size() < argument.bytes()) right.bytes += *element;
  return right;
}

Status set_validation(Reading& reading, const JsonPlace& place, ProgramArgument& argument) {
  const JsonPlace method = place["ValidationMethod"];
  const JsonPlace threshold = place["ValidationThreshold"];
  if (!method.exists() && !threshold.exists()) return {};
  const std::string written = TRY(reading.text_of(method, "SideBySideComparison"));
  const double margin = TRY(margin_at(reading, threshold, 1e-4));
  if (written == "SideBySideRelativeComparison") {
    argument.tolerance = {0, margin};
    return {};
  }
  if (written != "SideBySideComparison" && written != "AbsoluteDifference")
    return reading.fail_at(method, fmt::format("is {}", base::quoted_line(written)),
                           "AbsoluteDifference, SideBySideComparison or SideBySideRelativeComparison");
  argument.tolerance = {margin, 0};
  if (written == "AbsoluteDifference")
    reading.notice(
        method,
        "sums the differences of all elements in other programs; here the threshold applies to each element");
  return {};
}

Status read_reference_arguments(Reading& reading, const JsonPlace& list) {
  static constexpr std::array<std::string_view, 8> known{
      "Name",       "TargetName", "FillType",         "FillValue",
      "DataSource", "RandomSeed", "ValidationMethod", "ValidationThreshold"};
  std::map<std::string, ArgumentFill> contents;
  for (std::size_t index = 0; index < list.size(); ++index) {
    const JsonPlace place = list[index];
    reading.notice_unknown(place, known);
    const std::string name = TRY(reading.text_of(place["TargetName"]));
    ProgramArgument* argument = TRY(output_at(reading, place["TargetName"], name));
    if (contents.contains(name))
      return reading.fail_at(place["TargetName"], fmt::format("is {} once more", base::quoted_line(name)));
    TRY(set_validation(reading, place, *argument));
    contents.emplace(name, TRY(right_contents(reading, place, *argument)));
  }
  keep_answers(reading, list, std::move(contents));
  return {};
}

Status read_answer_files(Reading& reading, const JsonPlace& files) {
  if (!files.exists() || !files.value->is_object())
    return reading.fail_at(files, "names no file for an output", "{\"output\": \"right.npy\"}");
  std::map<std::string, ArgumentFill> contents;
  for (const auto& [name, value] : files.value->items()) {
    const ProgramArgument* argument = TRY(output_at(reading, files[name], name));
    const std::string written = TRY(reading.text_of(files[name]));
    const space::Json as_argument{{"FillType", "BinaryRaw"}, {"DataSource", written}};
    contents.emplace(name, TRY(right_contents(reading, {&as_argument, files[name].path}, *argument)));
  }
  keep_answers(reading, files, std::move(contents));
  return {};
}

/** Sets the blocks and threads of a reference kernel, which do not depend on parameters. */
Status set_reference_launch(Reading& reading, const JsonPlace& place, codegen::Launch& launch) {
  const auto global = TRY(read_sizes(reading, place["GlobalSize"]));
  const auto local = TRY(read_sizes(reading, place["LocalSize"]));
  for (std::size_t axis = 0; axis < global.size(); ++axis) {
    const std::int64_t size = TRY(reading.constant_integer(place["GlobalSize"], global[axis]));
    const std::int64_t block = TRY(reading.constant_integer(place["LocalSize"], local[axis]));
    if (size < 1 || block < 1) return reading.fail_at(place, "launches nothing", "sizes are at least 1");
    const bool threads = reading.project.launch.meaning == GlobalSizeMeaning::Threads;
    launch.block[axis] = block;
    launch.grid[axis] = threads ? size / block + (size % block == 0 ? 0 : 1) : size;
  }
  return {};
}

Status read_reference_source(Reading& reading, const JsonPlace& place, bool kernel) {
  const KernelProject& project = reading.project;
  codegen::KernelSource reference;
  reference.dialect = kernel ? project.dialect : codegen::Dialect::C;
  const CompilerFlags flags = TRY(read_compiler_flags(reading, place["Flags"], reference.dialect));
  ReadSource source = TRY(read_source_file(reading, place["File"], flags));
  reference.text = std::move(source.text);
  reference.includes = std::move(source.includes);
  reference.entry = TRY(reading.text_of(place["Name"]));
  if (reference.dialect == codegen::Dialect::C &&
      (has_cpp_ending(TRY(reading.text_of(place["File"]))) || (kernel && is_cpp(project.flags))))
    reference.user_flags.emplace_back(cpp_flag);
  const JsonPlace parts = place["Parts"];
  if (parts.exists() && !parts.value->is_boolean()) return reading.fail_at(parts, "is not a truth value");
  reference.parts =
      kernel && reference.dialect == codegen::Dialect::C && parts.exists() && parts.value->get<bool>();
  reference.flags = codegen::own_flags(reference.dialect);
  for (std::string text : flags.words) {
    for (const PythonExpression& value : TRY(values_in_flag(text))) {
      const std::size_t start = text.find('{');
      text.replace(start, text.find('}') + 1 - start,
                   space::to_string(TRY(reading.constant_value(place["Flags"], value))));
    }
    reference.user_flags.push_back(std::move(text));
  }
  // The reference's own flags may make it C++ too, or C.
  if (!is_function_name(reference.entry, names_as_cpp(reference.dialect, reference.user_flags)) ||
      !reference.text.contains(identifier_of_function(reference.entry)))
    return reading.fail_at(
        place["Name"], fmt::format("is {}, which its file does not have", base::quoted_line(reference.entry)),
        "name a function of this file");
  if (reference.dialect != codegen::Dialect::C) TRY(set_reference_launch(reading, place, reference.launch));
  reading.project.data.answer.reference = std::move(reference);
  reading.project.data.answer.kind = kernel ? AnswerKind::Kernel : AnswerKind::Function;
  return {};
}

Status read_reference(Reading& reading, const JsonPlace& place) {
  static constexpr std::array<std::string_view, 8> known{"Kind",       "File",      "Name",  "Flags",
                                                         "GlobalSize", "LocalSize", "Parts", "Files"};
  reading.notice_unknown(place, known);
  const std::string kind = TRY(reading.text_of(place["Kind"]));
  if (kind == "FirstValid") return {};
  if (kind == "Files") return read_answer_files(reading, place["Files"]);
  if (kind == "Kernel" || kind == "Function") return read_reference_source(reading, place, kind == "Kernel");
  return reading.fail_at(place["Kind"], fmt::format("is {}", base::quoted_line(kind)),
                         "Kernel, Function, Files or FirstValid");
}

}  // namespace

decltype(ProgramArgument::tolerance) default_tolerance(ElementType type) {
  switch (type) {
    case ElementType::F16:
      return {1e-2, 1e-2};
    case ElementType::F32:
      return {1e-5, 1e-4};
    case ElementType::F64:
      return {1e-12, 1e-9};
    default:
      return {};
  }
}

Status read_answer(Reading& reading) {
  TRY(read_tolerances(reading));
  const JsonPlace list = reading.kernel()["ReferenceArguments"];
  const JsonPlace ours = reading.ours()["Reference"];
  if (list.size() > 0 && ours.exists())
    return reading.fail_at(ours, "and KernelSpecification.ReferenceArguments both define the reference",
                           "keep one of them");
  if (list.size() > 0)
    TRY(read_reference_arguments(reading, list));
  else if (ours.exists())
    TRY(read_reference(reading, ours));
  if (checked_names(reading.project).empty())
    reading.notice(reading.kernel()["Arguments"], "has no output: no result of the kernel is compared");
  return {};
}

}  // namespace kernelscape::project
