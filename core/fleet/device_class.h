#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/fleet/worker_registry.h"
#include "core/schedule/target.h"

namespace kernelscape {

/**
 * The class of a device of this machine: product, architecture, memory, clocks as far as they are known,
 * driver, power limit, and the compiler of its kernels. Two devices of one class give times that can be
 * compared; what differs in any of it is another class.
 */
DeviceClass classify_device(const TargetDescription& device);

/** The same of what is known of a device: for classify_device(), and for tests. */
DeviceClass make_device_class(const TargetDescription& device, std::vector<std::string> hardware,
                              std::vector<std::string> native_flags);

/** The names of the tool chains that builders of this machine have. @param tools a target for each kind */
std::vector<std::string> tool_chains_of(const std::vector<TargetDescription>& tools);

/** What -march=native means to a GCC of this machine, as options that name it; empty where it does not tell.
 */
std::vector<std::string> native_flags_of(const std::string& compiler);

/** The options of the compiler's own process in what `gcc -v` printed; empty where there is none. */
std::vector<std::string> native_flags_in(std::string_view printed);

/** Whether an option can be one of these: it says what the processor has, and nothing else to a compiler. */
bool is_native_flag(std::string_view flag);

/** The degrees Celsius of a GPU, as nvidia-smi says within a second; 0: not known. */
std::int64_t temperature_of(const TargetDescription& device);

}  // namespace kernelscape
