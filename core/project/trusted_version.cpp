#include "core/project/trusted_version.h"

#include <fmt/format.h>

#include <tuple>

#include "core/base/file.h"
#include "core/base/sha256.h"
#include "core/project/trust.h"

namespace kernelscape::project {
namespace {

constexpr std::size_t max_copy_bytes = 16U << 20U;
constexpr std::size_t name_digits = 32;

/** Returns the file of the copy: one for all versions of a project, so that the folder does not grow. */
std::filesystem::path copy_file(const KernelProject& project) {
  const std::string identity = base::sha256(fmt::format("{}\n{}", project.name, project.source_name));
  return trust_file().parent_path() / "trusted-projects" / (identity.substr(0, name_digits) + ".json");
}

}  // namespace

Status trust_project(const KernelProject& project) {
  TRY(trust(content_hash(project), project.name));
  const std::string json = project_to_json(project);
  if (json.size() > max_copy_bytes) return {};
  const std::filesystem::path file = copy_file(project);
  std::error_code error;
  std::filesystem::create_directories(file.parent_path(), error);
  if (!error) std::ignore = base::write_file_atomically(file, json);
  return {};
}

std::optional<KernelProject> last_trusted_version(const KernelProject& project) {
  const Result<std::string> json = base::read_text_file(copy_file(project), max_copy_bytes);
  if (!json) return std::nullopt;
  Result<KernelProject> version = project_from_json(*json);
  if (!version || !is_trusted(content_hash(*version))) return std::nullopt;
  return std::move(*version);
}

}  // namespace kernelscape::project
