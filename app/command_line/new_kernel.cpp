#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "app/command_line/command.h"
#include "app/command_line/console.h"
#include "core/base/output_file.h"
#include "core/project/new_project.h"

namespace kernelscape::command_line {
namespace {

struct NewKernelOptions {
  std::string name;
  std::string language = "c";
  std::string folder;
};

/** Writes no file of the project if one of its names is taken, so that no existing file is lost. */
Status write_project(const std::filesystem::path& folder, const std::vector<project::NewProjectFile>& files) {
  std::vector<base::OutputRequest> requests;
  for (const project::NewProjectFile& file : files)
    requests.push_back({.path = folder / file.name, .kind = {.name = "project of a kernel"}});
  for (const base::OutputRequest& request : requests) TRY(base::check_output(request));
  for (std::size_t i = 0; i < files.size(); ++i) TRY(base::write_output(requests[i], files[i].text));
  return {};
}

/** Returns the options of `tune` for the language; a C kernel uses the default target. */
std::string_view target_option(const std::string& language) {
  if (language == "opencl") return " --target opencl:0";
  return language == "cuda" ? " --target cuda:0" : "";
}

Result<int> run_new_kernel(const NewKernelOptions& options) {
  const std::vector<project::NewProjectFile> files =
      TRY(project::new_project(options.name, options.language));
  const std::filesystem::path folder = options.folder.empty() ? options.name : options.folder;
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (failed)
    return fail(ErrorCode::Environment,
                fmt::format("{} cannot be created: {}", folder.string(), failed.message()),
                "name another folder with --folder");
  TRY(write_project(folder, files));
  for (const project::NewProjectFile& file : files) print("wrote {}\n", (folder / file.name).string());
  const std::string project = (folder / files.front().name).string();
  print("\nsee its space with `kernelscape space {0}`, tune it with `kernelscape tune {0} --trust{1}`\n",
        project, target_option(options.language));
  return exit_done;
}

}  // namespace

Command add_new_kernel_command(CLI::App& program) {
  auto options = std::make_shared<NewKernelOptions>();
  CLI::App* app = program.add_subcommand("new-kernel", "Create a project for your own kernel or program");
  app->add_option("NAME", options->name, "Name of the project: letters, digits, _ and -")->required();
  app->add_option("--language", options->language,
                  "c (default), c++, opencl or cuda; program for a program that is built by commands")
      ->type_name("LANGUAGE");
  app->add_option("--folder", options->folder, "Folder for its files (default: NAME)")->type_name("FOLDER");
  return {app, [options] { return run_new_kernel(*options); }};
}

}  // namespace kernelscape::command_line
