#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/exchange/kernels/exported_kernel.h"
#include "core/exchange/kernels/kernel_folder.h"
#include "core/exchange/kernels/pass_plan.h"

namespace kernelscape::exchange {

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
 * Returns the files of a folder that is built without this program (with CMake 3.16, or only cc), in C11:
 *   KERNEL.c           the generated source of each kernel
 *   NAME.h             for C and C++: prototypes, layouts, a table by task, pack and unpack
 *   NAME_table.c       the table
 *   check.c            compares every kernel with plain loops in double precision, and measures it
 *   NAME_vendor.cpp    instead of the sources of kernels that the vendor's library computes
 *   CMakeLists.txt, README.md, kernelscape.json (configurations and provenance for programs)
 *
 * For a network whose kernels are all of type f32 and have no epilogue, unless it has more than
 * max_pass_calls calls, also (else README.md says why not):
 *   NAME_conversions.c conversions between the layouts of consecutive layers
 *   pass.c             all calls of the network in their order on one arena, measured with cold weights
 *   pass_onednn.cpp    the same pass with oneDNN, included if it is installed
 *
 * A single kernel is a library of one kernel. GPU kernels are exported without calling code, because the
 * launch belongs to the user's runtime (driver, runtime library or framework; streams, memory):
 *   KERNEL.cu or KERNEL.cl for each kernel, README.md (how to build and launch), kernelscape.json
 *
 * @param name name of the library, an identifier of C
 * @param network network of all kernels; null: they do not belong to a network
 * Errors: no kernel, a name that is invalid in C or used twice, CPU and GPU kernels in one library.
 */
Result<std::vector<ExportedFile>> kernel_library_files(std::span<const ExportedKernel> kernels,
                                                       const std::string& name,
                                                       const NetworkOfKernels* network = nullptr);

/** Writes the files of a library into `folder`: see write_kernel_folder() for what is replaced. */
Status write_kernel_library(std::span<const ExportedKernel> kernels, const std::filesystem::path& folder,
                            const std::string& name, bool force = false,
                            const NetworkOfKernels* network = nullptr);

}  // namespace kernelscape::exchange
