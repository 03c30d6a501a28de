#include <fmt/format.h>

#include "core/measure/cpu/machine_limits.h"
#include "core/measure/gpu/gpu_target.h"
#include "tests/gpu/parts.h"
#include "tests/gpu/tuning_child.h"

namespace kernelscape::gpu_proof {
namespace {

using nlohmann::json;

/** So much is read again and again: what an L2 holds, and what it does not. */
constexpr double small_bytes = 1e6;
constexpr double large_bytes = 1e9;

/** What every device is, as `kernelscape devices` says it. */
void list_devices(const Settings& settings, PartResult& result) {
  std::string problem;
  for (const json& line : json_lines_of(settings, {"devices"}, 120, problem)) {
    json row;
    for (const char* field : {"name", "device", "isa", "driver_version", "compiler_version", "cores",
                              "memory_bytes", "free_memory_bytes", "in_use_by", "problem", "hint"})
      if (line.contains(field) && !line[field].is_null() && line[field] != "") row[field] = line[field];
    result.add_row("devices", std::move(row));
    if (line.contains("problem") && line["problem"].is_string())
      result.note(fmt::format("{}: {}", line.value("name", "?"), line["problem"].get<std::string>()));
  }
  if (!problem.empty()) result.fail("kernelscape devices", problem);
}

void measure_ceilings(const Settings& settings, PartResult& result) {
  const Result<schedule::TargetDescription> target = measure::describe_gpu_target(settings.device);
  if (!target) {
    result.fail("the device " + settings.device, describe(target.error()));
    return;
  }
  result.set("device", target->device);
  result.set("driver", target->driver_version);
  result.set("architecture", target->isa);
  result.set("compiler", target->compiler + " " + target->compiler_version);
  const trial::MachineLimits small = measure::measure_machine_limits(*target, 1, small_bytes);
  const trial::MachineLimits large = measure::measure_machine_limits(*target, 1, large_bytes);
  result.set("peak f32 GFLOP/s", large.peak_gflops);
  result.set("read 1 MB GB/s", small.bandwidth_bytes_per_second / 1e9);
  result.set("read 1 GB GB/s", large.bandwidth_bytes_per_second / 1e9);
  if (large.peak_gflops <= 0) result.fail("ceilings", "the device's peak can't be measured");
}

/** A first session. @param name of its row */
TuningEnded first_session(const Settings& settings, PartResult& result, const std::string& name) {
  TuningEnded ended =
      run_tuning(settings,
                 {"tune", settings.fake ? "matmul 32x32 32x32 f32" : "matmul 512x512 512x512 f32", "--target",
                  settings.device, "--tuner", "random", "--trials", "8", "--seed", "1", "--db",
                  settings.kept_file("first.db").string()},
                 90);
  result.add_row("first session", {{"how", name},
                                   {"trials", ended.trials()},
                                   {"categories", ended.categories()},
                                   {"best GFLOP/s", ended.best_gflops()},
                                   {"vendor GFLOP/s", ended.vendor_gflops()},
                                   {"vendor", ended.vendor_reason()},
                                   {"problem", ended.problem}});
  result.save();
  return ended;
}

/** Whether kernels run as they do for everybody; if not, whether it is their confinement that is in the way.
 */
void try_confinement(const Settings& settings, PartResult& result) {
  const TuningEnded usual = first_session(settings, result, "confined");
  if (usual.valid_trials() > 0) return;
  result.fail("the first session", usual.problem.empty() ? usual.categories().dump() : usual.problem);
  setenv("KERNELSCAPE_CONFINEMENT", "off", 1);
  const TuningEnded unconfined = first_session(settings, result, "KERNELSCAPE_CONFINEMENT=off");
  if (unconfined.valid_trials() == 0) {
    unsetenv("KERNELSCAPE_CONFINEMENT");
    return;
  }
  result.fail("confinement",
              "kernels run only with KERNELSCAPE_CONFINEMENT=off: the parts that follow have it");
  result.set_environment("KERNELSCAPE_CONFINEMENT", "off");
}

}  // namespace

void run_devices(const Settings& settings, PartResult& result) {
  list_devices(settings, result);
  result.save();
  measure_ceilings(settings, result);
  result.save();
  if (result.content()["numbers"].contains("device")) try_confinement(settings, result);
  result.done();
}

}  // namespace kernelscape::gpu_proof
