#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "core/project/kernel_project.h"

/** Any bytes as a stored project: an error, or one that is the same once it is stored again. */
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kernelscape;
  const auto project =
      project::project_from_json(std::string_view(reinterpret_cast<const char*>(data), size));
  if (!project) return 0;
  const std::string stored = project::project_to_json(*project);
  const auto back = project::project_from_json(stored);
  if (!back || project::project_to_json(*back) != stored ||
      !project::project_differences(*project, *back).empty())
    std::abort();
  return 0;
}
