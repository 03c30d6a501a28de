#pragma once

#include <span>
#include <string>
#include <string_view>

#include "core/exchange/kernels/exported_kernel.h"

namespace kernelscape {

/** Kernels under the name of their library; the texts of its files are made from this. */
struct KernelLibrary {
  std::string_view name;
  std::span<const ExportedKernel> kernels;
};

/** `text` with the library's name where it says @L@. */
std::string with_library_name(std::string_view text, std::string_view name);

std::string library_header(const KernelLibrary& library);  ///< NAME.h
std::string library_table(const KernelLibrary& library);   ///< NAME_table.c
std::string library_check(const KernelLibrary& library);   ///< check.c
std::string library_cmake(const KernelLibrary& library);   ///< CMakeLists.txt
std::string library_readme(const KernelLibrary& library);  ///< README.md
std::string gpu_readme(const KernelLibrary& library);      ///< README.md of kernels of GPUs

/** What README.md says of one kernel: where it comes from, its speed, its tensors. */
std::string readme_section(const ExportedKernel& kernel);

/** Function of C that computes one output element of a kernel's operator as plain loops: NAME_expected. */
std::string reference_function(const ExportedKernel& kernel);

/** One command that builds the check program without CMake. */
std::string plain_build_command(const KernelLibrary& library);

}  // namespace kernelscape
