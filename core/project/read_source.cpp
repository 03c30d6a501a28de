// The source of a project: KernelFile, and the files that it includes.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "core/base/text.h"
#include "core/base/visible_text.h"
#include "core/project/function_name.h"
#include "core/project/in_list.h"
#include "core/project/reading.h"
#include "core/project/source.h"
#include "core/project/source_lines.h"
#include "core/project/source_macros.h"
#include "core/project/source_scan.h"

namespace kernelscape::project {
namespace {

constexpr int max_include_levels = 32;
constexpr std::size_t max_includes = 256;

/** Returns true if a name can be a file below any folder: relative, and never above it. */
bool stays_below(std::string_view name) {
  const std::filesystem::path path{std::string(name)};
  return path.is_relative() && std::ranges::none_of(path, [](const auto& part) { return part == ".."; });
}

/** Collects the files that a source includes; they are stored under the names used in the source. */
class IncludeWalk {
 public:
  IncludeWalk(Reading& reading, const JsonPlace& place, const CompilerFlags& headers, ReadSource& source)
      : reading_(reading), place_(place), source_(source) {
    for (const std::string& folder : headers.include_folders) add_folder(folder);
  }

  /**
   * Returns the text without byte order marks. Names that lead upwards or into an include folder are replaced
   * by paths from the project's folder.
   * @param folder folder of the text
   */
  Result<std::string> follow(std::string text, const std::filesystem::path& folder, std::string_view file,
                             int level) {
    if (level > max_include_levels)
      return reading_.fail_at(place_, fmt::format("includes files over {} deep", max_include_levels));
    // With lines added before the source, a byte order mark at its beginning would be in the middle, which
    // compilers refuse.
    text = without_byte_order_marks(std::move(text));
    std::vector<IncludeLine> lines = includes_of(text);
    // From the end, so that earlier positions stay valid.
    for (auto line = lines.rbegin(); line != lines.rend(); ++line) {
      const std::optional<std::string> name = TRY(take(*line, folder, file, level));
      if (!name || (*name == line->name && !line->angled)) continue;
      const std::size_t bracket = line->angled ? 1 : 0;
      const std::string written = line->angled ? "\"" + *name + "\"" : *name;
      text.replace(line->start - bracket, line->name.size() + 2 * bracket, written);
    }
    return text;
  }

  /** Returns the lines that include the files of the flags, before a source of this name. */
  Result<std::string> lines_before(const std::vector<std::string>& files, std::string_view source_name) {
    std::string text;
    for (const std::string& file : files) {
      const IncludeLine line{.name = file};
      const std::optional<std::string> name = TRY(take(line, reading_.files.folder(), "a flag -include", 0));
      text += fmt::format("#include \"{}\"\n", name.value_or(file));
    }
    return text.empty() ? text : text + fmt::format("#line 1 \"{}\"\n", name_in_line_directive(source_name));
  }

 private:
  void add_folder(const std::string& written) {
    std::error_code error;
    const std::filesystem::path folder = std::filesystem::canonical(reading_.files.folder() / written, error);
    if (error || !std::filesystem::is_directory(folder, error)) {
      reading_.notice(place_, fmt::format("is built with headers of {}, which is no folder of the project",
                                          base::quoted_line(written)));
      return;
    }
    // Folders of the machine's stay the compiler's: only those within the project are read here.
    if (!written.starts_with('/') || reading_.files.has(folder)) folders_.push_back(folder);
  }

  /**
   * Returns the first existing file of this name: in the file's own folder, the project's folder, the include
   * folders.
   */
  Result<NamedFile> find(const IncludeLine& line, const std::filesystem::path& folder) {
    std::vector<std::filesystem::path> places;
    if (!line.angled) places = {folder, reading_.files.folder()};
    places.insert(places.end(), folders_.begin(), folders_.end());
    for (const std::filesystem::path& place : places) {
      Result<NamedFile> found = reading_.files.read(line.name, place, max_source_bytes);
      if (found || found.error().code != ErrorCode::NotFound) return found;
    }
    return fail(ErrorCode::NotFound, fmt::format("there is no file {}", base::quoted_line(line.name)));
  }

  /** Returns the name under which the file is stored; nullopt if it is left to the compiler. */
  Result<std::optional<std::string>> take(const IncludeLine& line, const std::filesystem::path& folder,
                                          std::string_view file, int level) {
    Result<NamedFile> found = find(line, folder);
    if (!found && found.error().code == ErrorCode::NotFound) {
      if (!line.angled && line.certain)
        reading_.notice(place_,
                        fmt::format("({}, line {}) includes {}, which does not exist: the compiler's "
                                    "own file is used, if there is one",
                                    base::visible_text(file), line.line, base::quoted_line(line.name)));
      return std::nullopt;
    }
    if (!found)
      return reading_.placed(place_, {found.error().code,
                                      fmt::format("({}, line {}) {}", base::visible_text(file), line.line,
                                                  found.error().message),
                                      found.error().hint});
    if (const auto known = names_.find(found->path); known != names_.end()) return known->second;
    const std::string name = TRY(free_name(line, *found, file));
    names_.emplace(found->path, name);
    std::string text = TRY(follow(std::move(found->text), found->path.parent_path(), name, level + 1));
    source_.includes.push_back({name, std::move(text)});
    return name;
  }

