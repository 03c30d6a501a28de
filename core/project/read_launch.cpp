// The launch and compilation of a kernel: T1's GlobalSize, LocalSize, GridDiv*, SharedMemory,
// CompilerOptions.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "core/base/text.h"
#include "core/base/visible_text.h"
#include "core/project/in_list.h"
#include "core/project/reading.h"
#include "core/project/source_macros.h"

namespace kernelscape::project {
namespace {

constexpr std::array<std::string_view, 3> axis_names{"X", "Y", "Z"};
constexpr std::size_t max_flags = 256;

Result<std::vector<PythonExpression>> read_divisors(Reading& reading, const JsonPlace& place) {
  std::vector<PythonExpression> divisors;
  if (!place.exists()) return divisors;
  if (!place.value->is_array()) {
    divisors.push_back(TRY(reading.expression_of(place)));
  }
  for (std::size_t index = 0; index < place.size(); ++index)
    divisors.push_back(TRY(reading.expression_of(place[index])));
  return divisors;
}

/**
 * Adds an obstacle for a launch that names an unknown parameter: the kernel can't run, but the space can be
 * read.
 */
void check_launch_names(Reading& reading, const JsonPlace& place, const PythonExpression& expression) {
  Status known = reading.check_names(place, expression, true);
  if (known) return;
  reading.project.notices.push_back(describe(known.error()));
  if (!reading.project.obstacle) reading.project.obstacle = std::move(known).error();
}

/** Makes a divided axis T1's ProblemSize, as Kernel Tuner interprets it, whatever the value of GlobalSize. */
Status divide_axis(Reading& reading, std::size_t axis) {
  Launch& launch = reading.project.launch;
  if (launch.grid_divisors[axis].empty() || axis >= reading.project.problem_size.size()) return {};
  const std::string size = fmt::format("ProblemSize[{}]", axis);
  const JsonPlace written = reading.kernel()["GlobalSize"][axis_names[axis]];
  const std::string extent = std::to_string(reading.project.problem_size[axis]);
  if (written.exists() && launch.global[axis].text() != size && launch.global[axis].text() != extent)
    reading.notice(
        written, fmt::format("is {}, but GridDiv{} divides {} = {}, as Kernel Tuner has it",
                             base::quoted_line(launch.global[axis].text()), axis_names[axis], size, extent));
  launch.global[axis] = TRY(PythonExpression::parse(size));
  return {};
}

Result<GlobalSizeMeaning> read_meaning(const Reading& reading) {
  const bool opencl = reading.project.dialect == codegen::Dialect::OpenCl;
  const JsonPlace place = reading.kernel()["GlobalSizeType"];
  const std::string written = TRY(reading.text_of(place, opencl ? "OpenCL" : "CUDA"));
  if (written == "OpenCL") return GlobalSizeMeaning::Threads;
  if (written == "CUDA") return GlobalSizeMeaning::Blocks;
  return reading.fail_at(place, fmt::format("is {}", base::quoted_line(written)),
                         "OpenCL counts all threads, CUDA blocks of the grid");
}

}  // namespace

Result<std::array<PythonExpression, 3>> read_sizes(Reading& reading, const JsonPlace& place) {
  reading.notice_unknown(place, axis_names);
  std::array<PythonExpression, 3> sizes;
  for (std::size_t axis = 0; axis < sizes.size(); ++axis)
    sizes[axis] = TRY(reading.expression_of(place[axis_names[axis]], "1"));
  return sizes;
}

Status read_launch(Reading& reading) {
  Launch& launch = reading.project.launch;
  const JsonPlace kernel = reading.kernel();
  const bool host = reading.project.dialect == codegen::Dialect::C;
  launch.meaning = TRY(read_meaning(reading));
  for (const std::string_view name : {"GlobalSize", "LocalSize"}) {
    if (!host && !kernel[name]["X"].exists())
      return reading.fail_at(kernel[name]["X"], "is missing", "T1 asks for it");
    if (host && kernel[name].exists())
      reading.notice(kernel[name], "has no effect for C, whose threads are the cores of the machine");
  }
  launch.global = TRY(read_sizes(reading, host ? JsonPlace{} : kernel["GlobalSize"]));
  launch.local = TRY(read_sizes(reading, host ? JsonPlace{} : kernel["LocalSize"]));
  launch.shared_bytes = TRY(reading.expression_of(kernel["SharedMemory"], "0"));
  check_launch_names(reading, kernel["SharedMemory"], launch.shared_bytes);
  for (std::size_t axis = 0; axis < axis_names.size(); ++axis) {
    const JsonPlace divisors = kernel[fmt::format("GridDiv{}", axis_names[axis])];
    if (!host) launch.grid_divisors[axis] = TRY(read_divisors(reading, divisors));
    TRY(divide_axis(reading, axis));
    check_launch_names(reading, kernel["GlobalSize"][axis_names[axis]], launch.global[axis]);
    check_launch_names(reading, kernel["LocalSize"][axis_names[axis]], launch.local[axis]);
    for (const PythonExpression& divisor : launch.grid_divisors[axis])
      check_launch_names(reading, divisors, divisor);
  }
  return {};
}

Result<std::vector<PythonExpression>> values_in_flag(std::string_view flag) {
  std::vector<PythonExpression> values;
  const auto unbalanced = [&] {
    return fail(ErrorCode::InvalidArgument,
                fmt::format("the flag {} has an unmatched brace", base::quoted_line(flag)),
                "braces hold expressions: \"-O{LEVEL}\"");
  };
  for (std::size_t at = 0; at < flag.size(); ++at) {
    if (flag[at] == '}') return unbalanced();
    if (flag[at] != '{') continue;
    const std::size_t end = flag.find_first_of("{}", at + 1);
    if (end == std::string_view::npos || flag[end] == '{') return unbalanced();
    values.push_back(TRY(PythonExpression::parse(flag.substr(at + 1, end - at - 1))));
    at = end;
  }
  return values;
}

Result<std::vector<std::string>> flag_words(const Reading& reading, const JsonPlace& list) {
  std::vector<JsonPlace> places;
  for (std::size_t index = 0; index < list.size(); ++index) places.push_back(list[index]);
  const bool one_text = list.exists() && list.value->is_string();
  if (one_text) places.push_back(list);
  if (list.exists() && !list.value->is_array() && !one_text)
    return reading.fail_at(list, "is not a list of texts");
  std::vector<std::string> words;
  for (const JsonPlace& place : places) {
    auto split = split_flags(TRY(reading.text_of(place)));
    if (!split) return reading.placed(place, std::move(split).error());
    for (std::string& word : *split) {
      auto values = values_in_flag(word);
      if (!values) return reading.placed(place, std::move(values).error());
      for (const PythonExpression& value : *values) TRY(reading.check_names(place, value, true));
      words.push_back(std::move(word));
    }
  }
  if (words.size() > max_flags) return reading.fail_at(list, fmt::format("has over {} flags", max_flags));
  return words;
}

/** Reads flags. Flags that the compiler does not support are an obstacle: the space can still be viewed. */
Result<CompilerFlags> read_compiler_flags(Reading& reading, const JsonPlace& list, codegen::Dialect dialect) {
  const std::vector<std::string> words = TRY(flag_words(reading, list));
  Result<CompilerFlags> flags = translate_flags(dialect, words);
  if (!flags) {
    Error error = std::move(reading.placed(list, std::move(flags).error()).error());
    reading.project.notices.push_back(describe(error));
    if (!reading.project.obstacle) reading.project.obstacle = std::move(error);
    return CompilerFlags{.words = words, .include_folders = {}, .included_files = {}, .notices = {}};
  }
  for (const std::string& notice : flags->notices) reading.notice(list, notice);
  return flags;
}

Status read_flags(Reading& reading) {
  for (const JsonPlace& list : {reading.kernel()["CompilerOptions"], reading.ours()["Flags"]}) {
    CompilerFlags flags = TRY(read_compiler_flags(reading, list, reading.project.dialect));
    for (std::string& flag : flags.words) {
      for (PythonExpression& value : TRY(values_in_flag(flag)))
        reading.project.flag_values.push_back(std::move(value));
      if (reading.project.dialect == codegen::Dialect::OpenCl && flag.starts_with("-std="))
        reading.notice(
            list, fmt::format("has {}, which is not an OpenCL flag; use -cl-std=", base::quoted_line(flag)));
      reading.project.flags.push_back(std::move(flag));
    }
    std::ranges::move(flags.include_folders, std::back_inserter(reading.headers.include_folders));
    std::ranges::move(flags.included_files, std::back_inserter(reading.headers.included_files));
  }
  for (const std::string_view name : macros_of_flags(reading.project.flags)) {
    // A flag with the parameter's own value is no contradiction.
    const bool same = in_list(reading.project.flags, fmt::format("-D{0}={{{0}}}", name));
    if (!same && in_list(reading.known_names(false), name))
      reading.notice(reading.kernel(),
                     fmt::format("has a flag that sets or removes the macro {}, which is a parameter: the "
                                 "flag has no effect, the parameter's values count",
                                 base::quoted_line(name)));
  }
  return {};
}

}  // namespace kernelscape::project
