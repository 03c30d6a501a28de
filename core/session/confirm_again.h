#pragma once

#include <cstdint>
#include <optional>

#include "core/base/result.h"
#include "core/measure/confirmation.h"
#include "core/session/stop_request.h"
#include "core/store/store.h"

namespace kernelscape {

/**
 * Measures the best trials of a session once more, the five fastest by their own medians, and with them,
 * interleaved, the vendor's library and the first valid configuration, where the session has one. What comes
 * out is the session's confirmation and baseline from then on; nothing else of it changes.
 *
 * Waits for the device's lease. Refused: what restore_session() refuses, a session that a living process
 * owns, one without a valid trial, an extra trial that is none, and a stop request; then nothing is stored.
 *
 * @param extra_trial measured as well, by its number
 * @return in order of `configurations`: the five, the extra one, the first valid one
 */
Result<Confirmations> measure_best_again(Store& store, SessionId id, std::optional<std::int64_t> extra_trial,
                                         const StopRequest& stop);

}  // namespace kernelscape
