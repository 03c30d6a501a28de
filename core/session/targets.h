#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/measure/cpu/cpu_target.h"
#include "core/schedule/target.h"

namespace kernelscape {

/**
 * The target that a user names, on this machine:
 *   "cpu"                   this machine's processor
 *   "cuda:1", "opencl:0"    a GPU, or another OpenCL device, by its number
 *   "opencl"                opencl:0
 *   "cuda"                  cuda:0; where there is no device and kernels need not be built, one as the papers
 *                           assume it
 *   "fleet:redis://host:6379/0#CLASS"   a class of the devices of a fleet; what its workers say of them
 *   any of CUDA's, with `architecture` ("sm_80")   the architecture without a device
 *
 * Errors: an unknown name or architecture, which offer the known ones; a driver, device or compiler that is
 * missing, with the way out.
 * @param need of CUDA: Required where kernels are built
 */
Result<TargetDescription> resolve_target(const std::string& name, CompilerNeed need,
                                         const std::string& architecture = {});

/** The targets that users choose from: each name's first device. */
std::vector<std::string> target_names();

/** What is wrong with a target, an architecture and building without running, as far as names show. */
Status check_target_choice(const std::string& name, const std::string& architecture, bool build_only);

/** The device whose lease a session on this target holds while it measures: OpenCL on the host's processor
 * disturbs kernels for cpu, and the other way round. */
std::string leased_device(const TargetDescription& target);

}  // namespace kernelscape
