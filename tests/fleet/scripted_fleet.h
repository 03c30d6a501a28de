#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "core/base/random.h"
#include "core/fleet/measurer.h"
#include "core/fleet/messages.h"
#include "core/fleet/worker.h"
#include "core/kernel/family.h"
#include "core/loop_nest/layout.h"
#include "core/space/configuration.h"
#include "core/task/task.h"
#include "tests/fleet/redis_server.h"

/** Kernels that are texts, workers that "build" and "run" them by a script, and what must come out. */
namespace kernelscape::fleet_tests {

inline schedule::TargetDescription scripted_target() {
  schedule::TargetDescription target;
  target.device = "a scripted processor";
  target.isa = "avx2";
  target.compiler = "cc";
  target.compiler_version = "scripted 1.0";
  target.flags = {"-O2", "-march=native"};
  return target;
}

inline fleet::DeviceClass scripted_class() {
  fleet::DeviceClass device;
  device.id = "scripted";
  device.target = scripted_target();
  device.tool_chain = "scripted-tools";
  device.native_flags = {"-march=scripted"};
  return device;
}

/** Its source is the configuration. */
class ScriptedFamily final : public kernel::Family {
 public:
  explicit ScriptedFamily(space::SearchSpace space) : space_(std::move(space)) {}
  const task::Task& task() const override { return task_; }
  const space::SearchSpace& space() const override { return space_; }
  Result<codegen::KernelSource> source(const space::Configuration& configuration) const override {
    codegen::KernelSource source;
    source.entry = "kernel";
    for (const std::uint32_t index : configuration.indices) source.text += std::to_string(index) + " ";
    const auto add = [&](const task::TensorAccess& tensor, bool output) {
      source.arguments.push_back(
          {tensor.tensor, "f32", output, loop_nest::row_major(tensor.tensor, tensor.shape)});
    };
    for (const task::TensorAccess& input : task_.op->inputs) add(input, false);
    add(task_.op->output, true);
    return source;
  }

 private:
  task::Task task_ = *task::parse_task("matmul 64x48 48x32 f32");
  space::SearchSpace space_;
};

/** What a kernel of this text gives, wherever it is built and run. */
inline bool builds(const std::string& text) { return base::stable_hash(text) % 8 != 0; }
inline double seconds_of(const std::string& text) {
  return 1e-4 * (1 + static_cast<double>(base::stable_hash(text) % 1000) * 1e-3);
}

/** How long the script lets things take, and what goes wrong. */
struct Script {
  std::chrono::microseconds build_time{0};
  std::chrono::microseconds run_time{0};
  std::function<Status()> before_build{};  ///< an error is the machine's fault
  std::function<Status()> before_run{};
  /** Factor by which the machine is slower in a run; empty: it has no speed probe. */
  std::function<double()> slowdown{};
  std::function<bool()> machine_waits{};           ///< whether the machine is slow, so that no task is taken
  std::function<bool()> machine_slow{};            ///< whether it is slow, but takes tasks again
  measure::MachineConditions conditions{};         ///< what the machine reports after each run
  std::function<std::string()> library_problem{};  ///< why the library has no result now; empty: it has one
  std::function<std::string()> library_name{};     ///< of the fastest library now
};

/** The speed probe's usual times on the machines of the script. */
inline constexpr trial::ProbeSeconds scripted_probe{.compute = 1e-3, .memory = 1.2e-3};

/** Sleeps so long; false where it was interrupted. */
inline bool pass_time(std::chrono::microseconds time, const measure::Interruption& interruption) {
  const auto end = std::chrono::steady_clock::now() + time;
  while (std::chrono::steady_clock::now() < end) {
    if (interruption.now()) return false;
    std::this_thread::sleep_for(std::min<std::chrono::microseconds>(time, std::chrono::milliseconds(5)));
  }
  return true;
}

class ScriptedBuilder final : public fleet::BuildExecutor {
 public:
  explicit ScriptedBuilder(Script script) : script_(std::move(script)) {}
  Result<std::optional<measure::BuildReply>> build(const measure::BuildRequest& request,
                                                   const measure::Interruption& interruption) override {
    if (script_.before_build) TRY(script_.before_build());
    if (!pass_time(script_.build_time, interruption)) return std::nullopt;
    measure::BuildReply reply{
        .status = measure::BuildStatus::Built, .artefact = "built " + request.text, .seconds = 0.5};
    if (builds(request.text)) return reply;
    return measure::BuildReply{
        .status = measure::BuildStatus::Failed, .message = "scripted failure", .seconds = 0.5};
  }

