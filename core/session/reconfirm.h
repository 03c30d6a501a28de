#pragma once

#include <cstdint>
#include <optional>

#include "core/base/result.h"
#include "core/measure/confirmation.h"
#include "core/session/stop_request.h"
#include "core/store/store.h"

namespace kernelscape::session {

/**
 * Measures the best trials of a session again, the five fastest by their own medians and those of slow phases
 * that are among the ten best by corrected time, interleaved with the
 * vendor's library and the first valid configuration, if the session has them. The results replace the
 * session's confirmation and baselines; nothing else of the session changes.
 *
 * Waits for the device's lease. Refused: as restore_session(), and for a session that a living process owns,
 * a session without a valid trial, an extra trial that does not exist or failed, and a stop request. Nothing
 * is stored then.
 *
 * @param extra_trial number of a trial to measure as well
 * @return in the order of `configurations`: these trials, the extra trial, the first valid configuration
 */
Result<measure::Confirmations> measure_best_again(store::Store& store, store::SessionId id,
                                                  std::optional<std::int64_t> extra_trial,
                                                  const StopRequest& stop);

}  // namespace kernelscape::session
