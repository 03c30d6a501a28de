#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <string>
#include <string_view>

#include "core/base/temporary_folder.h"
#include "core/project/kernel_project.h"

namespace {

using namespace kernelscape;

/** With the files that the seeds name. */
const base::TemporaryFolder& fuzzed_folder() {
  static const base::TemporaryFolder folder = [] {
    auto made = base::TemporaryFolder::make("fuzz");
    if (!made) std::abort();
    std::ofstream(made->path() + "/kernel.c")
        << "#include \"part.h\"\nvoid run(float* y, const float* x, int n) {}\n";
    std::ofstream(made->path() + "/part.h") << "#ifdef TILE\n#endif\n";
    std::ofstream(made->path() + "/x.bin") << std::string(32, 'x');
    return *std::move(made);
  }();
  return folder;
}

}  // namespace

/** Any bytes as a project file: an error that names it, or a project that comes back from where it is stored.
 */
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string path = fuzzed_folder().path() + "/fuzzed.json";
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  std::ofstream(path, std::ios::binary) << text;
  const auto project = project::read_project(path);
  if (!project) {
    if (!project.error().message.contains("fuzzed.json")) std::abort();
    return 0;
  }
  if (!project::is_project(text)) std::abort();
  const std::string stored = project::project_to_json(*project);
  const auto back = project::project_from_json(stored);
  if (!back || project::project_to_json(*back) != stored ||
      project::content_hash(*back) != project::content_hash(*project))
    std::abort();
  if (project::check_runnable(*back).has_value() != project::check_runnable(*project).has_value())
    std::abort();
  return 0;
}
