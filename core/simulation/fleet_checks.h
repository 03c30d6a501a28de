#pragma once

#include <span>

#include "core/base/result.h"
#include "core/simulation/fleet_simulation.h"

namespace kernelscape {

/** Whether the fleet can be simulated; errors say what it can't have. */
Status check_fleet(std::span<const TrialCost> costs, const SimulatedFleet& fleet);

}  // namespace kernelscape
