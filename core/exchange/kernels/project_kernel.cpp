#include "core/exchange/kernels/project_kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "core/base/media/c_source.h"
#include "core/base/media/cmake_script.h"
#include "core/base/media/markdown.h"
#include "core/base/text.h"
#include "core/exchange/formats/configuration_json.h"
#include "core/kernel/project_family.h"
#include "core/project/cpp_call.h"
#include "core/project/function_name.h"
#include "core/project/host_language.h"
#include "core/project/source_scan.h"
#include "core/project/trust.h"
#include "core/space/knob_json.h"

namespace kernelscape::exchange {
namespace {

/** Returns the file extension of a language by which a folder of kernels is recognised. */
std::string_view ending_of(const project::KernelProject& project) {
  switch (project.dialect) {
    case codegen::Dialect::C:
      return project::is_cpp(project.flags) ? ".cpp" : ".c";
    case codegen::Dialect::Cuda:
      return ".cu";
    case codegen::Dialect::OpenCl:
      break;
  }
  return ".cl";
}

bool is_cpp_kernel(const ProjectKernel& kernel) {
  return kernel.source.dialect == codegen::Dialect::C && project::is_cpp(kernel.project->flags);
}

std::string header_name(const ProjectKernel& kernel) { return kernel_name(kernel.project->name) + ".h"; }

/** Returns the name of the function by which other sources call a kernel in C++, which may be a template. */
std::string wrapper_name(const ProjectKernel& kernel) {
  return "kernelscape_run_" + kernel_name(kernel.project->name);
}

constexpr std::string_view header_frame = R"(/*
 * Kernels found by Kernelscape.
 * This one is in {}.
 */
#pragma once

#ifdef __cplusplus
extern "C" {{
#else
#include <stdbool.h>
#endif

{};

#ifdef __cplusplus
}}
#endif
)";

/** Returns names for a single folder: "part_add.h" for "part/add.h". */
std::map<std::string, std::string> flat_names(const ProjectKernel& kernel) {
  std::map<std::string, std::string> names;
  std::vector<std::string> taken;
  if (is_cpp_kernel(kernel)) taken.push_back(header_name(kernel));
  for (const codegen::IncludedFile& file : kernel.source.includes) {
    std::string base =
        kernel_name(file.name.ends_with(".h") ? file.name.substr(0, file.name.size() - 2) : file.name);
    std::string name = base + ".h";
    for (int number = 2; std::ranges::find(taken, name) != taken.end(); ++number)
      name = fmt::format("{}_{}.h", base, number);
    taken.push_back(name);
    names.emplace(file.name, name);
  }
  return names;
}

std::string with_flat_names(std::string text, const std::map<std::string, std::string>& names) {
  std::vector<project::IncludeLine> lines = project::includes_of(text);
  for (auto line = lines.rbegin(); line != lines.rend(); ++line) {
    if (const auto name = names.find(line->name); name != names.end() && !line->angled)
      text.replace(line->start, line->name.size(), name->second);
  }
  return text;
}

/** Returns the comment by which the folder recognises its own sources. */
std::string source_comment(const ProjectKernel& kernel) {
  const MeasuredConfiguration& measured = kernel.measured;
  return base::write<base::CSource>(
             "/*\n * task {}\n * project {}, content {}\n * configuration {}\n * result {}\n */\n",
             base::CSource::comment(measured.task.text), base::CSource::comment(kernel.project->name),
             base::CSource::comment(project::content_hash(*kernel.project)),
             base::CSource::comment(measured.space.describe(measured.configuration)),
             base::CSource::comment(result_text(measured)))
      .text();
}

base::MarkdownText fact(base::Literal name, const base::MarkdownText& value) {
  return base::write<base::Markdown>("| {} | {} |\n", name, value);
}

base::MarkdownText extents(const std::array<std::int64_t, 3>& of) {
  return base::write<base::Markdown>("{} x {} x {}", of[0], of[1], of[2]);
}

/** Returns what the outputs of this configuration were compared with. */
base::Literal answer_words(project::AnswerKind kind) {
  switch (kind) {
    case project::AnswerKind::Kernel:
      return "compared with a reference kernel";
    case project::AnswerKind::Function:
      return "compared with a C function";
    case project::AnswerKind::Bytes:
      return "compared with files";
    case project::AnswerKind::FirstValid:
      break;
  }
  return "compared with those of the first valid configuration: nothing knows whether these are right";
}

/** The flags that a build needs, those of the project where it is trusted. The file's ending says C++. */
std::vector<std::string> written_flags(const ProjectKernel& kernel) {
  std::vector<std::string> flags = kernel.source.flags.words();
  if (kernel.trusted)
    flags.insert(flags.end(), kernel.source.user_flags.begin(), kernel.source.user_flags.end());
  std::erase(flags, project::cpp_flag);
  return flags;
}

constexpr base::Literal project_cmake_begin = R"(cmake_minimum_required(VERSION 3.16)
project(@NAME@ @LANGUAGE@)

add_library(@NAME@ @SOURCE@)
target_include_directories(@NAME@ PUBLIC ${CMAKE_CURRENT_SOURCE_DIR})
set_target_properties(@NAME@ PROPERTIES POSITION_INDEPENDENT_CODE ON)
# The flags that each kernel was measured with, whatever the build type.
set_property(SOURCE @SOURCE@ PROPERTY COMPILE_OPTIONS)";

/** CMakeLists.txt of a kernel of the CPU. */
base::CMakeText project_cmake(const ProjectKernel& kernel) {
  const base::CMakeText name = base::CMakeScript::name(kernel_name(kernel.project->name));
  const bool cpp = project::is_cpp(kernel.project->flags);
  const base::CMakeText source = name + (cpp ? base::Literal(".cpp") : base::Literal(".c"));
  base::CMakeText text = base::filled<base::CMakeScript>(
      project_cmake_begin, {{"@NAME@", name},
                            {"@LANGUAGE@", cpp ? base::Literal("CXX") : base::Literal("C")},
                            {"@SOURCE@", source}});
  const std::vector<std::string> flags = written_flags(kernel);
  for (const std::string& flag : flags) text += base::write<base::CMakeScript>(" {}", flag);
  text += ")\n";
  // The flag names a library as well, which programs have to be linked with.
  if (std::ranges::find(flags, "-fopenmp") != flags.end())
    text += "target_link_options(" + name + " PUBLIC -fopenmp)\n";
  return text;
}

base::MarkdownText project_readme(const ProjectKernel& kernel, const std::string& source_file) {
  const MeasuredConfiguration& measured = kernel.measured;
  base::MarkdownText text = base::write<base::Markdown>(
      "# {}\n\nA configuration of this kernel, found by Kernelscape.\n\n| | |\n|---|---|\n",
      base::Markdown::words(kernel.project->name));
  text += fact("source", base::Markdown::code(source_file));
  text += fact("function", base::Markdown::code(kernel.source.entry));
  if (is_cpp_kernel(kernel))
    text += fact("called from C and C++ as",
                 base::write<base::Markdown>("{}, declared in {}", base::Markdown::code(wrapper_name(kernel)),
                                             base::Markdown::code(header_name(kernel))));
  text += fact("result", base::Markdown::code(result_text(measured)));
  if (const std::string& from = measured.provenance.origin; !from.empty())
    text += fact("origin", base::Markdown::code(from));
  for (const std::string& disturbance : measured.disturbances)
    text += fact("while it was tuned", base::Markdown::code(disturbance));
  text += fact("outputs", base::write<base::Markdown>("{}", answer_words(kernel.project->data.answer.kind)));
  text += fact("machine", base::Markdown::code(measured.target.device + ", " + measured.target.isa));
  text += fact("compiler", base::Markdown::code(measured.target.compiler_version));
  text += fact("configuration", base::Markdown::code(measured.space.describe(measured.configuration)));
  text += fact("flags", base::Markdown::code(base::join(written_flags(kernel), " ")));
  if (!kernel.trusted)
    text += fact("the project's own flags",
                 base::MarkdownText("left out: its content is not trusted where this was exported"));
  if (kernel.source.dialect == codegen::Dialect::C) {
    text += fact("threads", kernel.source.parts
                                ? base::write<base::Markdown>(
                                      "{}: each calls it with its part and their number", measured.threads())
                                : base::write<base::Markdown>(
                                      "1 calls it; it had {} processors for the threads that it starts",
                                      measured.threads()));
  } else {
    text += fact("grid, in blocks", extents(kernel.source.launch.grid));
    text += fact("block, in threads", extents(kernel.source.launch.block));
    text += fact("dynamic shared memory",
                 base::write<base::Markdown>("{} bytes", kernel.source.launch.dynamic_shared_bytes));
  }
  text += "\nThe first lines of the source set its parameters; the rest is as its author wrote it.\n";
  if (kernel.source.dialect != codegen::Dialect::C) return text;
  return text +
         "\n    cmake -S . -B build\n    cmake --build build\n\nbuilds it as a library, with these flags.\n";
}

std::string manifest_of(const ProjectKernel& kernel, const std::vector<ExportedFile>& files) {
  space::Json manifest{
      {"format", kernel_manifest_format}, {"format_version", 1}, {"name", kernel.project->name}};
  for (const ExportedFile& file : files) {
    manifest["files"].push_back(file.name);
    manifest[written_files_name].push_back(written_file(file));
  }
  space::Json entry = configuration_object(kernel.measured);
  entry["name"] = kernel.source.entry;
  entry["project"] = {{"name", kernel.project->name}, {"content", project::content_hash(*kernel.project)}};
  entry["flags"] = kernel.source.flags.words();
  if (kernel.trusted) entry["project_flags"] = kernel.source.user_flags;
  manifest["kernels"].push_back(std::move(entry));
  return manifest.dump(2, ' ', false, space::Json::error_handler_t::replace) + "\n";
}

}  // namespace

