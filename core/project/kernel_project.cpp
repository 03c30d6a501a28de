#include "core/project/kernel_project.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>

#include "core/base/file.h"
#include "core/base/foreign_file.h"
#include "core/base/visible_text.h"
#include "core/project/host_language.h"
#include "core/project/reading.h"

namespace kernelscape::project {
namespace {

constexpr std::uintmax_t max_project_file_bytes = 4ULL << 20;

std::unexpected<Error> opencl_cpp_refused(std::string_view where) {
  return fail(ErrorCode::Refused, fmt::format("{} asks for OpenCL C++, which no target here compiles", where),
              "write the kernel in OpenCL C, or in C++ for the CPU");
}

/** The language of a CPU's kernel: C++ where the project or the ending of its file says so. */
void read_host_language(Reading& reading, const JsonPlace& place, bool cpp) {
  reading.project.dialect = codegen::Dialect::C;
  const JsonPlace file = reading.kernel()["KernelFile"];
  const std::string name =
      file.exists() && file.value->is_string() ? file.value->get<std::string>() : std::string();
  if (!cpp && !has_cpp_ending(name)) return;
  reading.project.flags.emplace_back(cpp_flag);
  if (!cpp)
    reading.notice(place, fmt::format("is \"C\", and the kernel is compiled as C++, since its file ends in "
                                      "{}: give the file the ending .c for C, or write \"C++\"",
                                      base::one_line(name.substr(name.rfind('.')))));
}

Status read_language(Reading& reading) {
  const JsonPlace theirs = reading.kernel()["Language"];
  const JsonPlace place = reading.ours()["Language"].exists() ? reading.ours()["Language"] : theirs;
  const std::string written = TRY(reading.text_of(place));
  if (written == "Program") return reading.project.program.emplace(), Status();
  if (written == "C" || written == "C++")
    read_host_language(reading, place, written == "C++");
  else if (written == "CUDA")
    reading.project.dialect = codegen::Dialect::Cuda;
  else if (written == "OpenCL")
    reading.project.dialect = codegen::Dialect::OpenCl;
  else if (written == "OpenCL C++")
    return opencl_cpp_refused(reading.text.name_of(place.path));
  else if (written == "Vulkan")
    return fail(ErrorCode::Refused,
                fmt::format("{} is \"Vulkan\", which no target here runs", reading.text.name_of(place.path)),
                "write the kernel in OpenCL, CUDA or C");
  else if (written == "Hypertuner")
    return fail(ErrorCode::Refused,
                fmt::format("{} is \"Hypertuner\": it tunes a tuner's settings, not a kernel",
                            reading.text.name_of(place.path)),
                "run `kernelscape sweep` to try settings of tuners");
  else
    return reading.fail_at(place, fmt::format("is {}", base::quoted_line(written)),
                           "OpenCL or CUDA; C, C++ or Program in kernelscape.Language");
  const JsonPlace parts = reading.ours()["Parts"];
  if (parts.exists() && !parts.value->is_boolean()) return reading.fail_at(parts, "is not a truth value");
  reading.project.parts = parts.exists() && parts.value->get<bool>();
  if (reading.project.parts && reading.project.dialect != codegen::Dialect::C)
    return reading.fail_at(parts, "is for C and C++ only", "a launch has its blocks");
  return {};
}

/** Refuses OpenCL C++, which can be named by a language, a flag or a file's suffix. */
Status refuse_opencl_cpp(const Reading& reading) {
  if (reading.project.dialect != codegen::Dialect::OpenCl) return {};
  const bool asked = std::ranges::any_of(reading.project.flags, [](const std::string& flag) {
    return flag.starts_with("-cl-std=CLC++") || flag.starts_with("-cl-std=clc++");
  });
  if (!asked && !reading.project.source_name.ends_with(".clcpp")) return {};
  return opencl_cpp_refused(asked ? "a flag" : base::quoted_line(reading.project.source_name));
}

}  // namespace

Result<double> read_amount(const Reading& reading, const JsonPlace& place) {
  const PythonExpression expression = TRY(reading.expression_of(place, "0"));
  const PythonValue value = TRY(reading.constant_value(place, expression));
  const auto* whole = std::get_if<std::int64_t>(&value);
  const auto* real = std::get_if<double>(&value);
  const double amount = whole != nullptr ? static_cast<double>(*whole) : real != nullptr ? *real : -1;
  if (!std::isfinite(amount) || amount < 0)
    return reading.fail_at(
        place, fmt::format("is {}, which is not an amount", base::one_line(space::to_string(value))),
        "a number from 0 on, such as \"2 * ProblemSize[0]\"");
  return amount;
}

namespace {

/** Adds notices for members of T1 that a project of one kernel does not use. */
void notice_unused(Reading& reading) {
  static constexpr std::array<std::string_view, 6> top{
      "General", "ConfigurationSpace", "KernelSpecification", "kernelscape", "Search", "Budget"};
  static constexpr std::array<std::string_view, 21> kernel{
      "Language",   "CompilerOptions", "BenchmarkName", "KernelName", "KernelFile",         "GlobalSizeType",
      "LocalSize",  "GlobalSize",      "GridDivX",      "GridDivY",   "GridDivZ",           "ProblemSize",
      "Arguments",  "SharedMemory",    "Stream",        "Device",     "ReferenceArguments", "Profiling",
      "Simulation", "SimulationInput", "Misc"};
  static constexpr std::array<std::string_view, 10> own{"Language",  "Parts",  "Flags", "Tolerance",
                                                        "Reference", "FLOPs",  "Bytes", "Arguments",
                                                        "DataFiles", "Version"};
  reading.notice_unknown(reading.root(), top);
  if (!reading.project.program) {
    reading.notice_unknown(reading.kernel(), kernel);
    reading.notice_unknown(reading.ours(), own);
  }
  for (const std::string_view name : {"Search", "Budget"}) {
    if (reading.root()[name].exists())
      reading.notice(reading.root()[name], "is not used: tuner and budget are chosen when a session starts");
  }
  if (reading.kernel()["Device"].exists())
    reading.notice(reading.kernel()["Device"], "is not used: the target is chosen when a session starts");
  if (reading.kernel()["Misc"].exists()) reading.notice(reading.kernel()["Misc"], "is not used");
  for (const std::string& path : reading.text.repeated())
    reading.project.notices.push_back(
        fmt::format("{} occurs twice, and the last occurrence counts", reading.text.name_of(path)));
}

Status read_name(Reading& reading, const std::string& file_name) {
  const JsonPlace place = reading.root()["General"]["BenchmarkName"];
  reading.project.name = TRY(reading.text_of(place, file_name));
  const JsonPlace other = reading.kernel()["BenchmarkName"];
  if (place.exists() && other.exists() && *place.value != *other.value)
    reading.notice(other, fmt::format("is {}, and General.BenchmarkName {}, which counts",
                                      base::one_line(space::to_text(*other.value)),
                                      base::quoted_line(reading.project.name)));
  return {};
}

Status read_members(Reading& reading, const std::string& file_name) {
  for (const std::string_view name : {"ConfigurationSpace", "KernelSpecification"}) {
    const JsonPlace place = reading.root()[name];
    if (!place.exists() || !place.value->is_object())
      return reading.fail_at(place, "is missing: this is not a project in the T1 format",
                             "`kernelscape new-kernel NAME` writes one to start from");
  }
  if (reading.ours().exists() && !reading.ours().value->is_object())
    return reading.fail_at(reading.ours(), "is not an object");
  TRY(read_name(reading, file_name));
  TRY(read_language(reading));
  TRY(read_parameters(reading));
  TRY(read_conditions(reading));
  TRY(read_problem_size(reading));
  if (reading.project.program) {
    TRY(read_program(reading));
    notice_unused(reading);
    return {};
  }
  TRY(read_launch(reading));
  TRY(read_flags(reading));
  TRY(read_source(reading));
  TRY(refuse_opencl_cpp(reading));
  TRY(read_arguments(reading));
  TRY(read_answer(reading));
  reading.project.flops = TRY(read_amount(reading, reading.ours()["FLOPs"]));
  reading.project.bytes = TRY(read_amount(reading, reading.ours()["Bytes"]));
  compare_source(reading);
  notice_unused(reading);
  return {};
}

}  // namespace

std::string flag_text(const PythonValue& value) {
  if (const auto* truth = std::get_if<bool>(&value)) return *truth ? "1" : "0";
  return space::to_string(value);
}

Result<KernelProject> read_project(const std::filesystem::path& file, bool outside) {
  TRY(base::check_no_foreign_file(file));
  Files files = TRY(Files::open(file, outside));
  const std::string text = TRY(base::read_text_file(file, max_project_file_bytes));
  Text parsed = TRY(Text::parse(base::visible_text(file.filename().string()), text));
  Reading reading{std::move(parsed), std::move(files)};
  TRY(read_members(reading, file.stem().string()));
  return std::move(reading.project);
}

Status check_runnable(const KernelProject& project) {
  if (project.obstacle) return std::unexpected(*project.obstacle);
  return {};
}

Result<std::vector<std::string>> flags_of(const KernelProject& project, const PythonNames& names) {
  std::vector<std::string> flags;
  for (const std::string& flag : project.flags) {
    std::string text;
    std::size_t start = 0;
    for (const PythonExpression& value : TRY(values_in_flag(flag))) {
      const std::size_t opening = flag.find('{', start);
      text += flag.substr(start, opening - start) + flag_text(TRY(value.evaluate(names)));
      start = flag.find('}', opening) + 1;
    }
    flags.push_back(text + flag.substr(start));
  }
  return flags;
}

bool is_project(std::string_view text) {
  if (text.size() > max_project_file_bytes) return false;
  const space::Json json = space::parse_json(text);
  const space::Json* space = json.is_object() ? space::member_of(json, "ConfigurationSpace") : nullptr;
  const space::Json* kernel = json.is_object() ? space::member_of(json, "KernelSpecification") : nullptr;
  return space != nullptr && kernel != nullptr && space::member_of(*space, "TuningParameters") != nullptr;
}

}  // namespace kernelscape::project
