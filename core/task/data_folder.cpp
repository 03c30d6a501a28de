#include "core/task/data_folder.h"

#include <cstdlib>

namespace kernelscape::task {

std::filesystem::path data_folder() {
  if (const char* data = std::getenv("KERNELSCAPE_DATA"); data != nullptr && *data != '\0') return data;
  std::error_code error;
  const std::filesystem::path executable = std::filesystem::read_symlink("/proc/self/exe", error);
  std::filesystem::path installed = executable.parent_path().parent_path() / "share/kernelscape/data";
  if (!error && std::filesystem::is_directory(installed, error)) return installed;
  return std::filesystem::path(KERNELSCAPE_SOURCE_DIR) / "data";
}

}  // namespace kernelscape::task
