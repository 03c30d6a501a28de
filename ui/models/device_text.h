#pragma once

#include <QString>
#include <utility>
#include <vector>

#include "core/codegen/kernel_source.h"
#include "ui/workspace/devices.h"

namespace kernelscape {

/** "CPU", "CUDA", "OpenCL": as its makers write it. */
QString platform_name(TargetKind kind);

/** "free", or who measures on it. */
QString device_state_text(const FoundDevice& device);

/** "130 GiB free of 139.8 GiB"; no_number() where it is not known. */
QString device_memory_text(const FoundDevice& device);

/** All that is known of a device, as pairs of what and how much: what is not known stays out. */
std::vector<std::pair<QString, QString>> device_facts(const FoundDevice& device);

/** "CUDA C++", "OpenCL C", "C". */
QString dialect_name(Dialect dialect);

}  // namespace kernelscape
