#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/trial/measurement.h"

namespace kernelscape::measure {

/**
 * Reads the resources of one kernel from ptxas's verbose log: registers, spill stores and loads, static
 * shared memory. Values that the log lacks stay 0. Returns nullopt if the log has no line on the kernel's
 * registers.
 */
std::optional<trial::KernelResources> resources_of_ptxas_log(std::string_view log, std::string_view entry);

/** Returns the log without the lines that differ from build to build (compile times). */
std::string without_compile_times(std::string_view log);

}  // namespace kernelscape::measure
