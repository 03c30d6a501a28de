#pragma once

#include <optional>

#include "core/base/result.h"
#include "core/schedule/target.h"
#include "core/session/stop_request.h"
#include "core/store/store.h"
#include "core/trial/machine_ceilings.h"

namespace kernelscape {

/** What was measured of a target's machine with so many threads, as the database keeps it; nothing: it was
 * not. */
Result<std::optional<MachineCeilings>> stored_ceilings(const Store& store, const TargetDescription& target,
                                                       int threads);

/**
 * Measures the ceilings of this machine's processor and keeps them in place of earlier ones. Waits for the
 * device's lease. Refused: a GPU, a target that is another machine's, a stop request; then nothing is kept.
 */
Result<MachineCeilings> measure_ceilings(Store& store, const TargetDescription& target, int threads,
                                         const StopRequest& stop);

}  // namespace kernelscape
