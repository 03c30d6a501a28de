#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/measure/interruption.h"
#include "core/schedule/target.h"
#include "core/trial/measurement.h"

namespace kernelscape::measure {

/** A GPU of this machine as found by a probe. */
struct ProbedDevice {
  schedule::TargetDescription target;
  std::int64_t free_memory_bytes = 0;  ///< 0: unknown

  bool operator==(const ProbedDevice&) const = default;
};

/** Returns a device as the JSON text of a probe worker's reply. */
std::string probed_device_to_json(const ProbedDevice& device);
/** Parses the text of probed_device_to_json(). Returns an error if the text is damaged. */
Result<ProbedDevice> probed_device_from_json(std::string_view json);

/**
 * Lists the CUDA devices of this machine by calling the driver in this process, so only workers call it. The
 * error names the missing part (the driver, a device, a driver as new as the toolkit) and the remedy.
 */
Result<std::vector<ProbedDevice>> list_cuda_devices();
/**
 * Lists the OpenCL devices over all platforms in the loader's order, in this process, so only workers call
 * it; a platform without devices is skipped. The error names the missing part and the remedy.
 */
Result<std::vector<ProbedDevice>> list_opencl_devices();

/** The devices of a platform, or the reason why there are none. */
struct ProbedPlatform {
  schedule::TargetKind kind = schedule::TargetKind::Cuda;
  std::vector<ProbedDevice> devices;
  std::string problem;  ///< empty if there are devices
  std::string hint;
};

/**
 * Probes both platforms in a worker. If a broken driver ends the worker, this is reported as the platform's
 * problem.
 */
Result<std::vector<ProbedPlatform>> probe_gpu_platforms(const Interruption& interruption = {});

/**
 * Describes "cuda:0" or "opencl:0" of this machine, probed in a worker. NotFound lists the available devices.
 */
Result<schedule::TargetDescription> describe_gpu_target(const std::string& name,
                                                        const Interruption& interruption = {});

/**
 * Describes a CUDA architecture without a device: "sm_75" ... "sm_90a", with the limits of its compute
 * capability. The error lists the known architectures.
 */
Result<schedule::TargetDescription> describe_cuda_architecture(const std::string& architecture);
/** Returns the architectures that kernels can be built for, in ascending order. */
std::vector<std::string> cuda_architectures();

/**
 * Computes how many threads can be resident at once, as a fraction of the maximum, and the limiting resource
 * (CUDA's occupancy calculation, with the target's numbers). Sets `threads`, `occupancy` and `limited_by`.
 */
trial::KernelResources with_occupancy(trial::KernelResources resources, std::int64_t threads,
                                      const schedule::TargetDescription& target);

}  // namespace kernelscape::measure
