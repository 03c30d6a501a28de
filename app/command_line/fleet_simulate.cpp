#include "app/command_line/fleet_simulate.h"

#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

#include "app/command_line/console.h"
#include "app/command_line/json_output.h"
#include "app/command_line/shared_options.h"
#include "core/base/numbers.h"
#include "core/fleet/task_queue.h"
#include "core/session/preparation.h"
#include "core/session/recording_cache.h"
#include "core/simulation/fleet_scaling.h"
#include "core/task/data_folder.h"

namespace kernelscape::command_line {
namespace {

using nlohmann::json;

constexpr double milli = 1e-3;
constexpr double seconds_of_a_minute = 60;
constexpr std::uint64_t max_simulated = 100'000;  ///< workers, sessions, trials of a session
constexpr double max_option = 1e9;

/** As the options say it, whose units are not the simulation's. */
struct FleetSimulationOptions {
  std::string recording;
  simulation::FleetScalingRequest request;
  std::size_t up_to = 1000;
  double queue_ms = simulation::SimulatedFleet().queue_seconds / milli;
  double redis_tasks_per_second = std::round(1 / simulation::SimulatedFleet().redis_task_seconds);
  double controller_trials_per_second =
      std::round(1 / (2 * simulation::SimulatedFleet().controller_task_seconds));
  double search_ms = simulation::SimulatedFleet().search_seconds / milli;
  double kill_minutes = 0;
  ReportOptions report;
  bool json = false;
};

/** The smallest powers of two, and the last one asked for. */
std::vector<std::size_t> sizes_up_to(std::size_t last) {
  std::vector<std::size_t> sizes;
  for (std::size_t size = 1; size < last; size *= 2) sizes.push_back(size);
  sizes.push_back(last);
  return sizes;
}

Result<simulation::FleetScalingRequest> scaling_request(const FleetSimulationOptions& options) {
  simulation::FleetScalingRequest request = options.request;
  request.workers = sizes_up_to(options.up_to);
  request.fleet.queue_seconds = options.queue_ms * milli;
  request.fleet.redis_task_seconds = 1 / options.redis_tasks_per_second;
  request.fleet.controller_task_seconds = 1 / (2 * options.controller_trials_per_second);
  request.fleet.search_seconds = options.search_ms * milli;
  request.fleet.heartbeat_seconds =
      fleet::QueueTimes{.lease_seconds = request.fleet.lease_seconds}.beat_seconds();
  request.fleet.seconds_between_kills = options.kill_minutes * seconds_of_a_minute;
  const std::string recording =
      !options.recording.empty() ? options.recording
                                 : (task::data_folder() / "recorded/resnet18-C6-conv2d-nchwc.ksrec").string();
  const store::Store store = TRY(open_store(options.report.database));
  request.recording =
      TRY(session::open_recorded_target(std::string(session::recorded_target_prefix) + recording, store));
  return request;
}

json point_json(const std::string& curve, const simulation::FleetPoint& point) {
  const simulation::FleetOutcome& outcome = point.outcome;
  return {{"event", "fleet"},
          {"curve", curve},
          {"workers", point.fleet.workers},
          {"builders", point.fleet.builders},
          {"sessions", point.fleet.sessions},
          {"batch", point.fleet.batch},
          {"queue_seconds", point.fleet.queue_seconds},
          {"seconds_between_kills", point.fleet.seconds_between_kills},
          {"efficiency", point.efficiency()},
          {"wall_seconds", outcome.wall_seconds},
          {"work_seconds", outcome.work_seconds},
          {"lost_seconds", outcome.lost_seconds},
          {"controller_seconds", outcome.controller_seconds},
          {"redis_seconds", outcome.redis_seconds},
          {"search_seconds", outcome.search_seconds},
          {"trials", outcome.trials},
          {"dead_letters", outcome.dead_letters},
          {"tasks", outcome.tasks},
          {"deliveries", outcome.deliveries},
          {"kills", outcome.kills}};
}

void print_scaling_json(const simulation::FleetScaling& scaling) {
  print_json_line({{"event", "simulation"},
                   {"recording", scaling.recording},
                   {"recorded", scaling.recorded},
                   {"build_seconds", scaling.build_seconds},
                   {"run_seconds", scaling.run_seconds},
                   {"controller_workers", scaling.capacity.controller_workers},
                   {"redis_workers", scaling.capacity.redis_workers},
                   {"search_workers", scaling.capacity.search_workers},
                   {"seed", scaling.asked.fleet.seed}});
  print_json_line(point_json("asked", scaling.asked));
  for (const simulation::FleetCurve& curve : scaling.by_workers)
    for (const simulation::FleetPoint& point : curve.points) print_json_line(point_json(curve.name, point));
  for (const simulation::FleetPoint& point : scaling.for_each_worker.points)
    print_json_line(point_json(scaling.for_each_worker.name, point));
  for (const simulation::FleetCurve& curve : scaling.by_batch)
    for (const simulation::FleetPoint& point : curve.points) print_json_line(point_json(curve.name, point));
}

/** Of the time of the fleet; "55 %". */
std::string busy_text(double seconds, const simulation::FleetPoint& point) {
  return base::percent_text(seconds / point.outcome.wall_seconds);
}

base::TerminalText points_table(const simulation::FleetCurve& curve) {
  TextTable table({"workers", "sessions", "batch", "wall time", "trials/s", "efficiency", "controller",
                   "Redis", "kills", "redelivered", "dead letters"});
  for (const simulation::FleetPoint& point : curve.points) {
    const simulation::FleetOutcome& outcome = point.outcome;
    table.add({std::to_string(point.fleet.workers), std::to_string(point.fleet.sessions),
               std::to_string(point.fleet.batch), base::clock_text(outcome.wall_seconds),
               fmt::format("{:.1f}", outcome.trials_per_second()), base::percent_text(point.efficiency()),
               busy_text(outcome.controller_seconds, point), busy_text(outcome.redis_seconds, point),
               std::to_string(outcome.kills), std::to_string(outcome.deliveries - outcome.tasks),
               std::to_string(outcome.dead_letters)});
  }
  return base::write<base::Terminal>("\n{}\n", curve.name) + table.text();
}

std::string capacity_text(double workers) {
  return std::isfinite(workers) ? base::count_text(std::llround(workers)) : std::string("any number of");
}

void print_scaling(const simulation::FleetScaling& scaling) {
  const simulation::SimulatedFleet& fleet = scaling.asked.fleet;
  print("costs       {}: {} trials, mean build {}, mean run {}\n", scaling.recording,
        base::count_text(static_cast<std::int64_t>(scaling.recorded)), base::time_text(scaling.build_seconds),
        base::time_text(scaling.run_seconds));
  print("efficiency  {} of the time of {} workers is work: {} sessions, batches of {}, {} queue latency\n",
        base::percent_text(scaling.asked.efficiency()), fleet.workers, fleet.sessions, fleet.batch,
        base::time_text(fleet.queue_seconds));
  print("ends        one controller carries {} workers, {} Redis {}, {} threads that search {}\n",
        capacity_text(scaling.capacity.controller_workers), fleet.redis_servers,
        capacity_text(scaling.capacity.redis_workers), fleet.search_threads,
        capacity_text(scaling.capacity.search_workers));
  for (const simulation::FleetCurve& curve : scaling.by_workers) print(points_table(curve));
  print(points_table(scaling.for_each_worker));
  for (const simulation::FleetCurve& curve : scaling.by_batch) print(points_table(curve));
}

Result<int> run_fleet_simulation(const FleetSimulationOptions& options, const ReportWriter& write_report) {
  const auto scaling = std::make_shared<const simulation::FleetScaling>(
      TRY(simulation::simulate_scaling(TRY(scaling_request(options)))));
  options.json ? print_scaling_json(*scaling) : print_scaling(*scaling);
  if (options.report.out.empty()) return exit_done;
  ReportOptions report = options.report;
  report.fleet = scaling;
  report.quiet = options.json;
  return write_report(report);
}

void add_load_options(CLI::App& app, FleetSimulationOptions& options) {
  simulation::SimulatedFleet& fleet = options.request.fleet;
  const auto add = [&](const char* name, std::size_t& value, const std::string& text,
                       std::uint64_t least = 1) {
    app.add_option(name, value, fmt::format("{} (default: {})", text, value))
        ->type_name("N")
        ->check(whole_in_range(least, max_simulated));
  };
  add("--workers", fleet.workers, "Number of workers of the fleet");
  add("--up-to", options.up_to, "Largest number of workers in the curves");
  add("--sessions", fleet.sessions, "Concurrent sessions");
  add("--batch", fleet.batch, "Candidates per batch of a tuner");
  add("--trials", fleet.trials, "Trials per session");
  add("--redis", fleet.redis_servers, "Number of Redis servers that share the tasks, one per device class");
  add("--search-threads", fleet.search_threads, "Concurrent tuners on the controller's machine");
  app.add_option("--builder-share", options.request.builder_share,
                 "Share of workers that only build, while the others only run; 0: each does both (default)")
      ->type_name("X")
      ->check(in_range(0, 0.99));
}

void add_rate_options(CLI::App& app, FleetSimulationOptions& options) {
  simulation::SimulatedFleet& fleet = options.request.fleet;
  const auto add = [&](const char* name, double& value, const std::string& text, double least = 0) {
    app.add_option(name, value, fmt::format("{} (default: {:g})", text, value))
        ->type_name("X")
        ->check(in_range(least, max_option));
  };
  add("--queue-ms", options.queue_ms, "Round-trip time of an empty task; 50: between cities");
  add("--redis-rate", options.redis_tasks_per_second, "Tasks per second of one Redis server", milli);
  add("--controller-rate", options.controller_trials_per_second, "Trials per second of the controller",
      milli);
  add("--search-ms", options.search_ms, "Search time of a tuner per candidate");
  add("--kill-minutes", options.kill_minutes, "Mean time between two kills of a worker; 0: no kills");
  add("--restart-seconds", fleet.restart_seconds, "Time until a killed worker takes tasks again");
  add("--lease-seconds", fleet.lease_seconds,
      "Time after the last heartbeat until a task is given to another worker", milli);
  add("--object-bytes", fleet.object_bytes, "Size of a built kernel");
}

}  // namespace

Command add_fleet_simulation(CLI::App& fleet, ReportWriter write_report) {
  auto options = std::make_shared<FleetSimulationOptions>();
  CLI::App* app = fleet.add_subcommand(
      "simulate", "Simulate a fleet of up to 1,000 workers with recorded costs, and find its bottlenecks");
  app->add_option("RECORDING", options->recording,
                  "A recorded space: a file, or a name or number in the database (default: resnet18/C6)");
  add_load_options(*app, *options);
  add_rate_options(*app, *options);
  app->add_option("--seed", options->request.fleet.seed,
                  "Seed of the order of trials, and of kills (default: 1)")
      ->type_name("S")
      ->check(whole_in_range(0, largest_seed));
  app->add_option("--out", options->report.out, "Also write a report with charts: .html or .pdf")
      ->type_name("FILE");
  add_force_option(*app, options->report.force);
  add_database_option(*app, options->report.database);
  add_json_option(*app, options->json);
  return {app, [options, write_report = std::move(write_report)] {
            return run_fleet_simulation(*options, write_report);
          }};
}

}  // namespace kernelscape::command_line
