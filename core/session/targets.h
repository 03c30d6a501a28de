#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/measure/cpu/cpu_target.h"
#include "core/schedule/target.h"

namespace kernelscape::session {

/**
 * Returns the target that a user names, on this machine:
 *   "cpu"                   this machine's processor
 *   "cuda:1", "opencl:0"    a GPU, or another OpenCL device, by its number
 *   "opencl"                opencl:0
 *   "cuda"                  cuda:0; without a device, if kernels need not be built, the GPU that the papers
 *                           assume
 *   "fleet:redis://host:6379/0#CLASS"   a device class of a fleet, as its workers describe it
 *   a CUDA target with `architecture` ("sm_80")   the architecture without a device
 *
 * Errors: an unknown name or architecture, listing the known ones; a missing driver, device or compiler, with
 * a hint what to do.
 * @param need for CUDA: Required if kernels are built
 */
Result<schedule::TargetDescription> resolve_target(const std::string& name, measure::CompilerNeed need,
                                                   const std::string& architecture = {});

/** Returns the targets that users choose from: the first device of each name. */
std::vector<std::string> target_names();

/** Checks by their names alone that a target, an architecture and build-only fit together. */
Status check_target_choice(const std::string& name, const std::string& architecture, bool build_only);

/**
 * Returns the device whose lease a session on this target holds while it measures. OpenCL on the host's
 * processor shares the lease of cpu, since each disturbs the other's kernels.
 */
std::string leased_device(const schedule::TargetDescription& target);
/** Returns "waiting for cpu: it is used by ...", the text for a user who waits for a device's lease. */
std::string device_wait_text(std::string_view device, std::string_view holder);

}  // namespace kernelscape::session
