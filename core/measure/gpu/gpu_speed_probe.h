#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/codegen/kernel_source.h"
#include "core/measure/gpu/gpu_device.h"
#include "core/schedule/target.h"
#include "core/trial/machine_speed.h"

namespace kernelscape::measure {

/** Name of the probe's kernel. */
inline constexpr const char* gpu_speed_probe_entry = "kernelscape_speed_probe";

/** The fixed amount of work that the speed probe of a GPU times; it depends on the device's description only.
 */
struct GpuProbeWork {
  codegen::KernelSource source;  ///< valid as CUDA C++ and as OpenCL C
  codegen::Launch launch;
  std::int32_t rounds = 0;           ///< of multiply-adds, in the compute part
  std::int32_t steps = 0;            ///< vectors that a thread reads, in the memory part
  std::int32_t thread_distance = 0;  ///< vectors between the first vectors of neighbouring threads
  std::int32_t step_distance = 0;    ///< vectors between the vectors of a thread
  std::size_t data_bytes = 0;
  std::size_t output_bytes = 0;
};

/** Returns the work for a device; needs no device. */
GpuProbeWork make_gpu_probe_work(const schedule::TargetDescription& target);

/**
 * Builds the probe's kernel in this process, so only workers call it. Returns Environment with the reason if
 * there is no compiler or it fails.
 */
Result<std::string> build_gpu_speed_probe(const schedule::TargetDescription& target);

/**
 * Times a fixed amount of work of a GPU, by the device's own clock: multiply-adds in registers on all
 * threads, and reading data once that are larger than the last cache. It has a queue, a kernel and memory of
 * its own beside those of the trials: nothing has to be loaded again between a trial and a reading. Its data
 * are at most a sixty-fourth of the device's memory.
 */
class GpuSpeedProbe {
 public:
  /**
   * Opens the device once more, places the data and takes a first reading, in the process of the trials.
   * @param artefact of build_gpu_speed_probe()
   * @return Environment with the reason if the kernel cannot be run
   */
  static Result<GpuSpeedProbe> open(const schedule::TargetDescription& target, const std::string& artefact);

  /** Times both parts. Returns unknown times if a launch fails, and from then on. */
  trial::ProbeSeconds measure();

 private:
  GpuSpeedProbe(std::unique_ptr<GpuDevice> device, const GpuProbeWork& work);
  DeviceResult<void> place(const std::string& artefact);
  DeviceResult<double> time(std::int32_t rounds, std::int32_t steps);
  DeviceResult<trial::ProbeSeconds> measure_parts();

  std::unique_ptr<GpuDevice> device_;  ///< all its memory is freed when it is closed
  GpuProbeWork work_;
  std::vector<LaunchArgument> arguments_;
  double fastest_compute_ = 0;  ///< of all readings; 0: none yet
  bool failed_ = false;
};

}  // namespace kernelscape::measure
