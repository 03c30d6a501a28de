#include "core/measure/runner.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/measure/message_text.h"

namespace kernelscape {
namespace {

constexpr double prepare_seconds = 3600;  // a reference of 20 GFLOP on a slow machine, without end on none
constexpr double grace_seconds = 60;      // packing, and stopping a kernel that is out of time

Measurement lost(ErrorCategory category, const std::string& message) {
  Measurement measurement;
  measurement.category = category;
  measurement.message = clean_message(message);
  return measurement;
}

}  // namespace

int kernel_threads(const MeasureOptions& options, const TargetDescription& target) {
  return static_cast<int>(
      std::clamp<std::int64_t>(options.threads > 0 ? options.threads : target.cores, 1, 4096));
}

Runner::Runner(const Task& task, const TargetDescription& target, const MeasureOptions& options)
    : task_json_(task_to_json(task)),
      threads_(kernel_threads(options, target)),
      input_seed_(options.input_seed) {}

Status Runner::prepare(const Interruption& interruption) {
  auto worker = WorkerProcess::start(WorkerRole::Run);
  if (!worker) return std::unexpected(worker.error());
  if (auto ready = worker->await_ready(interruption); !ready) return ready;
  const PrepareRequest request{.task_json = task_json_, .input_seed = input_seed_, .threads = threads_};
  const Deadline deadline = deadline_after(prepare_seconds);
  auto reply = std::expected<PrepareReply, ChannelError>();
  if (auto sent = worker->channel().send(request, deadline, interruption); !sent) {
    reply = std::unexpected(sent.error());
  } else {
    reply = worker->channel().receive<PrepareReply>(deadline, interruption);
  }
  if (!reply) {
    return fail(ErrorCode::Environment,
                fmt::format("the run worker can't prepare the task: {}: {}", reply.error().error.message,
                            worker->describe_end()),
                "free memory, or choose a smaller task");
  }
  if (!reply->problem.empty()) return fail(ErrorCode::InvalidArgument, reply->problem);
  worker_.emplace(std::move(*worker));
  return {};
}

Result<std::optional<Measurement>> Runner::run(const KernelSource& source, std::string artefact,
                                               const MeasureOptions& options, double best_seconds,
                                               const Interruption& interruption) {
  const TimingMark::Scope timing(timing_mark_);
  if (!worker_) {
    auto prepared = prepare(interruption);
    if (interruption.now()) return std::nullopt;
    if (!prepared) return std::unexpected(prepared.error());
  }
  const RunRequest request{.artefact = std::move(artefact),
                           .entry = source.entry,
                           .arguments = source.arguments,
                           .options = options,
                           .threads = threads_,
                           .best_seconds = best_seconds};
  const auto start = std::chrono::steady_clock::now();
  const Deadline deadline = deadline_after(options.run_timeout_seconds + grace_seconds);
  auto reply = std::expected<RunReply, ChannelError>();
  if (auto sent = worker_->channel().send(request, deadline, interruption); !sent) {
    reply = std::unexpected(sent.error());
  } else {
    reply = worker_->channel().receive<RunReply>(deadline, interruption);
  }
  if (reply && reply->machine_fault.empty()) return std::move(reply->measurement);
  if (reply) {
    return fail(ErrorCode::Environment, reply->machine_fault, "end other programs, then resume the session");
  }
  const std::string end = worker_->describe_end();
  worker_.reset();
  Measurement measurement;
  switch (reply.error().problem) {
    case ChannelProblem::Interrupted:
      return std::nullopt;
    case ChannelProblem::Broken:
      measurement = lost(ErrorCategory::UnknownError, reply.error().error.message);
      break;
    case ChannelProblem::TimedOut:
      measurement = lost(ErrorCategory::RunTimeout, "the run worker did not answer in time");
      break;
    case ChannelProblem::Closed:
      measurement = lost(ErrorCategory::RuntimeDevice, "the run worker was lost: " + end);
      break;
  }
  measurement.run_seconds = seconds_since(start);
  return measurement;
}

VendorRunner::VendorRunner(const Task& task, const TargetDescription& target, const MeasureOptions& options)
    : task_json_(task_to_json(task)), threads_(kernel_threads(options, target)), cores_(target.cores) {}

Result<VendorResult> VendorRunner::run(const MeasureOptions& options, const Interruption& interruption) {
  const TimingMark::Scope timing(timing_mark_);
  if (!worker_) {
    // OpenMP reads these when the library is loaded, so they are set before the process starts.
    std::vector<std::string> environment{fmt::format("OMP_NUM_THREADS={}", threads_), "OMP_DYNAMIC=false"};
    if (threads_ <= cores_) environment.emplace_back("OMP_PROC_BIND=true");
    auto worker = WorkerProcess::start(WorkerRole::Baseline, environment);
    if (!worker) return std::unexpected(worker.error());
    if (auto ready = worker->await_ready(interruption); !ready) return std::unexpected(ready.error());
    worker_.emplace(std::move(*worker));
  }
  const Deadline deadline = deadline_after(prepare_seconds);
  const BaselineRequest request{.task_json = task_json_, .options = options, .threads = threads_};
  if (worker_->channel().send(request, deadline, interruption)) {
    auto reply = worker_->channel().receive<BaselineReply>(deadline, interruption);
    if (reply) return std::move(reply->result);
    if (reply.error().problem == ChannelProblem::Interrupted) {
      worker_.reset();
      return fail(ErrorCode::Environment, "interrupted");
    }
  }
  VendorResult none;
  none.reason = "the vendor library's process was lost: " + worker_->describe_end();
  worker_.reset();
  return none;
}

}  // namespace kernelscape
