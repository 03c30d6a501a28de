#include "core/measure/gpu/cuda_libraries.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <glob.h>
#include <link.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string_view>

#include "core/base/text.h"

namespace kernelscape::measure {
namespace {

/** Returns the environment variable's value; empty if it is not set. */
std::string environment_value(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

/** Returns the path that the loader used, or the name if it is unknown. */
std::string loaded_path(void* handle, const std::string& name) {
  link_map* map = nullptr;
  // NOLINTNEXTLINE(bugprone-multi-level-implicit-pointer-conversion): dlinfo's interface
  if (dlinfo(handle, RTLD_DI_LINKMAP, &map) != 0 || map == nullptr || map->l_name[0] == '\0') return name;
  return map->l_name;
}

struct Opening {
  void* handle = nullptr;
  std::string text;  ///< the path, or the reason why it can't be opened
};

/** Opens a path, or a name that the loader searches. */
Opening open_library(const std::string& name) {
  void* handle = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    const char* reason = dlerror();
    return {nullptr, reason != nullptr ? reason : name + " can't be opened"};
  }
  std::string path = loaded_path(handle, name);
  if (path.find("/stubs/") == std::string::npos) return {handle, std::move(path)};
  dlclose(handle);
  return {nullptr, path + " is a stub for linking, not a library"};
}

/** The locations where a library was searched, and the errors of existing files. */
class Search {
 public:
  explicit Search(const RuntimeLibrary& library) : library_(library) {}

  /** Searches the folders in their order. */
  Opening in_folders(const std::vector<std::string>& folders) {
    for (const std::string& folder : folders) {
      places_.push_back(folder);
      for (const std::string& name : library_.file_names) {
        for (const std::string& path : matching_files(fmt::format("{}/{}", folder, name))) {
          Opening opening = open_library(path);
          if (opening.handle != nullptr) return opening;
          problems_.push_back(std::move(opening.text));
        }
      }
    }
    return {};
  }

  Opening by_loader() {
    places_.emplace_back("the loader's folders");
    for (const std::string& name : library_.file_names) {
      Opening opening = open_library(name);
      if (opening.handle != nullptr) return opening;
      // A name that the loader does not find is no problem; a library that lacks another library is.
      if (!opening.text.starts_with(name + ": cannot open shared object file")) {
        problems_.push_back(std::move(opening.text));
      }
    }
    return {};
  }

  std::unexpected<Error> failure() const {
    std::string message = fmt::format("{} was not found: searched {} in {}", library_.name,
                                      base::join(library_.file_names, ", "), base::join(places_, ", "));
    if (!problems_.empty()) message += fmt::format("; {}", base::join(problems_, "; "));
    return fail(
        ErrorCode::Environment, std::move(message),
        fmt::format("{}, or set {} to the path of the library's file", library_.remedy, library_.variable));
  }

 private:
  const RuntimeLibrary& library_;
  std::vector<std::string> places_;
  std::vector<std::string> problems_;
};

std::vector<std::string> toolkit_folders(const std::string& root) {
  return {root + "/lib64", root + "/targets/*/lib", root + "/lib"};
}

}  // namespace

std::vector<std::string> matching_files(const std::string& pattern) {
  glob_t matches{};
  std::vector<std::string> files;
  if (glob(pattern.c_str(), GLOB_NOSORT, nullptr, &matches) == 0) {
    files.assign(matches.gl_pathv, matches.gl_pathv + matches.gl_pathc);
  }
  globfree(&matches);
  std::ranges::sort(
      files, [](const std::string& a, const std::string& b) { return strverscmp(a.c_str(), b.c_str()) > 0; });
  return files;
}

RuntimeLibrary toolkit_library(std::string name, std::string variable, std::vector<std::string> file_names,
                               std::string remedy) {
  RuntimeLibrary library{.name = std::move(name),
                         .variable = std::move(variable),
                         .file_names = std::move(file_names),
                         .first_folders = {},
                         .last_folders = {},
                         .remedy = std::move(remedy)};
  for (const char* root_variable : {"CUDA_HOME", "CUDA_PATH"}) {
    const std::string root = environment_value(root_variable);
    if (root.empty()) continue;
    for (std::string& folder : toolkit_folders(root)) library.first_folders.push_back(std::move(folder));
  }
  library.last_folders = {"/usr/local/cuda/lib64", "/usr/local/cuda-*/lib64", "/opt/cuda/lib64",
                          "/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu"};
  return library;
}

RuntimeLibrary cuda_driver_library() {
  return {
      .name = "the NVIDIA driver's CUDA library (libcuda)",
      .variable = "KERNELSCAPE_LIBCUDA",
      .file_names = {"libcuda.so.1"},
      .first_folders = {},
      .last_folders = {"/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib/wsl/lib",
                       "/usr/lib64/nvidia", "/usr/local/nvidia/lib64", "/run/opengl-driver/lib"},
      .remedy =
          "install NVIDIA's driver (Debian: nvidia-driver, libcuda1), or start the container with the GPU"};
}

RuntimeLibrary nvml_library() {
  RuntimeLibrary library = cuda_driver_library();
  library.name = "NVML, the monitoring library of the NVIDIA driver (libnvidia-ml)";
  library.variable = "KERNELSCAPE_NVML";
  library.file_names = {"libnvidia-ml.so.1"};
  return library;
}

RuntimeLibrary nvrtc_library() {
  return toolkit_library("NVRTC, the CUDA compiler library (libnvrtc)", "KERNELSCAPE_NVRTC",
                         {"libnvrtc.so", "libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2"},
                         "install the CUDA toolkit (Debian: nvidia-cuda-toolkit; or NVIDIA's)");
}

void* OpenedLibrary::find(const char* symbol) const { return dlsym(handle_, symbol); }

Result<OpenedLibrary> open_runtime_library(const RuntimeLibrary& library) {
  if (const std::string named = environment_value(library.variable.c_str()); !named.empty()) {
    Opening opening = open_library(named);
    if (opening.handle != nullptr) return OpenedLibrary(opening.handle, std::move(opening.text));
    return fail(
        ErrorCode::Environment,
        fmt::format("{}: {} is set to a file that can't be opened: {}", library.name, library.variable,
                    opening.text),
        fmt::format("correct {0}, or unset it so that the usual folders are searched", library.variable));
  }
  Search search(library);
  Opening opening = search.in_folders(library.first_folders);
  if (opening.handle == nullptr) opening = search.by_loader();
  if (opening.handle == nullptr) opening = search.in_folders(library.last_folders);
  if (opening.handle == nullptr) return search.failure();
  return OpenedLibrary(opening.handle, std::move(opening.text));
}

}  // namespace kernelscape::measure
