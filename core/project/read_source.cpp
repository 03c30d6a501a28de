// The source of a project: KernelFile, and what it includes.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <set>
#include <utility>

#include "core/base/text.h"
#include "core/base/visible_text.h"
#include "core/project/function_name.h"
#include "core/project/in_list.h"
#include "core/project/project_reading.h"
#include "core/project/source_scan.h"

namespace kernelscape {
namespace {

constexpr int most_include_levels = 32;
constexpr std::size_t most_includes = 256;

/** A name that can be a file below any folder: relative, and never above it. */
bool stays_below(std::string_view name) {
  const std::filesystem::path path{std::string(name)};
  return path.is_relative() && std::ranges::none_of(path, [](const auto& part) { return part == ".."; });
}

/** Gathers what a source includes; the names under which they travel are those of the texts. */
class IncludeWalk {
 public:
  IncludeWalk(ProjectReading& reading, const JsonPlace& place, ReadSource& source)
      : reading_(reading), place_(place), source_(source) {}

  /** The text with names that lead upwards written from the project's folder. @param folder its own */
  Result<std::string> follow(std::string text, const std::filesystem::path& folder, std::string_view file,
                             int level) {
    if (level > most_include_levels)
      return reading_.fail_at(place_, fmt::format("includes files over {} deep", most_include_levels));
    std::vector<IncludeLine> lines = scan_source(text).includes;
    // From the end, so that the places before stay true.
    for (auto line = lines.rbegin(); line != lines.rend(); ++line) {
      const std::string name = TRY(take(*line, folder, file, level));
      if (name != line->name) text.replace(line->start, line->name.size(), name);
    }
    return text;
  }

 private:
  /** The name that the file travels under; the written one where there is none. */
  Result<std::string> take(const IncludeLine& line, const std::filesystem::path& folder,
                           std::string_view file, int level) {
    Result<NamedFile> found = reading_.files.read(line.name, folder, most_source_bytes);
    if (!found && found.error().code == ErrorCode::NotFound)
      found = reading_.files.read(line.name, reading_.files.folder(), most_source_bytes);
    if (!found && found.error().code == ErrorCode::NotFound) {
      reading_.notice(place_,
                      fmt::format("({}, line {}) includes {}, which is not there: the compiler's own is "
                                  "taken, if it has one",
                                  visible_text(file), line.line, quoted_line(line.name)));
      return line.name;
    }
    if (!found)
      return reading_.placed(
          place_, {found.error().code,
                   fmt::format("({}, line {}) {}", visible_text(file), line.line, found.error().message),
                   found.error().hint});
    if (const auto known = names_.find(found->path); known != names_.end()) return known->second;
    std::string name = stays_below(line.name) ? line.name : found->name;
    if (name.empty()) name = fmt::format("outside/{}", found->path.filename().string());
    if (name.find_first_of("\"\\\n") != std::string::npos)
      return reading_.fail_at(
          place_, fmt::format("includes {}, a name that no source can hold", quoted_line(name)), "rename it");
    if (!used_.insert(name).second)
      return reading_.fail_at(place_,
                              fmt::format("({}, line {}) includes a second file called {}",
                                          visible_text(file), line.line, quoted_line(name)),
                              "give one of them another name");
    if (used_.size() > most_includes)
      return reading_.fail_at(place_, fmt::format("includes over {} files", most_includes));
    names_.emplace(found->path, name);
    std::string text = TRY(follow(std::move(found->text), found->path.parent_path(), name, level + 1));
    source_.includes.push_back({name, std::move(text)});
    return name;
  }

