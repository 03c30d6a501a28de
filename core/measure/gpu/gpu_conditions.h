#pragma once

#include <memory>
#include <string>

#include "core/measure/machine_conditions.h"

namespace kernelscape::measure {

/**
 * Reads the clocks, their limits, the temperature and the power of an NVIDIA GPU through NVML, which belongs
 * to the driver and is opened at run time. Only workers use it, as the driver itself.
 */
class GpuConditionsReader {
 public:
  /**
   * Opens NVML for a device by its name. Without NVML, and for devices other than CUDA's, read() returns
   * unknown values.
   */
  explicit GpuConditionsReader(const std::string& device);
  GpuConditionsReader(GpuConditionsReader&& other) noexcept;
  ~GpuConditionsReader();

  /** Reads all values; one that the driver does not report is not known. */
  GpuConditions read() const;
  /** Returns the joules that the GPU consumed since its driver was loaded; NaN if the driver does not count.
   */
  double total_joules() const;

 private:
  struct Device;
  std::unique_ptr<const Device> device_;  ///< null: nothing can be read
};

}  // namespace kernelscape::measure
