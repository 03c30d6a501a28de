#include "core/simulation/fleet_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <string>
#include <utility>

namespace kernelscape::simulation {
namespace {

/** With larger numbers a simulation would need unlimited memory, and no fleet is as large. */
constexpr std::size_t max_workers = 1'000'000;
constexpr std::size_t max_simulated_trials = 10'000'000;
constexpr std::size_t max_ordered_costs = 100'000'000;  ///< of all sessions, each of which has its own order
/** Workers with a shorter life do no work, and the simulation would consist of kills. */
constexpr double min_seconds_between_kills = 1;

Status refuse(const std::string& what, const std::string& hint) {
  return fail(ErrorCode::InvalidArgument, "this fleet cannot be simulated: " + what, hint);
}

Status check_costs(std::span<const TrialCost> costs) {
  if (costs.empty()) return refuse("there are no recorded trials", "choose another recorded space");
  if (costs.size() > std::numeric_limits<std::uint32_t>::max())
    return refuse("there are over 2^32 recorded trials", "choose a smaller recorded space");
  const auto possible = [](double seconds) { return std::isfinite(seconds) && seconds >= 0; };
  for (const TrialCost& cost : costs)
    if (!possible(cost.build_seconds) || !possible(cost.run_seconds))
      return refuse(fmt::format("a recorded trial took {} s to build and {} s to run", cost.build_seconds,
                                cost.run_seconds),
                    "choose another recorded space");
  return {};
}

Status check_sizes(const SimulatedFleet& fleet) {
  if (fleet.workers == 0 || fleet.workers > max_workers)
    return refuse(fmt::format("it has {} workers, but 1 to {} are possible", fleet.workers, max_workers),
                  "change the number of workers");
  if (fleet.redis_servers == 0 || fleet.search_threads == 0 || fleet.max_deliveries == 0)
    return refuse("it needs at least one Redis server, one search thread and one delivery of a task",
                  "set each to at least 1");
  const std::size_t runners = fleet.workers - std::min(fleet.workers, fleet.builders);
  if (runners < fleet.redis_servers || (fleet.builders > 0 && fleet.builders < fleet.redis_servers))
    return refuse(fmt::format("{} workers, of which {} only build, are too few for {} Redis servers",
                              fleet.workers, fleet.builders, fleet.redis_servers),
                  "each Redis server needs one worker that builds and one that runs");
  if (fleet.sessions == 0 || fleet.batch == 0 || fleet.trials == 0)
    return refuse("it has no trials", "set sessions, trials and batch to at least 1");
  if (fleet.trials > max_simulated_trials / fleet.sessions)
    return refuse(fmt::format("{} sessions of {} trials are over {} trials", fleet.sessions, fleet.trials,
                              max_simulated_trials),
                  "reduce sessions or trials");
  return {};
}

Status check_times(const SimulatedFleet& fleet) {
  for (const auto& [name, value] : std::initializer_list<std::pair<const char*, double>>{
           {"queue_seconds", fleet.queue_seconds},
           {"redis_task_seconds", fleet.redis_task_seconds},
           {"object_bytes", fleet.object_bytes},
           {"controller_task_seconds", fleet.controller_task_seconds},
           {"search_seconds", fleet.search_seconds},
           {"seconds_between_kills", fleet.seconds_between_kills},
           {"restart_seconds", fleet.restart_seconds},
           {"lease_seconds", fleet.lease_seconds}})
    if (!std::isfinite(value) || value < 0)
      return refuse(fmt::format("{} is {}", name, value), "write a number of at least 0");
  for (const auto& [name, value] : std::initializer_list<std::pair<const char*, double>>{
           {"redis_bytes_per_second", fleet.redis_bytes_per_second},
           {"heartbeat_seconds", fleet.heartbeat_seconds}})
    if (!(value > 0)) return refuse(fmt::format("{} is {}", name, value), "write a number above 0");
  if (fleet.heartbeat_seconds > fleet.lease_seconds)
    return refuse(fmt::format("a heartbeat every {} s is too rare for a lease of {} s",
                              fleet.heartbeat_seconds, fleet.lease_seconds),
                  "make the heartbeat interval a fraction of the lease");
  if (fleet.seconds_between_kills > 0 && fleet.seconds_between_kills < min_seconds_between_kills)
    return refuse(fmt::format("a worker is killed after {} s on average, but at least {} s are needed",
                              fleet.seconds_between_kills, min_seconds_between_kills),
                  "increase the time between kills");
  return {};
}

}  // namespace

Status check_fleet(std::span<const TrialCost> costs, const SimulatedFleet& fleet) {
  TRY(check_costs(costs));
  TRY(check_sizes(fleet));
  if (costs.size() > max_ordered_costs / fleet.sessions)
    return refuse(
        fmt::format("{} sessions with {} recorded trials are too many", fleet.sessions, costs.size()),
        "reduce the number of sessions, or choose a smaller recorded space");
  return check_times(fleet);
}

}  // namespace kernelscape::simulation
