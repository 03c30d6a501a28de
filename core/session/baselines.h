#pragma once

#include <functional>
#include <span>

#include "core/base/result.h"
#include "core/measure/confirmation.h"
#include "core/session/stop_request.h"
#include "core/trial/baselines.h"

namespace kernelscape {

/** Measured before the first trial, so that there is something to compare with from the start. */
struct Survey {
  MachineLimits limits;
  VendorResult vendor;
};
using Surveyor = std::function<Result<Survey>(const StopRequest&)>;

/**
 * Measures configurations and the vendor's library again, interleaved: measure_interleaved() for a device,
 * their own function for tests. The last argument is how many seconds it may take.
 */
using Confirmer = std::function<Result<Confirmations>(std::span<const Configuration>, const StopRequest&,
                                                      double most_seconds)>;

}  // namespace kernelscape
