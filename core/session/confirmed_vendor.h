#pragma once

#include <string>

#include "core/measure/confirmation.h"
#include "core/trial/baselines.h"

namespace kernelscape::session {

/**
 * Takes the vendor's result of a confirmation into a session's baselines. An available result stays if the
 * new one has no samples, or was measured on a disturbed machine. Samples of confirmations name no library:
 * they are those of the baselines' library.
 * @param measured_utc of the confirmations
 * @return true if the samples are of the library that is now in the baselines, so that they may be stored
 */
bool take_vendor(trial::Baselines& baselines, const measure::Confirmations& measured,
                 const std::string& measured_utc);

}  // namespace kernelscape::session
