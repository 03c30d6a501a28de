#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/simulation/fleet_simulation.h"
#include "core/trial/recording.h"

namespace kernelscape {

/** What is asked of how a fleet scales. */
struct FleetScalingRequest {
  std::shared_ptr<const Recording> recording;  ///< what trials cost
  SimulatedFleet fleet;  ///< that all others are like, but for what is said where they are
  /** Of the workers of each fleet, those that only build, of which there is at least one for each Redis, as
   * there is one that runs; 0: each does both. `builders` of the fleet follow from it. */
  double builder_share = 0;
  std::vector<std::size_t> workers = {1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1000};
  std::vector<std::size_t> batches = {1, 2, 8, 30, 64, 128, 256, 500};
};

/** A fleet, and what it did. */
struct FleetPoint {
  SimulatedFleet fleet;
  FleetOutcome outcome;

  double efficiency() const { return outcome.efficiency(fleet.workers); }  ///< 0 to 1
};

/** Fleets that differ in one number, in ascending order. */
struct FleetCurve {
  std::string name;  ///< "64 sessions at once"
  std::vector<FleetPoint> points;
};

/** As many workers keep a part busy all the time: more of them would wait for it. */
struct FleetCapacity {
  double controller_workers = 0;
  double redis_workers = 0;  ///< of all Redis together
  double search_workers = 0;
};

/** Of workers whose trials cost what these do in the mean. Infinite where a part costs nothing. */
FleetCapacity fleet_capacity(std::span<const TrialCost> costs, const SimulatedFleet& fleet);

/** How a fleet scales. */
struct FleetScaling {
  std::string recording;     ///< its name
  std::size_t recorded = 0;  ///< its trials
  double build_seconds = 0;  ///< mean of them
  double run_seconds = 0;    ///< mean of them
  FleetPoint asked;          ///< the fleet of the request
  /** Over workers: the sessions of the fleet; one session; and the sessions over a network between cities,
   * and with workers that are killed often, where the fleet is not that already. */
  std::vector<FleetCurve> by_workers;
  FleetCurve
      for_each_worker;  ///< over workers, a session for each: what is between them is all that limits it
  std::vector<FleetCurve>
      by_batch;  ///< over batches, with the workers of the fleet: its sessions; one session
  FleetCapacity capacity;
};

inline constexpr double wide_area_queue_seconds = 0.05;  ///< of the curve over a network between cities
inline constexpr double frequent_kill_seconds = 600;  ///< between kills of a worker, of the curve with kills

/** Numbers of workers that are fewer than its Redis need are left out of curves. Errors: simulate_fleet()'s;
 * an empty list. */
Result<FleetScaling> simulate_scaling(const FleetScalingRequest& request);

}  // namespace kernelscape
