#pragma once

#include <string_view>

#include "core/base/result.h"
#include "core/schedule/target.h"

namespace kernelscape {

/** A GPU as users write it. */
struct DeviceName {
  TargetKind kind = TargetKind::Cuda;
  int number = 0;

  bool operator==(const DeviceName&) const = default;
};

/** "cuda:0", "opencl:12"; InvalidArgument where it is no such name. */
Result<DeviceName> parse_device_name(std::string_view text);

}  // namespace kernelscape
