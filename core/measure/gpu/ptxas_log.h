#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/trial/measurement.h"

namespace kernelscape {

/**
 * What ptxas's verbose log says of one kernel: registers, spill stores and loads, static shared memory. What
 * the log does not tell stays 0; nothing where it has no line on the kernel's registers.
 */
std::optional<KernelResources> resources_of_ptxas_log(std::string_view log, std::string_view entry);

/** The log without the lines that differ from build to build (how long it took). */
std::string without_compile_times(std::string_view log);

}  // namespace kernelscape
