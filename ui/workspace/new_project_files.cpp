#include "ui/workspace/new_project_files.h"

#include <fmt/format.h>

#include <system_error>

#include "core/base/output_file.h"
#include "core/project/new_project.h"

namespace kernelscape::workspace {
namespace {

constexpr int max_new_projects = 1000;

/** Creates a new folder with a free name. */
Result<std::filesystem::path> make_free_folder(const std::filesystem::path& parent) {
  for (int number = 1; number <= max_new_projects; ++number) {
    std::filesystem::path folder =
        parent / (number == 1 ? std::string("my-kernel") : fmt::format("my-kernel-{}", number));
    std::error_code failed;
    if (std::filesystem::exists(std::filesystem::symlink_status(folder, failed))) continue;
    if (std::filesystem::create_directory(folder, failed)) return folder;
    if (failed)
      return fail(ErrorCode::Environment,
                  fmt::format("{} can't be created: {}", folder.string(), failed.message()),
                  "choose another folder");
  }
  return fail(ErrorCode::Environment,
              fmt::format("{} already contains the maximum number of my-kernel folders", parent.string()),
              "choose another folder");
}

}  // namespace

Result<std::filesystem::path> write_new_project(const std::filesystem::path& parent) {
  const std::filesystem::path folder = TRY(make_free_folder(parent));
  const std::vector<project::NewProjectFile> files =
      TRY(project::new_project(folder.filename().string(), "c"));
  for (const project::NewProjectFile& file : files)
    TRY(base::write_output({.path = folder / file.name, .kind = {.name = "project of a kernel"}}, file.text));
  return folder / files.front().name;
}

}  // namespace kernelscape::workspace
