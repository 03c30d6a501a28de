#include "tests/gpu/libraries.h"

#include <fmt/format.h>

#include <cstdlib>
#include <set>
#include <vector>

#include "core/base/text.h"
#include "core/measure/gpu/cuda_libraries.h"
#include "tests/gpu/child.h"

namespace kernelscape::gpu_proof {
namespace {

constexpr double python_seconds = 20;

bool is_set(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && *value != '\0';
}

std::string value_of(const char* variable) { return is_set(variable) ? std::getenv(variable) : ""; }

/** Where the Python of the PATH has its packages; nothing where there is none. */
std::vector<std::string> folders_of_python() {
  const std::string python = find_program("python3");
  if (python.empty()) return {};
  std::vector<std::string> folders;
  run_child({python, "-c", "import sys\nfor folder in sys.path: print(folder)"},
            {.seconds = python_seconds,
             .environment = {{"LD_LIBRARY_PATH", ""}},  // our libraries are none of its
             .on_line = [&](std::string_view line) {
               if (line.starts_with('/')) folders.emplace_back(line);
             }});
  return folders;
}

/** Folders that may hold packages of a Python: its own, then where they usually lie. */
std::vector<std::string> package_folders() {
  std::vector<std::string> folders = folders_of_python();
  for (const char* root : {"VIRTUAL_ENV", "CONDA_PREFIX"})
    if (is_set(root)) folders.push_back(value_of(root) + "/lib/python3*/site-packages");
  if (is_set("HOME")) folders.push_back(value_of("HOME") + "/.local/lib/python3*/site-packages");
  for (const char* usual : {"/usr/local/lib/python3*/site-packages", "/usr/local/lib/python3*/dist-packages",
                            "/usr/lib/python3*/site-packages", "/usr/lib/python3/dist-packages",
                            "/opt/*/lib/python3*/site-packages", "/opt/*/*/lib/python3*/site-packages",
                            "/opt/*/.venv/lib/python3*/site-packages"})
    folders.emplace_back(usual);
  return folders;
}

/** A library of NVIDIA's, the variable that names it, and where Python's packages have it. */
struct SoughtLibrary {
  measure::RuntimeLibrary usual;
  std::vector<std::string> patterns;  ///< below site-packages/nvidia
};

std::vector<SoughtLibrary> sought_libraries() {
  return {
      {measure::toolkit_library("cuDNN", "KERNELSCAPE_CUDNN", {"libcudnn.so.9", "libcudnn.so.8"}, ""),
       {"cudnn/lib/libcudnn.so.9", "cudnn/lib/libcudnn.so.8"}},
      {measure::toolkit_library("cuBLAS", "KERNELSCAPE_CUBLAS", {"libcublas.so.13", "libcublas.so.12"}, ""),
       {"cu*/lib/libcublas.so.*", "cublas/lib/libcublas.so.*"}},
      {measure::nvrtc_library(), {"cu*/lib/libnvrtc.so.*", "cuda_nvrtc/lib/libnvrtc.so.*"}}};
}

/** Whether Kernelscape finds it by itself. Asked of a process of its own: libraries are not opened here. */
bool is_found(const Settings& settings, const measure::RuntimeLibrary& library) {
  return run_child({settings.program("gpu-proof"), "--has-library", library.variable}, {.seconds = 60})
             .code == 0;
}

std::map<std::string, std::string> stand_ins(const Settings& settings) {
  const std::string driver = (settings.home / "fake" / "libstub_cuda_driver.so").string();
  const std::string libraries = (settings.home / "fake" / "libstub_cuda_libraries.so").string();
  return {{"KERNELSCAPE_LIBCUDA", driver},
          {"KERNELSCAPE_NVRTC", driver},
          {"KERNELSCAPE_CUBLAS", libraries},
          {"KERNELSCAPE_CUDNN", libraries},
          {"KERNELSCAPE_STUB_CUDA", "computes=1"},
          {"KERNELSCAPE_STUB_NVRTC", "major=13 minor=0 wraps=1"},
          {"PATH", (settings.home / "fake").string() + ":" + value_of("PATH")}};
}

}  // namespace

bool has_library(const std::string& variable) {
  for (const SoughtLibrary& library : sought_libraries())
    if (library.usual.variable == variable) return measure::open_runtime_library(library.usual).has_value();
  return false;
}

std::map<std::string, std::string> library_environment(const Settings& settings) {
  if (settings.fake) return stand_ins(settings);
  std::map<std::string, std::string> environment;
  std::vector<std::string> packages;
  std::set<std::string> beside;  // folders of what libraries load that were found in packages
  for (const SoughtLibrary& library : sought_libraries()) {
    if (is_set(library.usual.variable.c_str()) || is_found(settings, library.usual)) continue;
    if (packages.empty()) packages = package_folders();
    for (const std::string& folder : packages) {
      std::vector<std::string> files;
      for (const std::string& pattern : library.patterns)
        for (std::string& file : measure::matching_files(folder + "/nvidia/" + pattern))
          files.push_back(std::move(file));
      if (files.empty()) continue;
      environment[library.usual.variable] = files.front();
      for (const std::string& place : measure::matching_files(folder + "/nvidia/*/lib")) beside.insert(place);
      break;
    }
  }
  if (beside.empty()) return environment;
  std::string path = value_of("LD_LIBRARY_PATH");
  for (const std::string& folder : beside) path += (path.empty() ? "" : ":") + folder;
  environment["LD_LIBRARY_PATH"] = path;
  return environment;
}

}  // namespace kernelscape::gpu_proof
