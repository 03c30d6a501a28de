#pragma once

#include <span>

#include "core/base/result.h"
#include "core/simulation/fleet_simulation.h"

namespace kernelscape::simulation {

/** Checks whether the fleet can be simulated. Errors name the invalid value. */
Status check_fleet(std::span<const TrialCost> costs, const SimulatedFleet& fleet);

}  // namespace kernelscape::simulation
