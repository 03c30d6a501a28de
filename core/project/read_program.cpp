// Programs: the files that they name, and notices about what has no effect.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>
#include <utility>

#include "core/base/visible_text.h"
#include "core/project/program_json.h"
#include "core/project/reading.h"

namespace kernelscape::project {
namespace {

constexpr std::size_t max_program_files = 4096;

/** Returns the name under which a file that the project names is put into the folder of the program. */
std::string name_in_folder(const std::filesystem::path& written) {
  const std::filesystem::path normal = written.lexically_normal();
  return is_name_within_folder(normal.generic_string()) ? normal.generic_string()
                                                        : normal.filename().generic_string();
}

/** Returns true if a name would be that of both a file and a folder beside these files. */
bool is_also_folder(const std::string& name, const std::vector<codegen::IncludedFile>& files) {
  return std::ranges::any_of(files, [&](const codegen::IncludedFile& file) {
    return file.name.starts_with(name + "/") || name.starts_with(file.name + "/");
  });
}

Status add_file(Reading& reading, const JsonPlace& place, const std::string& written) {
  auto file = reading.files.read(written, reading.files.folder(), max_project_bytes);
  if (!file) return reading.placed(place, std::move(file).error());
  std::vector<codegen::IncludedFile>& files = reading.project.includes;
  const std::string name = name_in_folder(written);
  if (!is_name_within_folder(name))
    return reading.fail_at(place, fmt::format("has the name {}", base::quoted_line(name)),
                           "rename it: names have no quotes, backslashes or control characters");
  const auto same = std::ranges::find(files, name, &codegen::IncludedFile::name);
  // A folder may have been named beside one of its files.
  if (same != files.end() && same->text == file->text) return {};
  if (same != files.end())
    return reading.fail_at(place, fmt::format("gives a second file the name {}", base::quoted_line(name)),
                           "rename one: files outside the project's folder are put into it by their names");
  if (is_also_folder(name, files))
    return reading.fail_at(
        place, fmt::format("gives the name {} to both a file and a folder", base::quoted_line(name)),
        "rename one: files outside the project's folder are put into it by their names");
  if (files.size() == max_program_files)
    return reading.fail_at(place, fmt::format("names over {} files", max_program_files),
                           "name only those that the program needs");
  files.push_back({.name = name, .text = std::move(file->text)});
  return {};
}

/** Adds all files below a folder, in the order of their names, without those of Git. */
Status add_folder(Reading& reading, const JsonPlace& place, const std::string& written) {
  std::error_code error;
  const std::filesystem::path folder = reading.files.folder() / written;
  std::set<std::string> names;
  for (std::filesystem::recursive_directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    if (entry->path().filename() == ".git") entry.disable_recursion_pending();
    std::error_code unknown;
    if (entry->is_regular_file(unknown))
      names.insert((std::filesystem::path(written) / entry->path().lexically_relative(folder)).string());
    if (names.size() > max_program_files) break;
  }
  if (error)
    return reading.fail_at(place, fmt::format("cannot be listed: {}", error.message()),
                           "name a folder that can be read");
  for (const std::string& name : names) TRY(add_file(reading, place, name));
  return {};
}

Status read_files(Reading& reading) {
  const JsonPlace list = reading.ours()["Files"];
  if (list.exists() && !list.value->is_array()) return reading.fail_at(list, "is not a list of files");
  for (std::size_t index = 0; index < list.size(); ++index) {
    const std::string written = TRY(reading.text_of(list[index]));
    std::error_code error;
    const bool folder =
        !written.contains('\0') && std::filesystem::is_directory(reading.files.folder() / written, error);
    TRY(folder ? add_folder(reading, list[index], written) : add_file(reading, list[index], written));
  }
  return {};
}

void notice_unknown_members(Reading& reading) {
  static constexpr std::array<std::string_view, 10> own{"Language",  "Files",   "Build", "Run",   "Check",
                                                        "Objective", "Metrics", "Allow", "FLOPs", "Bytes"};
  static constexpr std::array<std::string_view, 4> step{"Command", "Commands", "Environment",
                                                        "TimeoutSeconds"};
  static constexpr std::array<std::string_view, 9> number{"Name", "Kind", "Pattern", "Pointer", "Benchmark",
                                                          "File", "Take", "Unit",    "Better"};
  static constexpr std::array<std::string_view, 4> allowed{"Network", "Read", "Write", "MemoryBytes"};
  static constexpr std::array<std::string_view, 2> kernel{"Language", "ProblemSize"};
  const JsonPlace ours = reading.ours();
  reading.notice_unknown(reading.kernel(), kernel);
  reading.notice_unknown(ours, own);
  for (const std::string_view name : {"Build", "Run", "Check"}) reading.notice_unknown(ours[name], step);
  reading.notice_unknown(ours["Objective"], number);
  for (std::size_t index = 0; index < ours["Metrics"].size(); ++index)
    reading.notice_unknown(ours["Metrics"][index], number);
  reading.notice_unknown(ours["Allow"], allowed);
}

/** Adds the names of parameters in the texts of a step, which were checked. */
void add_used_names(const ProgramStep& step, std::set<std::string>& used) {
  const auto add = [&used](const std::string& text) {
    const auto parts = brace_parts(text);
    if (!parts) return;
    for (const BracePart& part : *parts)
      if (part.value) used.insert(part.value->names().begin(), part.value->names().end());
  };
  for (const std::vector<std::string>& command : step.commands) std::ranges::for_each(command, add);
  for (const auto& [name, value] : step.environment) add(value);
}

void notice_unused_parameters(Reading& reading) {
  const Program& program = *reading.project.program;
  std::set<std::string> used;
  for (const ProgramStep* step : {&program.build, &program.run, &program.check}) add_used_names(*step, used);
  for (const Parameter& parameter : reading.project.parameters)
    if (!used.contains(parameter.name))
      reading.notice(reading.ours(), fmt::format("has no command or variable that uses the parameter {}: "
                                                 "write {{{}}} where its value belongs",
                                                 parameter.name, parameter.name));
}

}  // namespace

Status read_program(Reading& reading) {
  const ProgramText text{.name_of = [&](const std::string& path) { return reading.text.name_of(path); },
                         .code = ErrorCode::InvalidArgument,
                         .names = reading.known_names(true)};
  reading.project.program = TRY(program_from_json(reading.ours(), text));
  TRY(read_files(reading));
  reading.project.flops = TRY(read_amount(reading, reading.ours()["FLOPs"]));
  reading.project.bytes = TRY(read_amount(reading, reading.ours()["Bytes"]));
  set_work_of_rate(reading.project);
  notice_unused_parameters(reading);
  notice_unknown_members(reading);
  return {};
}

}  // namespace kernelscape::project
