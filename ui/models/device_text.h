#pragma once

#include <QString>
#include <utility>
#include <vector>

#include "core/codegen/kernel_source.h"
#include "ui/workspace/devices.h"

namespace kernelscape::models {

/** Returns "CPU", "CUDA" or "OpenCL", spelled as its vendor does. */
QString platform_name(schedule::TargetKind kind);

/** Returns "free", or the name of the process that measures on the device. */
QString device_state_text(const workspace::FoundDevice& device);

/** Returns "130 GiB free of 139.8 GiB", or no_number() if the memory is not known. */
QString device_memory_text(const workspace::FoundDevice& device);

/** Returns the known properties of a device, as pairs of name and value; unknown properties are left out. */
std::vector<std::pair<QString, QString>> device_facts(const workspace::FoundDevice& device);

/** Returns "CUDA C++", "OpenCL C" or "C". */
QString dialect_name(codegen::Dialect dialect);

}  // namespace kernelscape::models