 private:
  Script script_;
};

class ScriptedRunner final : public fleet::RunExecutor {
 public:
  explicit ScriptedRunner(Script script) : script_(std::move(script)) {}
  Status prepare(const measure::PrepareRequest&, const measure::Interruption&) override { return {}; }
  Result<std::optional<measure::RunReply>> run(const measure::RunRequest& request,
                                               const measure::Interruption& interruption) override {
    if (script_.before_run) TRY(script_.before_run());
    if (!pass_time(script_.run_time, interruption)) return std::nullopt;
    const double seconds = seconds_of(request.artefact.substr(6));
    measure::RunReply reply;
    reply.measurement.samples_seconds = {1.01 * seconds, seconds, 0.99 * seconds};
    reply.measurement.run_seconds = 2;
    reply.machine = script_.conditions;
    if (script_.slowdown) slow_down(reply.measurement);
    return reply;
  }
  fleet::MachinePace pace() const override {
    const bool waits = script_.machine_waits && script_.machine_waits();
    const bool slow = waits || (script_.machine_slow && script_.machine_slow());
    return slow ? fleet::MachinePace{.speed = {0.3, 0.4}, .slow = true, .waits = waits}
                : fleet::MachinePace();
  }
  Status wait_for_machine(const measure::Interruption& interruption) override {
    while (pace().waits && pass_time(std::chrono::milliseconds(1), interruption)) {
    }
    return {};
  }
  Result<std::optional<measure::BaselineReply>> measure_baseline(const measure::BaselineRequest&,
                                                                 const measure::Interruption&) override {
    measure::BaselineReply reply;
    if (script_.library_problem) reply.result.reason = script_.library_problem();
    if (!reply.result.reason.empty()) return reply;
    reply.result.name = script_.library_name ? script_.library_name() : "a scripted library";
    reply.result.samples_seconds = {1e-4};
    return reply;
  }

 private:
  void slow_down(trial::Measurement& measurement) {
    const double slowdown = script_.slowdown();
    for (double& seconds : measurement.samples_seconds) seconds *= slowdown;
    const double before = slowdown * (1 + 1e-5 * ++readings_);
    const double after = slowdown * (1 + 1e-5 * ++readings_);
    measurement.compute_probe_before_seconds = scripted_probe.compute * before;
    measurement.memory_probe_before_seconds = scripted_probe.memory * before;
    measurement.compute_probe_after_seconds = scripted_probe.compute * after;
    measurement.memory_probe_after_seconds = scripted_probe.memory * after;
  }

  Script script_;
  int readings_ = 0;
};

/** Whether this is what the script gives for the configuration. */
inline bool is_scripted(const ScriptedFamily& family, const space::Configuration& configuration,
                        const trial::Measurement& measurement) {
  const std::string text = family.source(configuration)->text;
  if (!builds(text)) return measurement.category == trial::ErrorCategory::CompileHost;
  return measurement.valid() && measurement.median_seconds() == seconds_of(text);
}

inline fleet::WorkerSetup worker_setup(const fleet::Access& access, const std::string& id, int builders,
                                       bool device, Script script = {}) {
  fleet::WorkerSetup setup;
  setup.address = access.address;
  setup.secret = access.secret;
  setup.times = access.times;
  setup.patience_seconds = 20;
  setup.identity.id = id;
  setup.identity.host = "here";
  setup.identity.process_id = getpid();
  setup.identity.protocol = fleet::fleet_protocol;
  setup.identity.builders = builders;
  setup.identity.tool_chains = {scripted_class().tool_chain};
  if (device) setup.identity.devices = {scripted_class()};
  setup.identity.reference_seconds = 1e-3;
  setup.executors.builder = [script] { return std::make_unique<ScriptedBuilder>(script); };
  setup.executors.runner = [script] { return std::make_unique<ScriptedRunner>(script); };
  return setup;
}

/** A worker in a thread of this process, until it is asked to leave. */
class ThreadWorker {
 public:
  explicit ThreadWorker(fleet::WorkerSetup setup) {
    setup.stop = [this] { return stop_.load(); };
    thread_ = std::thread([this, setup = std::move(setup)] { result_ = fleet::serve_fleet(setup); });
  }
  ThreadWorker(const ThreadWorker&) = delete;
  ThreadWorker& operator=(const ThreadWorker&) = delete;
  ~ThreadWorker() { leave(); }

  /** How it ended. */
  Status leave(int level = 1) {
    stop_ = level;
    if (thread_.joinable()) thread_.join();
    return result_;
  }

 private:
  std::atomic<int> stop_ = 0;
  Status result_;
  std::thread thread_;
};

/** Collects a batch that was submitted; an error where it did not come in time. */
inline Result<std::vector<measure::Completed>> collect_all(measure::Measurer& measurer, std::size_t count,
                                                           double seconds = 30) {
  std::vector<measure::Completed> all;
  const measure::Deadline deadline = measure::deadline_after(seconds);
  while (all.size() < count) {
    if (std::chrono::steady_clock::now() >= deadline)
      return fail(ErrorCode::Environment, "only " + std::to_string(all.size()) + " results came");
    for (measure::Completed& done : TRY(measurer.collect(std::chrono::milliseconds(50))))
      all.push_back(std::move(done));
  }
  return all;
}

inline fleet::Measuring measuring_on(const fleet::Access& access) {
  fleet::Measuring measuring;
  measuring.access = access;
  measuring.device = scripted_class();
  return measuring;
}

}  // namespace kernelscape::fleet_tests
