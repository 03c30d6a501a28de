#pragma once

#include <functional>
#include <string>

#include "core/schedule/target.h"
#include "core/trial/machine_ceilings.h"

namespace kernelscape::measure {

/** The kind under which Machines::save_measure() keeps ceilings, together with machine_key(). */
inline constexpr const char* ceilings_kind = "ceilings";

/**
 * Returns the key that ceilings are valid for: the device, its instruction set and the number of threads, as
 * text.
 */
std::string machine_key(const schedule::TargetDescription& target, int threads);

/**
 * Measures the peaks and the bandwidth of each memory level: read streams over half of L1, half of L2, half
 * of L3's share and four times L3 (at least 256 MiB, at most a quarter of the free memory), with all threads
 * at once, best of several repetitions. Takes about a second. The caller holds the device's lease. `notices`
 * lists missing levels and implausible values.
 * @param cancelled called between the levels; true stops, and the remaining levels are missing; may be empty
 * @return for a GPU: no levels, and the reason in `notices`
 */
trial::MachineCeilings measure_machine_ceilings(const schedule::TargetDescription& target, int threads,
                                                const std::function<bool()>& cancelled = {});

}  // namespace kernelscape::measure
