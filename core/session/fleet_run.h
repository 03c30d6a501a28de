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
 * Returns how the kernels of a session with a fleet target are measured on the fleet now. Error: NotFound if
 * no worker of the target's device class serves at the moment.
 * @param notice called with notices for the user; may be empty
 */
Result<FleetMeasuring> fleet_measuring_of(const TargetDescription& target,
                                          std::function<void(const std::string&)> notice = {});

/**
 * Runs a prepared session whose kernels a fleet measures. The session proposes the same candidates as on one
 * machine; the best and the vendor's library are measured again on the fleet. The machine's limits are
 * unknown, since they would be those of a single machine.
 * @param resumed the session to resume; nullopt: a new session
 */
Result<SessionOutcome> run_on_fleet(Store& store, const PreparedTuning& tuning,
                                    std::optional<SessionId> resumed, SessionObserver& observer,
                                    const StopRequest& stop);

}  // namespace kernelscape
