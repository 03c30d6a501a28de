#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"

/**
 * Libraries that are opened at run time from their usual locations, so that the program is the same with and
 * without them: NVIDIA's, and those of BLAS (cpu/blas_library.h). To add another library of the toolkit, make
 * a toolkit_library() and bind functions of the result of open_runtime_library():
 *
 *   const RuntimeLibrary cublas = toolkit_library("cuBLAS", "KERNELSCAPE_CUBLAS", {"libcublas.so.13", ...},
 *                                                 "install the CUDA toolkit");
 *   auto library = open_runtime_library(cublas);
 *   if (library) library->bind("cublasCreate_v2", functions.create);
 */
namespace kernelscape::measure {

/**
 * A shared library and its search order: the environment variable, the first folders, the loader, the last
 * folders.
 */
struct RuntimeLibrary {
  std::string name;      ///< name in messages: "NVRTC, the CUDA compiler library"
  std::string variable;  ///< environment variable with the file's path, which is used without a search
  std::vector<std::string> file_names;     ///< best first
  std::vector<std::string> first_folders;  ///< patterns of glob(7); the newest matching version is first
  std::vector<std::string> last_folders;
  std::string remedy;  ///< how to install the library: "install ..."
};

/**
 * Returns a library of the CUDA toolkit (or cuDNN), searched in $CUDA_HOME and $CUDA_PATH, by the loader, and
 * in the usual folders.
 */
RuntimeLibrary toolkit_library(std::string name, std::string variable, std::vector<std::string> file_names,
                               std::string remedy);

/** Returns libcuda, part of NVIDIA's driver; KERNELSCAPE_LIBCUDA overrides its path. */
RuntimeLibrary cuda_driver_library();
/** Returns NVML, which monitors GPUs and is part of NVIDIA's driver; KERNELSCAPE_NVML overrides its path. */
RuntimeLibrary nvml_library();
/** Returns NVRTC; KERNELSCAPE_NVRTC overrides its path. */
RuntimeLibrary nvrtc_library();

/** An opened library. It stays open until the process ends, since drivers do not survive being closed. */
class OpenedLibrary {
 public:
  /** Sets `function` to the symbol. If the library has no such symbol, sets it to null and returns false. */
  template <typename Function>
  bool bind(const char* symbol, Function*& function) const {
    function = reinterpret_cast<Function*>(find(symbol));
    return function != nullptr;
  }
  const std::string& path() const { return path_; }  ///< path of the file that was opened

 private:
  friend Result<OpenedLibrary> open_runtime_library(const RuntimeLibrary& library);
  OpenedLibrary(void* handle, std::string path) : handle_(handle), path_(std::move(path)) {}
  void* find(const char* symbol) const;

  void* handle_;
  std::string path_;
};

/**
 * Opens the first file of the library that can be opened; the toolkit's link stubs (.../stubs/) are never
 * used. Otherwise returns Environment with the library, the searched locations, and the files that exist but
 * could not be opened.
 */
Result<OpenedLibrary> open_runtime_library(const RuntimeLibrary& library);

/**
 * Returns the existing files that match a pattern of glob(7), the newest version first: cuda-13.0, cuda-12.9.
 */
std::vector<std::string> matching_files(const std::string& pattern);

}  // namespace kernelscape::measure
