#pragma once

#include <functional>
#include <span>

#include "core/base/result.h"
#include "core/measure/confirmation.h"
#include "core/session/stop_request.h"
#include "core/trial/baselines.h"

namespace kernelscape::session {

/** Measurements before the first trial, so that trials can be compared with them from the start. */
struct Survey {
  trial::MachineLimits limits;
  trial::VendorResult vendor;
};
using Surveyor = std::function<Result<Survey>(const StopRequest&)>;

/**
 * Measures configurations and the vendor's library again, interleaved: measure_interleaved() for a device, a
 * separate function in tests. The last argument is the maximum duration in seconds.
 */
using Confirmer = std::function<Result<measure::Confirmations>(std::span<const space::Configuration>,
                                                               const StopRequest&, double max_seconds)>;

}  // namespace kernelscape::session