  /** Returns a name for a file that no other file has. */
  Result<std::string> free_name(const IncludeLine& line, const NamedFile& found, std::string_view file) {
    std::string name = stays_below(line.name) ? line.name : found.name;
    if (name.empty()) name = fmt::format("outside/{}", found.path.filename().string());
    // Two include folders may have a file of the same name.
    if (used_.contains(name) && !found.name.empty()) name = found.name;
    if (name.find_first_of("\"\\\n") != std::string::npos)
      return reading_.fail_at(
          place_,
          fmt::format("includes {}, a name that can't be written in a source", base::quoted_line(name)),
          "rename it");
    if (!used_.insert(name).second)
      return reading_.fail_at(place_,
                              fmt::format("({}, line {}) includes a second file with the name {}",
                                          base::visible_text(file), line.line, base::quoted_line(name)),
                              "give one of them another name");
    if (used_.size() > max_includes)
      return reading_.fail_at(place_, fmt::format("includes over {} files", max_includes));
    return name;
  }

  Reading& reading_;
  const JsonPlace& place_;
  ReadSource& source_;
  std::vector<std::filesystem::path> folders_;  ///< include folders
  std::map<std::filesystem::path, std::string> names_;
  std::set<std::string> used_;
};

/** Whether a text of the project file but those of the parameters themselves has the name as a word;
 * expressions are Python's, whose // is no comment. */
bool names_word(const space::Json& json, std::string_view name) {
  if (json.is_structured())
    return std::ranges::any_of(json, [name](const space::Json& one) { return names_word(one, name); });
  return json.is_string() && has_word(json.get_ref<const std::string&>(), name);
}

bool names_word(const JsonPlace& place, std::string_view name) {
  return place.exists() && names_word(*place.value, name);
}

/**
 * Returns true if a parameter changes configurations other than by its macro: by their launch, local memory
 * or flags.
 */
bool changes_launch_or_flags(const KernelProject& project, const std::string& name) {
  const auto mentions = [&](const PythonExpression& one) { return in_list(one.names(), name); };
  const Launch& launch = project.launch;
  return std::ranges::any_of(launch.global, mentions) || std::ranges::any_of(launch.local, mentions) ||
         std::ranges::any_of(launch.grid_divisors,
                             [&](const auto& divisors) { return std::ranges::any_of(divisors, mentions); }) ||
         mentions(launch.shared_bytes) || std::ranges::any_of(project.local_counts, mentions) ||
         std::ranges::any_of(project.flag_values, mentions);
}

/** Returns true if the project file uses a parameter: in its launch, flags, sizes or reference. */
bool is_used_by_project(const Reading& reading, std::string_view name) {
  return names_word(reading.kernel(), name) || names_word(reading.ours(), name);
}

void compare_parameters(Reading& reading, const SourceMacros& macros) {
  const KernelProject& project = reading.project;
  const JsonPlace list = reading.root()["ConfigurationSpace"]["TuningParameters"];
  for (std::size_t index = 0; index < project.parameters.size(); ++index) {
    const std::string& name = project.parameters[index].name;
    if (may_mention(macros, project, name) || macros.pastes_words || is_used_by_project(reading, name) ||
        names_word(reading.root()["ConfigurationSpace"]["Conditions"], name))
      continue;
    reading.notice(list[index]["Name"],
                   fmt::format("is {}, which no line of {} mentions: it has no effect",
                               base::quoted_line(name), base::visible_text(project.source_name)));
  }
}

/**
 * Reports parameters whose macro the source sets itself: they have no effect, and the best of their values is
 * noise.
 */
void compare_changes(Reading& reading, const SourceMacros& macros) {
  KernelProject& project = reading.project;
  const JsonPlace list = reading.root()["ConfigurationSpace"]["TuningParameters"];
  for (const MacroChange& change : macros.changes) {
    const auto parameter = std::ranges::find(project.parameters, change.parameter, &Parameter::name);
    if (!change.certain || parameter->values.size() < 2) continue;
    const bool used = changes_launch_or_flags(project, change.parameter);
    const auto index = static_cast<std::size_t>(parameter - project.parameters.begin());
    Error error = std::move(
        reading
            .fail_at(
                list[index]["Name"],
                fmt::format("is {0}, which line {1} of {2} {3}: {4}", base::quoted_line(change.parameter),
                            change.line, base::visible_text(change.file),
                            change.removed ? "removes (#undef)" : "redefines (#define)",
                            used ? "the kernel is compiled with the source's own value for all of the "
                                   "parameter's values"
                                 : "the parameter has no effect: all its values give the same kernel"),
                fmt::format("Write #ifndef {} before the line and #endif behind it, or delete the line.",
                            change.parameter))
            .error());
    project.notices.push_back(describe(error));
    if (!used && !project.obstacle) project.obstacle = std::move(error);
  }
}

void compare_macros(Reading& reading, const SourceMacros& macros) {
  const std::vector<std::string> known = reading.known_names(false);
  for (const UnknownName& unknown : macros.unknown) {
    const std::vector<std::string> near = base::nearest_names(unknown.name, known);
    // An #if may test a macro that is set elsewhere in some cases: only names that look like a typing error
    // are reported.
    if (unknown.condition && near.empty()) continue;
    const std::string hint =
        near.empty() ? std::string() : fmt::format("; did you mean {}?", base::one_line(near.front()));
    reading.notice(
        reading.kernel()["KernelFile"],
        fmt::format("({}, line {}) uses {}, which is neither a parameter nor defined{}",
                    base::visible_text(unknown.file), unknown.line, base::quoted_line(unknown.name), hint));
  }
}

void compare_arguments(Reading& reading) {
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
    reading.notice(place, fmt::format("passes {} {} arguments ({}) instead of {} ({})",
                                      base::visible_text(project.kernel_name), given.size(),
                                      base::one_line(base::join(given, ", ")), names->size(),
                                      base::one_line(base::join(*names, ", "))));
    return;
  }
  for (std::size_t index = project.parts ? 2 : 0; index < given.size(); ++index) {
    if (given[index] != (*names)[index] && in_list(*names, given[index]))
      reading.notice(
          place, fmt::format("has {} instead of {} {}", base::quoted_line(given[index]),
                             base::visible_text(project.kernel_name), base::quoted_line((*names)[index])));
  }
}

/** Reads the name of a function; for CUDA and C++ with its namespaces and the arguments of its template. */
Status read_kernel_name(Reading& reading, const JsonPlace& place) {
  KernelProject& project = reading.project;
  project.kernel_name = TRY(reading.text_of(place));
  const bool as_cpp = names_as_cpp(project.dialect, project.flags);
  if (!is_function_name(project.kernel_name, as_cpp)) {
    const bool would_be = !as_cpp && is_function_name(project.kernel_name, true);
    return reading.fail_at(
        place,
        fmt::format("is {}, which is not the name of a function", base::quoted_line(project.kernel_name)),
        !would_be ? ""
        : project.dialect == codegen::Dialect::C
            ? "namespaces and templates are C++'s: set Language to \"C++\""
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

Result<ReadSource> read_source_file(Reading& reading, const JsonPlace& place, const CompilerFlags& headers) {
  const std::string written = TRY(reading.text_of(place));
  Result<NamedFile> file = reading.files.read(written, reading.files.folder(), max_source_bytes);
  if (!file) return reading.placed(place, std::move(file).error());
  if (file->text.contains('\0'))
    return reading.fail_at(place, fmt::format("is {}, which is not a text", base::quoted_line(written)));
  ReadSource source;
  IncludeWalk walk(reading, place, headers, source);
  source.text = TRY(walk.lines_before(headers.included_files, written));
  source.text += TRY(walk.follow(std::move(file->text), file->path.parent_path(), written, 0));
  return source;
}

Status read_source(Reading& reading) {
  KernelProject& project = reading.project;
  const JsonPlace kernel = reading.kernel();
  TRY(read_kernel_name(reading, kernel["KernelName"]));
  project.source_name = TRY(reading.text_of(kernel["KernelFile"]));
  Result<ReadSource> source = read_source_file(reading, kernel["KernelFile"], reading.headers);
  if (!source && source.error().code == ErrorCode::NotFound) {
    // Published spaces come without their kernels, and can still be viewed.
    project.notices.push_back(describe(source.error()));
    if (!project.obstacle) project.obstacle = std::move(source).error();
    return {};
  }
  if (!source) return std::unexpected(std::move(source).error());
  project.source = std::move(source->text);
  project.includes = std::move(source->includes);
  reading.macros = macros_of_source(project);
  const std::string_view plain = identifier_of_function(project.kernel_name);
  if (!reading.macros->mentioned.contains(plain) && !reading.macros->pastes_words &&
      !texts_mention(project, plain))
    return reading.fail_at(kernel["KernelName"],
                           fmt::format("is {}, which is not in {}", base::quoted_line(plain),
                                       base::quoted_line(project.source_name)),
                           "name a function of this file, or another file");
  return {};
}

void compare_source(Reading& reading) {
  if (!reading.macros || reading.project.source.empty()) return;
  compare_parameters(reading, *reading.macros);
  compare_changes(reading, *reading.macros);
  compare_macros(reading, *reading.macros);
  compare_arguments(reading);
}

}  // namespace kernelscape::project
