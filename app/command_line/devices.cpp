#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "app/command_line/command.h"
#include "app/command_line/console.h"
#include "app/command_line/json_output.h"
#include "app/command_line/shared_options.h"
#include "app/command_line/stop_signals.h"
#include "core/base/numbers.h"
#include "core/base/text.h"
#include "core/measure/cpu/energy_counters.h"
#include "core/measure/device_lease.h"
#include "core/measure/gpu/gpu_target.h"
#include "core/measure/worker/confinement.h"
#include "core/session/machine_roofs.h"
#include "core/session/targets.h"

namespace kernelscape::command_line {
namespace {

using nlohmann::json;

constexpr std::int64_t kibibyte = 1024;

struct DevicesOptions {
  bool json = false;
  bool ceilings = false;
  int threads = 0;  ///< 0: all cores
  std::string database;
};

std::string format_gibibytes(std::int64_t bytes) {
  constexpr double gibibyte = 0x1p30;
  return fmt::format("{:.1f} GiB", static_cast<double>(bytes) / gibibyte);
}

void print_line(std::string_view name, const std::string& text) { print("  {:<14}{}\n", name, text); }

void print_state(const schedule::TargetDescription& target) {
  const std::optional<std::string> holder = measure::DeviceLease::holder_of(session::leased_device(target));
  print_line("state", holder ? "in use by " + *holder : "free");
}

std::string confinement_text() {
  const measure::ConfinementSupport support = measure::confinement_support();
  if (support.switched_off)
    return "off (KERNELSCAPE_CONFINEMENT): kernels have only limits of time and memory";
  const std::vector<std::string> refused = measure::refused_to_kernels(support);
  if (refused.empty()) return "none: this system has only limits of time and memory for kernels";
  return "kernels can't " + base::join(refused, ", ");
}

/** Returns the counters from which trials get the metric energy, or why there is none. */
std::string energy_text() {
  const measure::EnergyCounters counters = measure::EnergyCounters::open();
  if (!counters.available()) return "not measured: " + counters.problem();
  return fmt::format("RAPL counters {}", base::join(counters.names(), ", "));
}

void print_cpu(const schedule::TargetDescription& target) {
  print("{}  {}\n", target.name, target.device);
  print_line("instructions", fmt::format("{}, {} registers of {} bits", target.instructions(),
                                         target.vector_registers, target.vector_bits));
  print_line("cores", fmt::format("{}", target.cores));
  print_line("caches", fmt::format("L1 {} KiB, L2 {} KiB, L3 {} KiB", target.l1_bytes / kibibyte,
                                   target.l2_bytes / kibibyte, target.l3_bytes / kibibyte));
  print_line("compiler", target.compiler.empty()
                             ? "none: kernels can't be built; install gcc or set CC"
                             : fmt::format("{} ({})", target.compiler, target.compiler_version));
  print_line("flags", base::join(target.flags, " "));
  print_line("confinement", confinement_text());
  print_line("energy", energy_text());
  print_state(target);
}

std::string memory_text(const measure::ProbedDevice& device) {
  if (device.target.memory_bytes <= 0) return "the host's";
  std::string all = format_gibibytes(device.target.memory_bytes);
  if (device.free_memory_bytes <= 0) return all;
  return fmt::format("{}, {} free", all, format_gibibytes(device.free_memory_bytes));
}

void print_gpu(const measure::ProbedDevice& device) {
  const schedule::TargetDescription& target = device.target;
  print("\n{}  {}{}\n", target.name, target.device, target.host_device ? " (this machine's processor)" : "");
  print_line("architecture", fmt::format("{}, {}", target.isa, cores_text(target)));
  print_line("block limits",
             fmt::format("{} threads, {} x {} x {}, {} KiB of shared memory", target.threads_per_block,
                         target.block_x, target.block_y, target.block_z, target.shared_bytes / kibibyte));
  print_line("memory", memory_text(device));
  print_line("driver", target.driver_version);
  if (!target.compiler.empty())
    print_line("compiler", fmt::format("{} {}", target.compiler, target.compiler_version));
  print_state(target);
}

void print_missing(const measure::ProbedPlatform& platform) {
  print("\n{}  none: {}\n", schedule::to_string(platform.kind), platform.problem);
  if (!platform.hint.empty()) print("  {}\n", platform.hint);
  if (platform.kind != schedule::TargetKind::Cuda) return;
  print("  without one --target cuda --arch SM --build-only builds kernels for {}\n",
        base::join(measure::cuda_architectures(), ", "));
}

/** A target's description, and who uses it. */
json device_object(const schedule::TargetDescription& target) {
  json object = json::parse(schedule::target_to_json(target), nullptr, false);
  const std::optional<std::string> holder = measure::DeviceLease::holder_of(session::leased_device(target));
  object["platform"] = schedule::to_string(target.kind);
  object["in_use_by"] = holder ? json(*holder) : json();
  return object;
}

json cpu_object(const schedule::TargetDescription& target) {
  json object = device_object(target);
  object["refused_to_kernels"] = measure::refused_to_kernels(measure::confinement_support());
  const measure::EnergyCounters counters = measure::EnergyCounters::open();
  object["energy_counters"] = counters.names();
  object["energy_problem"] = counters.available() ? json() : json(counters.problem());
  return object;
}

json gpu_object(const measure::ProbedDevice& device) {
  json object = device_object(device.target);
  object["free_memory_bytes"] = device.free_memory_bytes > 0 ? json(device.free_memory_bytes) : json();
  return object;
}

json missing_object(const measure::ProbedPlatform& platform) {
  return {{"name", schedule::to_string(platform.kind)},
          {"platform", schedule::to_string(platform.kind)},
          {"problem", platform.problem},
          {"hint", with_commands(platform.hint)}};
}

void print_devices_json(const schedule::TargetDescription& cpu,
                        const std::vector<measure::ProbedPlatform>& platforms) {
  print_json_line(cpu_object(cpu));
  for (const measure::ProbedPlatform& platform : platforms) {
    for (const measure::ProbedDevice& device : platform.devices) print_json_line(gpu_object(device));
    if (platform.devices.empty()) print_json_line(missing_object(platform));
  }
}

void print_devices(const schedule::TargetDescription& cpu,
                   const std::vector<measure::ProbedPlatform>& platforms) {
  print_cpu(cpu);
  for (const measure::ProbedPlatform& platform : platforms) {
    for (const measure::ProbedDevice& device : platform.devices) print_gpu(device);
    if (platform.devices.empty()) print_missing(platform);
  }
}

void print_ceilings(const trial::MachineCeilings& ceilings) {
  print("\nceilings with {}\n",
        ceilings.threads == 1 ? "1 thread" : fmt::format("{} threads", ceilings.threads));
  for (const trial::PeakKind kind : {trial::PeakKind::MultiplyAdds, trial::PeakKind::ByteProducts})
    print_line(trial::to_string(kind), base::quantity_text(ceilings.peak(kind), "GFLOPS"));
  for (const trial::LevelCeiling& level : ceilings.levels) {
    print_line(base::to_string(level.level),
               fmt::format("{}, reading {}", trial::bandwidth_text(level.bytes_per_second),
                           base::bytes_text(level.working_set_bytes)));
  }
  for (const std::string& notice : ceilings.notices) print_note(notice);
}

void print_ceilings_json(const schedule::TargetDescription& cpu, const trial::MachineCeilings& ceilings) {
  json object = json::parse(trial::machine_ceilings_to_json(ceilings), nullptr, false);
  object["name"] = cpu.name;
  object["device"] = cpu.device;
  object["isa"] = cpu.isa;
  print_json_line(object);
}

/** Measures the processor alone: GPUs are not asked for. */
Result<int> run_ceilings(const DevicesOptions& options, const schedule::TargetDescription& cpu) {
  store::Store store = TRY(open_store(options.database, store::OpenMode::ReadWrite));
  const int threads = options.threads > 0 ? options.threads : static_cast<int>(cpu.cores);
  const trial::MachineCeilings ceilings =
      TRY(session::measure_ceilings(store, cpu, threads, stop_on_signals()));
  options.json ? print_ceilings_json(cpu, ceilings) : print_ceilings(ceilings);
  return exit_done;
}

Result<int> run_devices(const DevicesOptions& options) {
  const schedule::TargetDescription cpu = TRY(measure::describe_cpu_target(measure::CompilerNeed::Optional));
  if (options.ceilings) return run_ceilings(options, cpu);
  const std::vector<measure::ProbedPlatform> platforms = TRY(measure::probe_gpu_platforms());
  options.json ? print_devices_json(cpu, platforms) : print_devices(cpu, platforms);
  return exit_done;
}

}  // namespace

Command add_devices_command(CLI::App& program) {
  auto options = std::make_shared<DevicesOptions>();
  CLI::App* app =
      program.add_subcommand("devices", "Targets of this machine: the processor, GPUs, their state");
  CLI::Option* ceilings =
      app->add_flag("--ceilings", options->ceilings,
                    "Instead measure the processor's ceilings, as soon as no other process uses it: FMA "
                    "peak, int8 peak, and the bandwidths of L1, L2, L3 and memory; stored in the database "
                    "for rooflines of kernels with the same number of threads");
  app->add_option("--threads", options->threads,
                  "With --ceilings: number of measuring threads; 0: all cores (default)")
      ->needs(ceilings)
      ->check(whole_in_range(0, 4096));
  add_database_option(*app, options->database);
  add_json_option(*app, options->json);
  return {app, [options] { return run_devices(*options); }};
}

}  // namespace kernelscape::command_line
