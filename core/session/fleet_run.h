#pragma once

#include <functional>
#include <optional>
#include <string>

#include "core/base/result.h"
#include "core/fleet/fleet_measurer.h"
#include "core/store/identifiers.h"

namespace kernelscape {

class SessionObserver;
class StopRequest;
class Store;
struct PreparedTuning;
struct SessionOutcome;
struct SessionSetup;

/**
 * How the kernels of a session whose target is a fleet's are measured there now. NotFound: nobody of its own
 * class serves at the moment.
 * @param notice told what its user should know; may be empty
 */
Result<FleetMeasuring> fleet_measuring_of(const TargetDescription& target,
                                          std::function<void(const std::string&)> notice = {});

/**
 * Runs a prepared session whose kernels a fleet measures. It proposes what it would propose on one machine;
 * the best are measured again on the fleet, and so is the vendor's library. What the machines reach at best
 * is not known: it would be of one of them.
 * @param resumed the session to go on with; none: a new one
 */
Result<SessionOutcome> run_on_fleet(Store& store, const PreparedTuning& tuning,
                                    std::optional<SessionId> resumed, SessionObserver& observer,
                                    const StopRequest& stop);

}  // namespace kernelscape
