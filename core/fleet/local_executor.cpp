#include "core/fleet/local_executor.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "core/base/processors.h"
#include "core/fleet/speed_watch.h"
#include "core/kernel/family.h"
#include "core/measure/builder_pool.h"
#include "core/measure/machine_conditions.h"
#include "core/measure/runner.h"
#include "core/measure/vendor_runner.h"
#include "core/measure/waiting_machine.h"

namespace kernelscape::fleet {
namespace {

/**
 * Converts the outcome of a builder pool to the reply of a build worker. Returns an error if the failure was
 * not the compiler's.
 */
Result<measure::BuildReply> reply_of(measure::BuildOutcome outcome) {
  measure::BuildReply reply{.status = measure::BuildStatus::Failed,
                            .artefact = std::move(outcome.artefact),
                            .message = std::move(outcome.message),
                            .log = std::move(outcome.log),
                            .resources = outcome.resources,
                            .entry = std::move(outcome.entry),
                            .code_bytes = outcome.code_bytes,
                            .seconds = outcome.build_seconds};
  if (outcome.category == trial::ErrorCategory::UnknownError)
    return fail(ErrorCode::Environment, "a build worker violated its protocol: " + reply.message,
                "install kernelscape-worker again");
  if (outcome.category == trial::ErrorCategory::NoError) reply.status = measure::BuildStatus::Built;
  if (outcome.category == trial::ErrorCategory::BuildTimeout) reply.status = measure::BuildStatus::TimedOut;
  return reply;
}

class LocalBuilder final : public BuildExecutor {
 public:
  LocalBuilder(std::vector<schedule::TargetDescription> tools, MachineArbiter& gate)
      : tools_(std::move(tools)), gate_(gate) {}

  Result<std::optional<measure::BuildReply>> build(const measure::BuildRequest& request,
                                                   const measure::Interruption& interruption) override {
    const auto tools = std::ranges::find(tools_, request.dialect,
                                         [](const auto& target) { return kernel::dialect_of(target.kind); });
    // The C reference of a GPU's kernels is sent to builders that have the compiler of that GPU.
    if (tools == tools_.end())
      return measure::BuildReply{
          .status = measure::BuildStatus::Failed,
          .message = "the worker that got the build has no such compiler: install it there"};
    measure::BuildRequest here = request;
    here.compiler = tools->compiler;
    here.device = tools->name;
    const std::optional<MachineArbiter::Pass> pass = TRY(gate_.begin_build(interruption));
    if (!pass) return std::nullopt;
    std::optional<measure::BuildOutcome> outcome = TRY(pool_for(*tools).build_request(here, interruption));
    if (!outcome) return std::nullopt;
    return TRY(reply_of(std::move(*outcome)));
  }

 private:
  measure::BuilderPool& pool_for(const schedule::TargetDescription& tools) {
    std::unique_ptr<measure::BuilderPool>& pool = pools_[tools.kind];
    trial::MeasureOptions one;
    one.builders = 1;
    if (!pool) pool = std::make_unique<measure::BuilderPool>(tools, one);
    return *pool;
  }

  std::vector<schedule::TargetDescription> tools_;
  MachineArbiter& gate_;
  std::map<schedule::TargetKind, std::unique_ptr<measure::BuilderPool>> pools_;
};

class LocalRunner final : public RunExecutor {
 public:
  LocalRunner(schedule::TargetDescription device, MachineArbiter& gate)
      : device_(std::move(device)), gate_(gate) {}

  Status prepare(const measure::PrepareRequest& request, const measure::Interruption& interruption) override {
    runner_.reset();
    for (auto& [key, vendor] : vendors_) vendor.release();
    runner_.emplace(TRY(measure::Runner::of_request(request, device_)));
    // References are computed on all cores.
    const std::optional<MachineArbiter::Pass> pass = TRY(gate_.begin_run(interruption));
    if (!pass) return {};  // the first run prepares the device in this case
    const Status ready = runner_->make_ready(interruption);
    if (interruption.now()) return {};  // no failure of the machine; the following run returns nullopt
    return ready;
  }

  Result<std::optional<measure::RunReply>> run(const measure::RunRequest& request,
                                               const measure::Interruption& interruption) override {
    const std::optional<MachineArbiter::Pass> pass = TRY(gate_.begin_run(interruption));
    if (!pass) return std::nullopt;
    std::optional<measure::RunReply> reply = TRY(runner_->exchange(request, interruption));
    if (reply) {
      speed_watch_.add(request.threads, request.options.slow_phase_patience_seconds, reply->measurement);
      report_conditions(*reply);
    }
    return reply;
  }

  MachinePace pace() const override { return speed_watch_.pace(); }

  Status wait_for_machine(const measure::Interruption& interruption) override {
    if (!runner_) return {};
    // Readings are not disturbed by builds, and builds go on between them.
    const auto read = [this, interruption]() -> Result<std::optional<trial::ProbeSeconds>> {
      const std::optional<MachineArbiter::Pass> pass = TRY(gate_.begin_run(interruption));
      if (!pass) return std::nullopt;
      return runner_->probe_speed(interruption);
    };
    std::ignore = TRY(speed_watch_.wait(measure::waiting_machine(read, interruption)));
    return {};
  }

  Result<std::optional<measure::BaselineReply>> measure_baseline(
      const measure::BaselineRequest& request, const measure::Interruption& interruption) override {
    const std::optional<MachineArbiter::Pass> pass = TRY(gate_.begin_run(interruption));
    if (!pass) return std::nullopt;
    measure::VendorRunner& vendor = vendor_of(request);
    Result<trial::VendorResult> result = vendor.run(request.options, interruption);
    if (!result && interruption.now()) return std::nullopt;
    measure::BaselineReply reply;
    reply.result = TRY(std::move(result));
    return reply;
  }

 private:
  /** Returns the runner of a request's task; those of other tasks keep their choices without processes. */
  measure::VendorRunner& vendor_of(const measure::BaselineRequest& request) {
    const std::pair wanted(request.task_json, request.threads);
    for (auto& [key, vendor] : vendors_)
      if (key != wanted) vendor.release();
    return vendors_.try_emplace(wanted, request, device_).first->second;
  }

  /** Adds what the system reports to a run's result, at most once a second: it takes some milliseconds. */
  void report_conditions(measure::RunReply& reply) {
    constexpr double interval_seconds = 1;
    const double now = measure::steady_seconds();
    if (now < next_conditions_seconds_) return;
    next_conditions_seconds_ = now + interval_seconds;
    reply.machine = measure::read_device_conditions(device_.builds_beside_runs(), processors_);
    reply.machine.gpu = reply.gpu;
  }

  schedule::TargetDescription device_;
  MachineArbiter& gate_;
  std::vector<int> processors_ = base::usable_processors();
  double next_conditions_seconds_ = 0;
  SpeedWatch speed_watch_;
  std::optional<measure::Runner> runner_;
  /// by task and threads: a choice takes up to 20 s, and sessions of several tasks may take turns
  std::map<std::pair<std::string, int>, measure::VendorRunner> vendors_;
};

}  // namespace

std::unique_ptr<BuildExecutor> make_local_builder(std::vector<schedule::TargetDescription> tools,
                                                  MachineArbiter& gate) {
  return std::make_unique<LocalBuilder>(std::move(tools), gate);
}

std::unique_ptr<RunExecutor> make_local_runner(const schedule::TargetDescription& device,
                                               MachineArbiter& gate) {
  return std::make_unique<LocalRunner>(device, gate);
}

}  // namespace kernelscape::fleet
