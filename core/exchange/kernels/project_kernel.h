#pragma once

#include <memory>
#include <vector>

#include "core/base/result.h"
#include "core/exchange/kernels/exported_kernel.h"
#include "core/exchange/kernels/kernel_folder.h"
#include "core/project/kernel_project.h"
#include "core/store/store.h"

namespace kernelscape::exchange {

/** A user's own kernel to export: its source with the macros of a configuration set. */
struct ProjectKernel {
  MeasuredConfiguration measured;
  std::shared_ptr<const project::KernelProject> project;
  codegen::KernelSource source;  ///< as it was built: launch, flags
  bool trusted = false;  ///< its flags may be shown: they are passed to a compiler, and could run programs
};

/**
 * Creates the export of a kernel. Returns Refused for a trial that is not a valid kernel, and Corrupt if the
 * project does not match the session.
 */
Result<ProjectKernel> make_project_kernel(const store::Store& store, MeasuredConfiguration measured);

/**
 * Returns the source with its macros and the files it includes, a README.md that explains how to build and
 * launch it, and the manifest.
 */
std::vector<ExportedFile> project_kernel_files(const ProjectKernel& kernel);

}  // namespace kernelscape::exchange