  ProjectReading& reading_;
  const JsonPlace& place_;
  ReadSource& source_;
  std::map<std::filesystem::path, std::string> names_;
  std::set<std::string> used_;
};

/** Macros that compilers, headers and this program have. */
bool is_well_known(std::string_view name) {
  static constexpr std::array<std::string_view, 22> prefixes{
      "_",        "CL_",      "CLK_",     "M_",    "FLT_",     "DBL_", "INT",  "UINT",
      "CHAR_",    "LONG_",    "SHRT_",    "HALF_", "SIZE_",    "CUDA", "NULL", "NAN",
      "INFINITY", "MAXFLOAT", "HUGE_VAL", "EOF",   "RAND_MAX", "cl_"};
  static constexpr std::array<std::string_view, 8> names{
      "kernel_tuner", "defined", "NDEBUG", "RESTRICT", "EXIT_SUCCESS", "EXIT_FAILURE", "I", "kernelscape"};
  return std::ranges::any_of(prefixes, [&](std::string_view prefix) { return name.starts_with(prefix); }) ||
         in_list(names, name) || name.starts_with("grid_size_") || name.starts_with("problem_size_");
}

bool is_upper_case(std::string_view name) {
  return name.size() > 1 &&
         std::ranges::none_of(name, [](char letter) { return letter >= 'a' && letter <= 'z'; });
}

bool defines_flag(const std::vector<std::string>& flags, const std::string& name) {
  return std::ranges::any_of(flags, [&](const std::string& flag) {
    const std::string start = "-D" + name;
    return flag == start || flag.starts_with(start + "=");
  });
}

SourceWords words_of_all(const KernelProject& project) {
  SourceWords all = scan_source(project.source);
  for (const IncludedFile& file : project.includes) {
    SourceWords words = scan_source(file.text);
    all.mentioned.merge(words.mentioned);
    all.defined.merge(words.defined);
    all.asked.merge(words.asked);
    all.declared.merge(words.declared);
  }
  return all;
}

bool launch_names(const KernelProject& project, const std::string& name) {
  const auto mentions = [&](const PythonExpression& one) { return in_list(one.names(), name); };
  const ProjectLaunch& launch = project.launch;
  return std::ranges::any_of(launch.global, mentions) || std::ranges::any_of(launch.local, mentions) ||
         std::ranges::any_of(launch.grid_divisors,
                             [&](const auto& divisors) { return std::ranges::any_of(divisors, mentions); }) ||
         mentions(launch.shared_bytes) || std::ranges::any_of(project.local_counts, mentions);
}

void compare_parameters(ProjectReading& reading, const SourceWords& words) {
  const KernelProject& project = reading.project;
  const JsonPlace list = reading.root()["ConfigurationSpace"]["TuningParameters"];
  // Macros are replaced in the arguments of a template as well.
  const std::set<std::string> in_name = scan_source(project.kernel_name).mentioned;
  for (std::size_t index = 0; index < project.parameters.size(); ++index) {
    const std::string& name = project.parameters[index].name;
    const auto mentions = [&](const PythonExpression& one) { return in_list(one.names(), name); };
    if (words.mentioned.contains(name) || in_name.contains(name) ||
        std::ranges::any_of(project.flag_values, mentions))
      continue;
    const bool launched = launch_names(project, name);
    reading.notice(list[index]["Name"],
                   fmt::format("is {}, which no line of {} mentions{}", quoted_line(name),
                               visible_text(project.source_name),
                               launched ? ": it changes the launch alone" : ": it changes nothing"));
  }
}

void compare_macros(ProjectReading& reading, const SourceWords& words) {
  const std::vector<std::string> known = reading.known_names(false);
  for (const std::string& name : words.mentioned) {
    const bool asked = words.asked.contains(name);
    if (in_list(known, name) || words.defined.contains(name) || is_well_known(name) ||
        defines_flag(reading.project.flags, name) || (!asked && words.declared.contains(name)))
      continue;
    if (!asked && !is_upper_case(name)) continue;
    const std::vector<std::string> near = nearest_names(name, known);
    const std::string hint =
        near.empty() ? std::string() : fmt::format("; did you mean {}?", one_line(near.front()));
    reading.notice(
        reading.kernel()["KernelFile"],
        fmt::format("uses {}, which is neither a parameter nor defined{}", quoted_line(name), hint));
  }
}

void compare_arguments(ProjectReading& reading) {
  const KernelProject& project = reading.project;
  const auto names = parameters_of_kernel(project.source, identifier_of_function(project.kernel_name));
  if (!names) return;
  std::vector<std::string> given;
  if (project.parts) given = {"part", "parts"};
  for (const ProgramArgument& argument : project.data.arguments) {
    if (argument.memory != ArgumentMemory::Constant) given.push_back(argument.name);
  }
  const JsonPlace place = reading.kernel()["Arguments"];
  if (names->size() != given.size()) {
    reading.notice(
        place,
        fmt::format("gives {} {} arguments ({}), and it takes {} ({})", visible_text(project.kernel_name),
                    given.size(), one_line(join(given, ", ")), names->size(), one_line(join(*names, ", "))));
    return;
  }
  for (std::size_t index = project.parts ? 2 : 0; index < given.size(); ++index) {
    if (given[index] != (*names)[index] && in_list(*names, given[index]))
      reading.notice(place, fmt::format("has {} where {} takes {}", quoted_line(given[index]),
                                        visible_text(project.kernel_name), quoted_line((*names)[index])));
  }
}

/** A function; of CUDA and C++ with its namespaces and the arguments of its template. */
Status read_kernel_name(ProjectReading& reading, const JsonPlace& place) {
  KernelProject& project = reading.project;
  project.kernel_name = TRY(reading.text_of(place));
  const bool as_cpp = names_as_cpp(project.dialect, project.flags);
  if (!is_function_name(project.kernel_name, as_cpp)) {
    const bool would_be = !as_cpp && is_function_name(project.kernel_name, true);
    return reading.fail_at(
        place, fmt::format("is {}, no name of a function", quoted_line(project.kernel_name)),
        !would_be                       ? ""
        : project.dialect == Dialect::C ? "namespaces and templates are C++'s: let Language be \"C++\""
                                        : "OpenCL C has neither namespaces nor templates");
  }
  auto values = values_in_flag(project.kernel_name);
  if (!values) return reading.placed(place, std::move(values).error());
  for (PythonExpression& value : *values) {
    TRY(reading.check_names(place, value, true));
    project.flag_values.push_back(std::move(value));
  }
  return {};
}

}  // namespace

Result<ReadSource> read_source_file(ProjectReading& reading, const JsonPlace& place) {
  const std::string written = TRY(reading.text_of(place));
  Result<NamedFile> file = reading.files.read(written, reading.files.folder(), most_source_bytes);
  if (!file) return reading.placed(place, std::move(file).error());
  if (file->text.contains('\0'))
    return reading.fail_at(place, fmt::format("is {}, no text", quoted_line(written)));
  ReadSource source;
  IncludeWalk walk(reading, place, source);
  source.text = TRY(walk.follow(std::move(file->text), file->path.parent_path(), written, 0));
  return source;
}

Status read_source(ProjectReading& reading) {
  KernelProject& project = reading.project;
  const JsonPlace kernel = reading.kernel();
  TRY(read_kernel_name(reading, kernel["KernelName"]));
  project.source_name = TRY(reading.text_of(kernel["KernelFile"]));
  Result<ReadSource> source = read_source_file(reading, kernel["KernelFile"]);
  if (!source && source.error().code == ErrorCode::NotFound) {
    // Published spaces come without their kernels, and can be looked at all the same.
    project.notices.push_back(describe(source.error()));
    if (!project.obstacle) project.obstacle = std::move(source).error();
    return {};
  }
  if (!source) return std::unexpected(std::move(source).error());
  project.source = std::move(source->text);
  project.includes = std::move(source->includes);
  const std::string_view plain = identifier_of_function(project.kernel_name);
  if (!words_of_all(project).mentioned.contains(std::string(plain)))
    return reading.fail_at(
        kernel["KernelName"],
        fmt::format("is {}, which {} does not have", quoted_line(plain), quoted_line(project.source_name)),
        "name a function of this file, or another file");
  return {};
}

void compare_source(ProjectReading& reading) {
  if (reading.project.source.empty()) return;
  const SourceWords words = words_of_all(reading.project);
  compare_parameters(reading, words);
  compare_macros(reading, words);
  compare_arguments(reading);
}

}  // namespace kernelscape