Result<ProjectKernel> make_project_kernel(const store::Store& store, MeasuredConfiguration measured) {
  const store::SessionId session = measured.provenance.session;
  if (measured.category != trial::ErrorCategory::NoError)
    return fail(
        ErrorCode::Refused,
        fmt::format("trial {} of session {} is not a valid kernel", measured.provenance.trial, session),
        "choose a trial without an error");
  auto project = std::make_shared<const project::KernelProject>(
      TRY(project::project_from_json(TRY(store.sessions().project_json(session)))));
  const std::string hash = project::content_hash(*project);
  if (hash != TRY(store.sessions().get(session)).record.project_hash)
    return fail(ErrorCode::Corrupt,
                fmt::format("the project of session {} is not its original project", session),
                "export the trial with --format configuration");
  const auto family = TRY(kernel::ProjectFamily::make(project, measured.target));
  codegen::KernelSource source = TRY(family->source(measured.configuration));
  source.text = project::expanded_source(*project, family->space(), measured.configuration);
  const auto names = project::names_of_configuration(*project, family->space(), measured.configuration);
  source.entry = TRY(project::entry_of(*project, names));
  return ProjectKernel{std::move(measured), std::move(project), std::move(source), project::is_trusted(hash)};
}

std::vector<ExportedFile> project_kernel_files(const ProjectKernel& kernel) {
  const auto names = flat_names(kernel);
  const std::string source_file = kernel_name(kernel.project->name) + std::string(ending_of(*kernel.project));
  std::vector<ExportedFile> files;
  files.push_back({source_file, source_comment(kernel) + with_flat_names(kernel.source.text, names)});
  if (is_cpp_kernel(kernel)) {
    const auto [declaration, definition] =
        project::cpp_wrapper(kernel.source, kernel.project->data.arguments, wrapper_name(kernel));
    files.back().text += definition;
    files.push_back({header_name(kernel), fmt::format(header_frame, source_file, declaration)});
  }
  if (kernel.source.dialect == codegen::Dialect::C)
    files.push_back({"CMakeLists.txt", project_cmake(kernel).text()});
  for (const codegen::IncludedFile& file : kernel.source.includes)
    files.push_back({names.at(file.name), "/*\n * Kernels found by Kernelscape.\n * Included by " +
                                              source_file + ".\n */\n" + with_flat_names(file.text, names)});
  files.push_back({"README.md", project_readme(kernel, source_file).text()});
  files.insert(files.begin(), {std::string(kernel_manifest_name), manifest_of(kernel, files)});
  return files;
}

}  // namespace kernelscape::exchange
