#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/exchange/kernels/exported_kernel.h"
#include "core/exchange/kernels/kernel_folder.h"
#include "core/exchange/kernels/pass_plan.h"

namespace kernelscape {

/** The network to which kernels belong. */
struct NetworkOfKernels {
  std::string name;
  KernelOrder order;
};

/**
 * Returns true if all tensors of the kernel are f32. A result of any other type cannot be the operand of a
 * next layer unless an operator between them converts it.
 */
bool is_of_floats(const ExportedKernel& kernel);

/**
 * The files of a folder that builds on its own (CMake 3.16, or cc alone), C11:
 *   KERNEL.c each      the emitted source
 *   NAME.h             prototypes with their contract, the layouts, a table by task, pack and unpack; C and
 *                      C++
 *   NAME_table.c       that table
 *   check.c            compares every kernel with plain loops in double precision, and times it
 *   NAME_vendor.cpp    in place of the sources of kernels that are the vendor's
 *   CMakeLists.txt, README.md, kernelscape.json (configurations and provenance for programs)
 *
 * Of a network whose kernels are all of f32 also, unless it has more than most_pass_calls calls:
 *   NAME_conversions.c between the layouts of layers that follow each other
 *   pass.c             all calls of the network in their order on one arena, timed with cold weights
 *   pass_onednn.cpp    the same by oneDNN, built in where it is found
 *
 * A single kernel is a library of one. Kernels of GPUs come without what calls them, since a launch belongs
 * to the user's own runtime (driver, runtime library or framework; streams, memory):
 *   KERNEL.cu or KERNEL.cl each, README.md (how to build and launch them), kernelscape.json (with launches)
 *
 * @param name of the library, an identifier of C
 * @param network of all kernels; none: they are of no network
 * Errors: no kernel, a name that C does not take, or that two things would have, kernels of CPUs and GPUs in
 * one library.
 */
Result<std::vector<ExportedFile>> kernel_library_files(std::span<const ExportedKernel> kernels,
                                                       const std::string& name,
                                                       const NetworkOfKernels* network = nullptr);

/** Writes the files of a library into `folder`: see write_kernel_folder() for what is replaced. */
Status write_kernel_library(std::span<const ExportedKernel> kernels, const std::filesystem::path& folder,
                            const std::string& name, bool force = false,
                            const NetworkOfKernels* network = nullptr);

}  // namespace kernelscape
