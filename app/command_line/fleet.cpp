#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <tuple>

#include "app/command_line/command.h"
#include "app/command_line/console.h"
#include "app/command_line/fleet_simulate.h"
#include "app/command_line/json_output.h"
#include "app/command_line/shared_options.h"
#include "core/base/numbers.h"
#include "core/base/text.h"
#include "core/fleet/acl.h"
#include "core/fleet/jobs.h"
#include "core/fleet/state.h"
#include "core/fleet/target.h"

namespace kernelscape::command_line {
namespace {

using nlohmann::json;

struct FleetOptions {
  std::string address;
  fleet::SecretFiles secrets;
  bool json = false;
  std::string worker;  ///< to drain
  bool all = false;
  std::string user = "kernelscape";
  std::string slurm_file;
  std::string ssh_file;
  std::string folder = ".";
  bool start = false;
};

Result<fleet::Access> access_of(const FleetOptions& options) {
  fleet::Access access;
  access.address = TRY(fleet::parse_redis_address(options.address));
  access.secret = TRY(fleet::read_fleet_secret(options.secrets));
  return access;
}

std::string device_text(const fleet::WorkerIdentity& identity) {
  if (identity.devices.empty()) return "-";
  return identity.devices.front().id;
}

json worker_object(const fleet::WorkerState& worker) {
  const fleet::WorkerIdentity& identity = worker.identity;
  return {{"worker", identity.id},
          {"host", identity.host},
          {"class", identity.devices.empty() ? json() : json(identity.devices.front().id)},
          {"builders", identity.builders},
          {"tool_chains", identity.tool_chains},
          {"protocol", identity.protocol},
          {"state", worker.state},
          {"load", worker.load},
          {"done", worker.done},
          {"deliveries", worker.deliveries},
          {"temperature_celsius", worker.temperature_celsius > 0 ? json(worker.temperature_celsius) : json()},
          {"reference_seconds", identity.reference_seconds > 0 ? json(identity.reference_seconds) : json()},
          {"seen_seconds", worker.seen_seconds},
          {"message", worker.message}};
}

void print_state_json(const fleet::State& state) {
  json workers = json::array();
  for (const fleet::WorkerState& worker : state.workers) workers.push_back(worker_object(worker));
  json queues = json::array();
  for (const fleet::Queue& queue : state.queues)
    queues.push_back({{"name", queue.name},
                      {"kind", queue.builds ? "build" : "run"},
                      {"waiting", queue.waiting},
                      {"in_hand", queue.in_hand}});
  json dead = json::array();
  for (const fleet::DeadLetter& letter : state.dead)
    dead.push_back({{"task", letter.task},
                    {"worker", letter.worker},
                    {"reason", letter.reason},
                    {"utc", base::utc_text(static_cast<std::time_t>(letter.seconds))}});
  print_json_line({{"address", state.address},
                   {"workers", workers},
                   {"queues", queues},
                   {"dead_letters", dead},
                   {"used_bytes", state.used_bytes},
                   {"most_bytes", state.max_bytes > 0 ? json(state.max_bytes) : json()}});
}

void print_workers(const fleet::State& state) {
  TextTable table({"class", "worker", "builders", "state", "load", "done", "deliveries", "seen"});
  for (const std::string& name : state.classes()) {
    for (const fleet::WorkerState& worker : state.workers) {
      if (device_text(worker.identity) != name) continue;
      table.add({name, worker.identity.id, std::to_string(worker.identity.builders), worker.state,
                 base::percent_text(worker.load), std::to_string(worker.done),
                 std::to_string(worker.deliveries), base::duration_text(worker.seen_seconds)});
    }
  }
  for (const fleet::WorkerState& worker : state.workers) {
    if (!worker.identity.devices.empty()) continue;
    table.add({"(builds only)", worker.identity.id, std::to_string(worker.identity.builders), worker.state,
               base::percent_text(worker.load), std::to_string(worker.done),
               std::to_string(worker.deliveries), base::duration_text(worker.seen_seconds)});
  }
  print(table.text());
  for (const fleet::WorkerState& worker : state.workers)
    if (!worker.message.empty()) print("{}: {}\n", worker.identity.id, worker.message);
}

void print_state(const fleet::State& state) {
  print("fleet at {}\n", state.address);
  if (state.workers.empty()) {
    print("no worker has joined: kernelscape-worker --join {}\n", state.address);
  } else {
    print("\n");
    print_workers(state);
  }
  if (!state.queues.empty()) {
    TextTable table({"queue", "of", "waiting", "in flight"});
    for (const fleet::Queue& queue : state.queues)
      table.add({queue.builds ? "build" : "run", queue.name, base::count_text(queue.waiting),
                 base::count_text(queue.in_hand)});
    print("\n");
    print(table.text());
  }
  if (!state.dead.empty()) {
    TextTable table({"dead letter", "at", "reported by", "reason"});
    for (const fleet::DeadLetter& letter : state.dead)
      table.add({letter.task, base::utc_text(static_cast<std::time_t>(letter.seconds)), letter.worker,
                 letter.reason});
    print("\n");
    print(table.text());
  }
}

Result<int> run_status(const FleetOptions& options) {
  const fleet::Access access = TRY(access_of(options));
  fleet::RedisConnection connection = TRY(access.connect());
  const fleet::State state = TRY(fleet::read_fleet_state(connection, access.times));
  options.json ? print_state_json(state) : print_state(state);
  return exit_done;
}

Result<int> run_drain(const FleetOptions& options) {
  if (options.worker.empty() == !options.all)
    return fail(ErrorCode::InvalidArgument, "no worker is named", "name a worker, or add --all");
  const fleet::Access access = TRY(access_of(options));
  fleet::RedisConnection connection = TRY(access.connect());
  std::vector<std::string> workers{options.worker};
  if (options.all) {
    workers.clear();
    for (const fleet::WorkerState& worker :
         TRY(fleet::list_workers(connection, fleet::silent_leases * access.times.lease_seconds)))
      if (worker.serves()) workers.push_back(worker.identity.id);
  }
  for (const std::string& worker : workers) {
    TRY(fleet::ask_to_drain(connection, worker));
    print("{} finishes its tasks, then leaves\n", worker);
  }
  if (workers.empty()) print("no worker serves\n");
  return exit_done;
}

Result<int> run_acl(const FleetOptions& options) {
  print("{}\n", fleet::acl_line(options.user));
  return exit_done;
}

Result<int> run_up(const FleetOptions& options) {
  if (options.slurm_file.empty() == options.ssh_file.empty())
    return fail(ErrorCode::InvalidArgument, "there is no file that describes the workers",
                "add --slurm FILE or --ssh FILE");
  std::ignore = TRY(fleet::parse_redis_address(options.address));
  const bool slurm = !options.slurm_file.empty();
  const fleet::JobPlan plan = TRY(fleet::read_job_plan(slurm ? options.slurm_file : options.ssh_file));
  const std::vector<fleet::JobScript> scripts =
      slurm ? fleet::slurm_scripts(plan, options.address) : fleet::ssh_scripts(plan, options.address);
  TRY(fleet::write_job_scripts(scripts, options.folder));
  for (const fleet::JobScript& script : scripts)
    print("{}/{}: {}\n", options.folder, script.name, script.summary);
  print("add this line to the users.acl of Redis, with a password in place of PASSWORD:\n{}\n",
        fleet::acl_line(options.user));
  if (options.start) TRY(fleet::start_jobs(scripts, options.folder, slurm));
  return exit_done;
}

void add_address(CLI::App& app, FleetOptions& options) {
  app.add_option("ADDRESS", options.address, "The Redis of the fleet: redis://[user@]host[:port][/database]")
      ->required();
}

void add_secrets(CLI::App& app, FleetOptions& options) {
  app.add_option(
         "--password-file", options.secrets.password_file,
         fmt::format(
             "A file whose first line is the password of Redis (default: ${}, or the file that ${} names)",
             fleet::password_variable, fleet::password_file_variable))
      ->type_name("FILE");
}

}  // namespace

Command add_fleet_command(CLI::App& program, ReportWriter write_report) {
  auto options = std::make_shared<FleetOptions>();
  CLI::App* app = program.add_subcommand("fleet", "Machines that measure together through a Redis server");
  app->require_subcommand(1);
  CLI::App* status =
      app->add_subcommand("status", "Show the workers by class, the queues, and failed tasks (dead letters)");
  add_address(*status, *options);
  add_secrets(*status, *options);
  add_json_option(*status, options->json);
  CLI::App* drain = app->add_subcommand("drain", "Let workers finish their tasks and leave");
  add_address(*drain, *options);
  drain->add_option("WORKER", options->worker, "A worker as named by `fleet status`");
  drain->add_flag("--all", options->all, "All workers that serve");
  add_secrets(*drain, *options);
  CLI::App* acl = app->add_subcommand(
      "acl", "Print the ACL line for a Redis user with only the permissions that a fleet needs");
  acl->add_option("--user", options->user, "The user's name (default: kernelscape)")->type_name("NAME");
  CLI::App* up = app->add_subcommand("up", "Write scripts that start workers on other machines");
  add_address(*up, *options);
  up->add_option("--slurm", options->slurm_file, "Workers as Slurm jobs, described by this JSON file")
      ->type_name("FILE");
  up->add_option("--ssh", options->ssh_file, "Workers over ssh, described by this JSON file")
      ->type_name("FILE");
  up->add_option("--out", options->folder, "The folder for the scripts (default: this one)")
      ->type_name("FOLDER");
  up->add_option("--user", options->user, "The Redis user in the printed ACL line (default: kernelscape)")
      ->type_name("NAME");
  up->add_flag("--start", options->start, "Also start the workers; requires sbatch or ssh");
  const Command simulate = add_fleet_simulation(*app, std::move(write_report));
  return {app, [=]() -> Result<int> {
            if (status->parsed()) return run_status(*options);
            if (drain->parsed()) return run_drain(*options);
            if (acl->parsed()) return run_acl(*options);
            if (simulate.app->parsed()) return simulate.run();
            return run_up(*options);
          }};
}

}  // namespace kernelscape::command_line
