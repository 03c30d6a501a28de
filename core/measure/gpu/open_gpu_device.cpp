#include <fmt/format.h>

#include "core/measure/gpu/device_name.h"
#include "core/measure/gpu/gpu_device.h"

namespace kernelscape::measure {

Result<std::unique_ptr<GpuDevice>> open_gpu_device(const std::string& device) {
  const auto name = TRY(parse_device_name(device));
  return name.kind == schedule::TargetKind::Cuda ? open_cuda_device(name.number)
                                                 : open_opencl_device(name.number);
}

}  // namespace kernelscape::measure
