#pragma once

#include <string_view>

#include "core/base/result.h"
#include "core/schedule/target.h"

namespace kernelscape::measure {

/** The name of a GPU in the form that users write. */
struct DeviceName {
  schedule::TargetKind kind = schedule::TargetKind::Cuda;
  int number = 0;

  bool operator==(const DeviceName&) const = default;
};

/** Parses "cuda:0" or "opencl:12". Returns InvalidArgument if the text is no such name. */
Result<DeviceName> parse_device_name(std::string_view text);

}  // namespace kernelscape::measure
