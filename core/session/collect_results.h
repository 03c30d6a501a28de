#pragma once

#include <vector>

#include "core/base/result.h"
#include "core/measure/measurer.h"
#include "core/session/accounting.h"
#include "core/session/batches.h"

namespace kernelscape::session {

/**
 * Waits a short time for results of the measurer, charges the measurer's busy times to the session, and
 * passes its notices to the observer. Errors: as measure::Measurer::collect().
 */
Result<std::vector<measure::Completed>> collect_results(const RunningSession& session,
                                                        measure::Measurer& measurer, Accounting& accounting);

}  // namespace kernelscape::session
