#pragma once

#include <memory>
#include <vector>

#include "core/base/result.h"
#include "core/exchange/kernels/exported_kernel.h"
#include "core/exchange/kernels/kernel_folder.h"
#include "core/project/kernel_project.h"
#include "core/store/store.h"

namespace kernelscape {

/** A user's own kernel to take home: its source with the macros of a configuration set. */
struct ProjectKernel {
  MeasuredConfiguration measured;
  std::shared_ptr<const KernelProject> project;
  KernelSource source;   ///< as it was built: launch, flags
  bool trusted = false;  ///< its flags may be told: they are a compiler's, and could run programs
};

/** Refused: a trial that is no valid kernel. Corrupt: the project is not the session's. */
Result<ProjectKernel> make_project_kernel(const Store& store, MeasuredConfiguration measured);

/** The source with its macros, what it includes, how it is built and launched in README.md, and the manifest.
 */
std::vector<ExportedFile> project_kernel_files(const ProjectKernel& kernel);

}  // namespace kernelscape
