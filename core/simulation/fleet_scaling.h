#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/simulation/fleet_simulation.h"
#include "core/trial/recording.h"

namespace kernelscape::simulation {

/** Parameters of the fleet scaling simulation. */
struct FleetScalingRequest {
  std::shared_ptr<const trial::Recording> recording;  ///< the recorded trials whose costs are simulated
  SimulatedFleet fleet;  ///< the fleet from which all others are derived by changing one number
  /**
   * Share of the workers of each fleet that only build, at least one for each Redis server, which also has at
   * least one worker that runs; 0: each worker does both. The `builders` of each fleet follow from it.
   */
  double builder_share = 0;
  std::vector<std::size_t> workers = {1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1000};
  std::vector<std::size_t> batches = {1, 2, 8, 30, 64, 128, 256, 500};
};

/** A fleet and the outcome of its simulation. */
struct FleetPoint {
  SimulatedFleet fleet;
  FleetOutcome outcome;

  double efficiency() const { return outcome.efficiency(fleet.workers); }  ///< 0 to 1
};

/** Fleets that differ in one number, in ascending order of it. */
struct FleetCurve {
  std::string name;  ///< "64 sessions at once"
  std::vector<FleetPoint> points;
};

/** The numbers of workers that keep a component busy all the time: any further worker would wait for it. */
struct FleetCapacity {
  double controller_workers = 0;
  double redis_workers = 0;  ///< all Redis servers together
  double search_workers = 0;
};

/**
 * Returns the capacity for workers whose trials have the mean of these costs. A component without cost has
 * infinite capacity.
 */
FleetCapacity fleet_capacity(std::span<const TrialCost> costs, const SimulatedFleet& fleet);

/** The result of the fleet scaling simulation. */
struct FleetScaling {
  std::string recording;     ///< name of the recording
  std::size_t recorded = 0;  ///< number of recorded trials
  double build_seconds = 0;  ///< their mean build time
  double run_seconds = 0;    ///< their mean run time
  FleetPoint asked;          ///< the fleet of the request
  /**
   * Curves over workers: the sessions of the fleet; one session; and, unless the fleet has these properties
   * already, the sessions over a network between cities, and with workers that are killed often.
   */
  std::vector<FleetCurve> by_workers;
  FleetCurve for_each_worker;  ///< curve over workers with one session per worker, which only the components
                               ///< between them limit
  /** Curves over batches with the workers of the fleet: its sessions; one session. */
  std::vector<FleetCurve> by_batch;
  FleetCapacity capacity;
};

inline constexpr double wide_area_queue_seconds =
    0.05;  ///< latency of the curve over a network between cities
inline constexpr double frequent_kill_seconds =
    600;  ///< mean time between kills of a worker, of the curve with kills

/**
 * Simulates the curves of a request. Omits numbers of workers that are fewer than their Redis servers need.
 * Returns the errors of simulate_fleet(), and an error for an empty list.
 */
Result<FleetScaling> simulate_scaling(const FleetScalingRequest& request);

}  // namespace kernelscape::simulation
