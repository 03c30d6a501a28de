#include "app/fleet_worker_main.h"

#include <fmt/format.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/fleet/device_class.h"
#include "core/fleet/local_executor.h"
#include "core/fleet/machine_arbiter.h"
#include "core/fleet/messages.h"
#include "core/fleet/reference_kernel.h"
#include "core/fleet/signature.h"
#include "core/fleet/worker.h"
#include "core/measure/cpu/cpu_target.h"
#include "core/measure/gpu/gpu_target.h"
#include "core/measure/worker/openmp_environment.h"

namespace kernelscape::app {
namespace {

constexpr int exit_left = 0;
constexpr int exit_refused = 1;
constexpr int exit_wrong_usage = 2;
constexpr int exit_try_again = 75;  // EX_TEMPFAIL: job scripts start such a worker again

std::atomic<int> stop_level = 0;

/** SIGTERM and Ctrl+C: running tasks are finished; the second signal releases them. */
void on_stop_signal(int) { stop_level = std::min(stop_level + 1, 2); }

void stop_on_signal() {
  struct sigaction action{};
  action.sa_handler = on_stop_signal;
  action.sa_flags = SA_RESTART;
  for (const int number : {SIGTERM, SIGINT, SIGUSR1}) sigaction(number, &action, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
}

struct JoinOptions {
  std::string address;
  std::optional<int> builders;
  std::string device = "cpu";
  fleet::SecretFiles secrets;
  double lease_seconds = 10;
  double reference_share = 5;  ///< percent
};

void add_join_options(CLI::App& program, JoinOptions& options) {
  program
      .add_option("--join", options.address, "The Redis of the fleet: redis://[user@]host[:port][/database]")
      ->type_name("ADDRESS")
      ->required();
  program.add_option("--builders", options.builders, "Kernels built concurrently (default: one per core)")
      ->type_name("N")
      ->check(CLI::Range(0, 1024));
  program
      .add_option("--device", options.device, "Device that runs kernels: cpu (default), cuda:0, ..., or none")
      ->type_name("DEVICE");
  program
      .add_option(
          "--password-file", options.secrets.password_file,
          fmt::format(
              "A file whose first line is the password of Redis (default: ${}, or the file that ${} names)",
              fleet::password_variable, fleet::password_file_variable))
      ->type_name("FILE");
  program
      .add_option(
          "--key-file", options.secrets.key_file,
          "A file whose first line is the key that signs tasks (default: a key derived from the password)")
      ->type_name("FILE");
  program
      .add_option("--lease", options.lease_seconds,
                  "Seconds without a heartbeat after which a task is given to another worker (default: 10); "
                  "must be equal for all workers of a fleet")
      ->type_name("S")
      ->check(CLI::Range(0.2, 3600.0));
  program
      .add_option("--class-share", options.reference_share,
                  "A device whose reference kernel differs by more than this percentage from the first "
                  "device of its class forms a separate class (default: 5)")
      ->type_name("PERCENT")
      ->check(CLI::Range(0.1, 1000.0));
}

void say(const std::string& text) { std::fprintf(stderr, "kernelscape-worker: %s\n", text.c_str()); }

std::string host_name() {
  std::array<char, 256> name{};
  gethostname(name.data(), name.size() - 1);
  return name.data();
}

Result<std::vector<schedule::TargetDescription>> find_device(const std::string& name) {
  std::vector<schedule::TargetDescription> devices;
  if (name == "cpu") {
    devices.push_back(TRY(measure::describe_cpu_target(measure::CompilerNeed::Required)));
  } else if (name != "none") {
    devices.push_back(TRY(measure::describe_gpu_target(name)));
  }
  return devices;
}

/** What this machine can build with: a target for each kind of tools. */
std::vector<schedule::TargetDescription> find_tools(const std::vector<schedule::TargetDescription>& devices) {
  std::vector<schedule::TargetDescription> tools = devices;
  const auto has = [&](schedule::TargetKind kind) {
    return std::ranges::find(tools, kind, &schedule::TargetDescription::kind) != tools.end();
  };
  if (!has(schedule::TargetKind::Cpu))
    if (auto host = measure::describe_cpu_target(measure::CompilerNeed::Required))
      tools.push_back(std::move(*host));
  if (!has(schedule::TargetKind::Cuda)) {
    auto cuda = measure::describe_cuda_architecture(measure::cuda_architectures().front());
    if (cuda && !cuda->compiler_version.empty()) tools.push_back(std::move(*cuda));
  }
  return tools;
}

std::string leased_name(const std::vector<schedule::TargetDescription>& devices) {
  if (devices.empty()) return {};
  return devices.front().host_device ? std::string("cpu") : devices.front().name;
}

Result<double> measure_reference(const schedule::TargetDescription& device, fleet::MachineArbiter& gate) {
  say(fmt::format("measuring the reference kernel on {}", device.name));
  measure::Interruption interruption;
  interruption.requested = [] { return stop_level > 0; };
  while (stop_level == 0) {
    const std::optional<fleet::MachineArbiter::Pass> pass = TRY(gate.begin_run(interruption));
    if (pass) return fleet::measure_reference_kernel(device, interruption.requested);
    if (stop_level == 0)
      say(fmt::format("waiting for {}: it is used by {}", device.name, gate.other_holder()));
  }
  return fail(ErrorCode::Refused, "stopped by the user");
}

fleet::WorkerIdentity identify(const JoinOptions& options,
                               const std::vector<schedule::TargetDescription>& devices,
                               const std::vector<schedule::TargetDescription>& tools) {
  fleet::WorkerIdentity identity;
  identity.host = host_name();
  identity.process_id = getpid();
  identity.id = fmt::format("{}-{}-{}", identity.host, options.device, fleet::draw_nonce().substr(0, 6));
  identity.protocol = fleet::fleet_protocol;
  for (const schedule::TargetDescription& device : devices)
    identity.devices.push_back(fleet::classify_device(device));
  const int cores = static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
  identity.builders = options.builders.value_or(cores);
  if (identity.builders > 0) identity.tool_chains = fleet::tool_chains_of(tools);
  return identity;
}

Status serve(const JoinOptions& options) {
  fleet::WorkerSetup setup;
  setup.address = TRY(fleet::parse_redis_address(options.address));
  setup.secret = TRY(fleet::read_fleet_secret(options.secrets));
  // Compilers and kernels are this process's children: they inherit no secret, and can't read its memory.
  fleet::forget_secret_variables();
  prctl(PR_SET_DUMPABLE, 0);
  setup.times.lease_seconds = options.lease_seconds;
  setup.reference_share = options.reference_share / 100;
  // Connection errors are reported before anything is measured.
  std::ignore = TRY(fleet::RedisConnection::open(setup.address, setup.secret.password));
  const std::vector<schedule::TargetDescription> devices = TRY(find_device(options.device));
  const std::vector<schedule::TargetDescription> tools = find_tools(devices);
  setup.identity = identify(options, devices, tools);
  fleet::MachineArbiter gate(leased_name(devices), fmt::format("a worker of a fleet, process {}", getpid()));
  if (!devices.empty()) {
    setup.identity.reference_seconds = TRY(measure_reference(devices.front(), gate));
    setup.measure_reference = [&] { return measure_reference(devices.front(), gate); };
  }
  setup.executors.builder = [&] { return fleet::make_local_builder(tools, gate); };
  setup.executors.runner = [&] { return fleet::make_local_runner(devices.front(), gate); };
  setup.stop = [] { return stop_level.load(); };
  setup.say = say;
  setup.other_holder = [&] { return gate.other_holder(); };
  if (!devices.empty() && devices.front().kind == schedule::TargetKind::Cuda)
    setup.temperature_celsius = [device = devices.front()] { return fleet::temperature_of(device); };
  say(fmt::format("worker {} joins {} with {} builders ({}){}", setup.identity.id, setup.address.text(),
                  setup.identity.builders, base::join(setup.identity.tool_chains, ", "),
                  devices.empty() ? std::string(" and no device")
                                  : fmt::format(" and {} of the class {}", devices.front().name,
                                                setup.identity.devices.front().id)));
  return fleet::serve_fleet(std::move(setup));
}

int exit_code_of(const Error& error) {
  switch (error.code) {
    case ErrorCode::InvalidArgument:
    case ErrorCode::NotFound:
      return exit_wrong_usage;
    case ErrorCode::Environment:
      return exit_try_again;
    default:
      return exit_refused;
  }
}

}  // namespace

int join_fleet(std::span<char* const> arguments) {
  CLI::App program(
      "Joins a fleet of Kernelscape: builds and runs kernels that controllers queue in its Redis server.",
      "kernelscape-worker");
  JoinOptions options;
  add_join_options(program, options);
  try {
    program.parse(static_cast<int>(arguments.size()), arguments.data());
  } catch (const CLI::ParseError& error) {
    const int code = program.exit(error);
    return code == 0 ? exit_left : exit_wrong_usage;
  }
  stop_on_signal();
  for (const std::string& notice : measure::drop_openmp_variables()) say(notice);
  const Status served = base::guarded("the worker", [&] { return serve(options); });
  if (!served) {
    say(describe(served.error()));
    return stop_level > 0 && served.error().code == ErrorCode::Refused ? exit_left
                                                                       : exit_code_of(served.error());
  }
  say("left the fleet");
  return exit_left;
}

}  // namespace kernelscape::app
