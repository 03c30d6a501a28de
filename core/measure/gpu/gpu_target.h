#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/measure/interruption.h"
#include "core/schedule/target.h"
#include "core/trial/measurement.h"

namespace kernelscape {

/** A GPU of this machine as a probe found it. */
struct ProbedDevice {
  TargetDescription target;
  std::int64_t free_memory_bytes = 0;  ///< 0: not known

  bool operator==(const ProbedDevice&) const = default;
};

/** How a probing worker's reply carries a device. */
std::string probed_device_to_json(const ProbedDevice& device);
/** The inverse; an error where the text is damaged. */
Result<ProbedDevice> probed_device_from_json(std::string_view json);

/** CUDA devices of this machine, asked of the driver in this process: for workers. The error says what is
 * missing (the driver, a device, a driver as new as the toolkit) and the way out. */
Result<std::vector<ProbedDevice>> list_cuda_devices();
/** The same of OpenCL, over all platforms in the loader's order; a platform without devices is skipped. */
Result<std::vector<ProbedDevice>> list_opencl_devices();

/** A platform's devices, or why there are none. */
struct ProbedPlatform {
  TargetKind kind = TargetKind::Cuda;
  std::vector<ProbedDevice> devices;
  std::string problem;  ///< empty where there are devices
  std::string hint;
};

/** Both platforms, probed in a worker, whose end by a broken driver is told as the platform's problem. */
Result<std::vector<ProbedPlatform>> probe_gpu_platforms(const Interruption& interruption = {});

/** "cuda:0", "opencl:0" of this machine, probed in a worker. NotFound names the devices that there are. */
Result<TargetDescription> describe_gpu_target(const std::string& name, const Interruption& interruption = {});

/**
 * A CUDA architecture without a device: "sm_75" ... "sm_90a", with the limits of that compute capability.
 * The error lists the known ones.
 */
Result<TargetDescription> describe_cuda_architecture(const std::string& architecture);
/** The architectures that kernels can be built for, ascending. */
std::vector<std::string> cuda_architectures();

/** How many threads are resident at once, of those that could be, and what limits them (CUDA's occupancy
 * calculation, by the target's numbers): fills in `threads`, `occupancy` and `limited_by`. */
KernelResources with_occupancy(KernelResources resources, std::int64_t threads,
                               const TargetDescription& target);

}  // namespace kernelscape
