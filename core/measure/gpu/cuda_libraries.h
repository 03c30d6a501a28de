#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"

/**
 * Libraries of NVIDIA's that are opened at run time from where users have them, so that the program is the
 * same with and without them. Another library of the toolkit needs a value of toolkit_library() and functions
 * bound from what open_runtime_library() gives:
 *
 *   const RuntimeLibrary cublas = toolkit_library("cuBLAS", "KERNELSCAPE_CUBLAS", {"libcublas.so.13", ...},
 *                                                 "install the CUDA toolkit");
 *   auto library = open_runtime_library(cublas);
 *   if (library) library->bind("cublasCreate_v2", functions.create);
 */
namespace kernelscape {

/** A shared library and where to look for it: the variable, the first folders, the loader, the last folders.
 */
struct RuntimeLibrary {
  std::string name;                        ///< in messages: "NVRTC, the CUDA compiler library"
  std::string variable;                    ///< environment: the file's path, taken at its word
  std::vector<std::string> file_names;     ///< best first
  std::vector<std::string> first_folders;  ///< patterns of glob(7); among matches the newest version first
  std::vector<std::string> last_folders;
  std::string remedy;  ///< how to get it: "install ..."
};

/** A library of the CUDA toolkit (of cuDNN too): $CUDA_HOME and $CUDA_PATH, the loader, the usual folders. */
RuntimeLibrary toolkit_library(std::string name, std::string variable, std::vector<std::string> file_names,
                               std::string remedy);

/** libcuda, part of NVIDIA's driver: KERNELSCAPE_LIBCUDA names it. */
RuntimeLibrary cuda_driver_library();
/** KERNELSCAPE_NVRTC names it. */
RuntimeLibrary nvrtc_library();

/** An opened library. It stays open until the process ends: drivers don't survive being closed. */
class OpenedLibrary {
 public:
  /** Sets `function` to the symbol; null and false where the library has none of that name. */
  template <typename Function>
  bool bind(const char* symbol, Function*& function) const {
    function = reinterpret_cast<Function*>(find(symbol));
    return function != nullptr;
  }
  const std::string& path() const { return path_; }  ///< of the file that was opened

 private:
  friend Result<OpenedLibrary> open_runtime_library(const RuntimeLibrary& library);
  OpenedLibrary(void* handle, std::string path) : handle_(handle), path_(std::move(path)) {}
  void* find(const char* symbol) const;

  void* handle_;
  std::string path_;
};

/**
 * The first file that can be opened; the toolkit's link stubs (.../stubs/) are never taken. Environment where
 * there is none: names the library, where it was looked for, what was there and could not be opened.
 */
Result<OpenedLibrary> open_runtime_library(const RuntimeLibrary& library);

/** The existing files that match a pattern of glob(7), the newest version first: cuda-13.0, cuda-12.9. */
std::vector<std::string> matching_files(const std::string& pattern);

}  // namespace kernelscape
