#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <string>
#include <string_view>

#include "core/base/temporary_folder.h"
#include "core/measure/program/result_numbers.h"
#include "core/project/kernel_project.h"
#include "core/project/source.h"

namespace {

using namespace kernelscape;

/** With the files that the seeds name. */
const base::TemporaryFolder& program_folder() {
  static const base::TemporaryFolder folder = [] {
    auto made = base::TemporaryFolder::make("fuzz");
    if (!made) std::abort();
    std::ofstream(made->path() + "/run.sh") << "echo time: 1 ms\n";
    return *std::move(made);
  }();
  return folder;
}

/** Makes the commands of the first configuration; they differ from what the file says in expressions only. */
void make_commands(const project::KernelProject& project) {
  const auto space =
      project::make_project_space(project.parameters, project.conditions, project.problem_size);
  if (!space) return;
  const auto names = project::names_of_configuration(project, space->space, space->space.at(0));
  for (const project::ProgramStep* step :
       {&project.program->build, &project.program->run, &project.program->check}) {
    const auto commands = project::step_commands(*step, names);
    if (commands && commands->commands.size() != step->commands.size()) std::abort();
  }
}

}  // namespace

/**
 * Any bytes as a project file of a program, and behind a line with three dashes what its run printed: an
 * error that names the file, or a program that comes back from where it is stored, and numbers that are
 * finite.
 */
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::string_view line = "\n---\n";
  const std::string_view all(reinterpret_cast<const char*>(data), size);
  const std::size_t end = std::min(all.find(line), all.size());
  const std::string path = program_folder().path() + "/fuzzed.json";
  std::ofstream(path, std::ios::binary) << all.substr(0, end);
  const auto project = project::read_project(path);
  if (!project) {
    if (!project.error().message.contains("fuzzed.json")) std::abort();
    return 0;
  }
  if (!project->program) return 0;
  const std::string stored = project::project_to_json(*project);
  const auto back = project::project_from_json(stored);
  if (!back || !(*back->program == *project->program) || project::project_to_json(*back) != stored)
    std::abort();
  make_commands(*project);
  const std::string output(all.substr(std::min(end + line.size(), all.size())));
  const auto numbers = measure::read_numbers(project->program->objective, {.output = output}, "/nowhere");
  if (!numbers) return 0;
  for (const double number : *numbers)
    if (!(number - number == 0)) std::abort();
  return 0;
}
