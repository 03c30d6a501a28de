#pragma once

#include <optional>

#include "core/base/result.h"
#include "core/schedule/target.h"
#include "core/session/stop_request.h"
#include "core/store/store.h"
#include "core/trial/machine_ceilings.h"

namespace kernelscape::session {

/**
 * Returns the stored ceilings of a target's machine with the given number of threads, or nullopt if they were
 * not measured.
 */
Result<std::optional<trial::MachineCeilings>> stored_ceilings(const store::Store& store,
                                                              const schedule::TargetDescription& target,
                                                              int threads);

/**
 * Measures the ceilings of this machine's processor and stores them in place of earlier ones. They get a
 * notice if the machine was slower than in its earlier sessions. Waits for the device's lease. Refused: a
 * GPU, a target of another machine, a stop request; nothing is stored then.
 */
Result<trial::MachineCeilings> measure_ceilings(store::Store& store,
                                                const schedule::TargetDescription& target, int threads,
                                                const StopRequest& stop);

}  // namespace kernelscape::session
