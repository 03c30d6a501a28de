#include "core/simulation/fleet_scaling.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

namespace kernelscape::simulation {
namespace {

/** The mean cost of a trial. */
struct MeanCost {
  double build_seconds = 0;
  double run_seconds = 0;
  double tasks = 0;  ///< tasks of a trial: one, or two if it runs
};

MeanCost mean_cost(std::span<const TrialCost> costs) {
  MeanCost mean;
  for (const TrialCost& cost : costs) {
    mean.build_seconds += cost.build_seconds;
    mean.run_seconds += cost.runs ? cost.run_seconds : 0;
    mean.tasks += cost.runs ? 2 : 1;
  }
  const auto count = static_cast<double>(costs.size());
  return {mean.build_seconds / count, mean.run_seconds / count, mean.tasks / count};
}

/** Simulates the points of curves. */
class ScalingSimulator {
 public:
  ScalingSimulator(const FleetScalingRequest& request, std::span<const TrialCost> costs)
      : request_(request), costs_(costs) {}

  /** @param workers of the fleet, of which the request's share only builds */
  Result<FleetPoint> point(SimulatedFleet fleet, std::size_t workers) const {
    fleet.workers = workers;
    fleet.builders = builders(workers);
    const FleetOutcome outcome = TRY(simulate_fleet(costs_, fleet));
    return FleetPoint{fleet, outcome};
  }

  /** @param change sets the special properties of the curve's fleets */
  Result<FleetCurve> over_workers(std::string name,
                                  const std::function<void(SimulatedFleet&)>& change) const {
    FleetCurve curve{std::move(name), {}};
    for (const std::size_t workers : request_.workers) {
      if (workers < min_workers()) continue;
      SimulatedFleet fleet = request_.fleet;
      fleet.workers = workers;
      change(fleet);
      curve.points.push_back(TRY(point(fleet, workers)));
    }
    return curve;
  }

  Result<FleetCurve> over_batches(std::string name, std::size_t sessions) const {
    FleetCurve curve{std::move(name), {}};
    for (const std::size_t batch : request_.batches) {
      SimulatedFleet fleet = request_.fleet;
      fleet.sessions = sessions;
      fleet.batch = batch;
      curve.points.push_back(TRY(point(fleet, fleet.workers)));
    }
    return curve;
  }

 private:
  std::size_t min_workers() const {
    return (request_.builder_share > 0 ? 2 : 1) * request_.fleet.redis_servers;
  }

  std::size_t builders(std::size_t workers) const {
    if (!(request_.builder_share > 0) || workers < min_workers()) return 0;
    const auto share =
        static_cast<std::size_t>(std::llround(request_.builder_share * static_cast<double>(workers)));
    return std::clamp(share, request_.fleet.redis_servers, workers - request_.fleet.redis_servers);
  }

  const FleetScalingRequest& request_;
  std::span<const TrialCost> costs_;
};

std::string sessions_text(std::size_t sessions) {
  return sessions == 1 ? "one session" : fmt::format("{} sessions at once", sessions);
}

Status check_request(const FleetScalingRequest& request) {
  if (request.workers.empty() || request.batches.empty())
    return fail(ErrorCode::InvalidArgument, "there are no numbers of workers or no batch sizes to simulate",
                "name at least one of each");
  if (!(request.builder_share >= 0 && request.builder_share < 1))
    return fail(ErrorCode::InvalidArgument,
                fmt::format("the share of builders cannot be {}", request.builder_share),
                "write a share of at least 0 and below 1: some workers must run");
  return {};
}

Result<std::vector<FleetCurve>> curves_by_workers(const ScalingSimulator& simulator,
                                                  const SimulatedFleet& fleet) {
  const std::string sessions = sessions_text(fleet.sessions);
  std::vector<FleetCurve> curves;
  curves.push_back(TRY(simulator.over_workers(sessions, [](SimulatedFleet&) {})));
  if (fleet.sessions != 1)
    curves.push_back(
        TRY(simulator.over_workers(sessions_text(1), [](SimulatedFleet& one) { one.sessions = 1; })));
  if (fleet.queue_seconds < wide_area_queue_seconds)
    curves.push_back(TRY(
        simulator.over_workers(fmt::format("{}, {:.0f} ms of queue", sessions, wide_area_queue_seconds * 1e3),
                               [](SimulatedFleet& far) { far.queue_seconds = wide_area_queue_seconds; })));
  if (!(fleet.seconds_between_kills > 0))
    curves.push_back(TRY(simulator.over_workers(
        fmt::format("{}, a kill in {:.0f} min", sessions, frequent_kill_seconds / 60),
        [](SimulatedFleet& killed) { killed.seconds_between_kills = frequent_kill_seconds; })));
  return curves;
}

}  // namespace

FleetCapacity fleet_capacity(std::span<const TrialCost> costs, const SimulatedFleet& fleet) {
  const MeanCost mean = mean_cost(costs);
  // Between any two tasks, the answer travels to Redis and the next task back.
  const double worker_seconds = mean.build_seconds + mean.run_seconds + mean.tasks * fleet.queue_seconds / 2;
  const double redis_seconds = mean.tasks * fleet.redis_task_seconds +
                               (mean.tasks - 1) * fleet.object_bytes / fleet.redis_bytes_per_second;
  return {worker_seconds / (mean.tasks * fleet.controller_task_seconds),
          worker_seconds / redis_seconds * static_cast<double>(fleet.redis_servers),
          worker_seconds / fleet.search_seconds * static_cast<double>(fleet.search_threads)};
}

Result<FleetScaling> simulate_scaling(const FleetScalingRequest& request) {
  TRY(check_request(request));
  const std::vector<TrialCost> costs = recorded_costs(*request.recording);
  const ScalingSimulator simulator(request, costs);
  const SimulatedFleet& fleet = request.fleet;
  FleetScaling scaling;
  scaling.asked = TRY(simulator.point(fleet, fleet.workers));
  scaling.by_workers = TRY(curves_by_workers(simulator, fleet));
  scaling.for_each_worker = TRY(simulator.over_workers(
      "a session for each worker", [](SimulatedFleet& each) { each.sessions = each.workers; }));
  scaling.by_batch.push_back(
      TRY(simulator.over_batches(sessions_text(fleet.sessions) + ", by batch", fleet.sessions)));
  if (fleet.sessions != 1)
    scaling.by_batch.push_back(TRY(simulator.over_batches(sessions_text(1) + ", by batch", 1)));
  const MeanCost mean = mean_cost(costs);
  scaling.recording = request.recording->header().name;
  scaling.recorded = costs.size();
  scaling.build_seconds = mean.build_seconds;
  scaling.run_seconds = mean.run_seconds;
  scaling.capacity = fleet_capacity(costs, fleet);
  return scaling;
}

}  // namespace kernelscape::simulation
