#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/fleet/worker_registry.h"
#include "core/schedule/target.h"

namespace kernelscape::fleet {

/**
 * Returns the class of a device of this machine: product, architecture, memory, clocks as far as they are
 * known, driver, power limit, and the compiler of its kernels. Run times of two devices of one class are
 * comparable; devices that differ in any of these properties belong to different classes.
 */
DeviceClass classify_device(const schedule::TargetDescription& device);

/** Returns the class of a device with the given properties: for classify_device(), and for tests. */
DeviceClass make_device_class(const schedule::TargetDescription& device, std::vector<std::string> hardware,
                              std::vector<std::string> native_flags);

/**
 * Returns the names of the tool chains that builders of this machine have. @param tools one target for each
 * kind
 */
std::vector<std::string> tool_chains_of(const std::vector<schedule::TargetDescription>& tools);

/**
 * Returns the explicit options to which GCC expands -march=native on this machine; empty if GCC does not
 * report them.
 */
std::vector<std::string> native_flags_of(const std::string& compiler);

/** Returns the options of the compiler's own process from the output of `gcc -v`; empty if there is none. */
std::vector<std::string> native_flags_in(std::string_view printed);

/** Returns true if the option describes a property of the processor and has no other effect on a compiler. */
bool is_native_flag(std::string_view flag);

/**
 * Returns the temperature of a GPU in degrees Celsius, as nvidia-smi reports it within a second; 0: unknown.
 */
std::int64_t temperature_of(const schedule::TargetDescription& device);

}  // namespace kernelscape::fleet
