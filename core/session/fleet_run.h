#pragma once

#include <functional>
#include <optional>
#include <string>

#include "core/base/result.h"
#include "core/fleet/measurer.h"
#include "core/store/identifiers.h"

namespace kernelscape::store {
class Store;
}  // namespace kernelscape::store

namespace kernelscape::session {

class Observer;
class StopRequest;
struct PreparedTuning;
struct Outcome;
struct Setup;

/**
 * Returns how the kernels of a session with a fleet target are measured on the fleet now. Error: NotFound if
 * no worker of the target's device class serves at the moment.
 * @param notice called with notices for the user; may be empty
 */
Result<fleet::Measuring> fleet_measuring_of(const schedule::TargetDescription& target,
                                            std::function<void(const std::string&)> notice = {});

/**
 * Runs a prepared session whose kernels a fleet measures. The session proposes the same candidates as on one
 * machine; the best and the vendor's library are measured again on the fleet. The machine's limits are
 * unknown, since they would be those of a single machine.
 * @param resumed the session to resume; nullopt: a new session
 */
Result<Outcome> run_on_fleet(store::Store& store, const PreparedTuning& tuning,
                             std::optional<store::SessionId> resumed, Observer& observer,
                             const StopRequest& stop);

}  // namespace kernelscape::session
