#include "core/measure/runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/measure/worker/message_text.h"
#include "core/measure/worker/openmp_environment.h"
#include "core/task/reference.h"

namespace kernelscape::measure {
namespace {

constexpr double prepare_seconds = 3600;  // enough for a reference of 20 GFLOP on a slow machine, but finite
constexpr double speed_probe_seconds = 60;  // for some milliseconds of work
constexpr double stop_seconds = 60;     // time for packing, and for stopping a CPU kernel that has timed out
constexpr double gpu_stop_seconds = 2;  // a GPU worker is killed together with a kernel that does not end
constexpr double bytes_per_second = 50e6;  // to pack, send, read back and check on a slow machine

trial::Measurement lost(trial::ErrorCategory category, const std::string& message) {
  trial::Measurement measurement;
  measurement.category = category;
  measurement.message = clean_message(message);
  return measurement;
}

double grace_seconds_of(const task::Task& task, const schedule::TargetDescription& target) {
  if (target.kind == schedule::TargetKind::Cpu || !task.op) return stop_seconds;
  return gpu_stop_seconds + task::reference_bytes(*task.op) / bytes_per_second;
}

/** Sends a request and waits for its reply. */
template <typename Reply, typename Request>
std::expected<Reply, ChannelError> send_and_receive(WorkerProcess& worker, const Request& request,
                                                    Deadline deadline, const Interruption& interruption) {
  if (auto sent = worker.channel().send(request, deadline, interruption); !sent)
    return std::unexpected(sent.error());
  return worker.channel().receive<Reply>(deadline, interruption);
}

/** Returns the error of a run worker that has not prepared its task. */
Error not_prepared(WorkerProcess& worker, const ChannelError& problem, int attempts) {
  Error error{.code = ErrorCode::Environment, .message = problem.error.message, .hint = problem.error.hint};
  if (problem.problem == ChannelProblem::Interrupted || problem.problem == ChannelProblem::Broken)
    return error;
  const WorkerEnd end = worker.end();
  const std::string what = problem.problem == ChannelProblem::TimedOut
                               ? fmt::format("did not prepare the task within {} s", prepare_seconds)
                               : fmt::format("was lost while it prepared the task, {} times", attempts);
  error.message = fmt::format("the run worker {}: {}", what, describe(end));
  error.hint = hint_for(end);
  if (may_lack_memory(end)) {
    error.hint =
        "free memory, or choose a smaller task: the system's out-of-memory killer or a user may have ended "
        "it";
  }
  return error;
}

}  // namespace

std::string device_of(const schedule::TargetDescription& target) {
  return target.kind == schedule::TargetKind::Cpu
             ? std::string(schedule::to_string(schedule::TargetKind::Cpu))
             : target.name;
}

PrepareRequest prepare_request_of(const task::Task& task, const schedule::TargetDescription& target,
                                  const trial::MeasureOptions& options) {
  return {.task_json = task::task_to_json(task),
          .input_seed = options.input_seed,
          .threads = options.kernel_threads(schedule::host_cores(target)),
          .device = device_of(target)};
}

RunRequest run_request_of(const codegen::KernelSource& source, std::string artefact,
                          const trial::MeasureOptions& options, int threads) {
  return {.artefact = std::move(artefact),
          .entry = source.entry,
          .arguments = source.arguments,
          .launch = source.launch,
          .options = options,
          .threads = source.parts ? threads : 1};
}

Runner::Runner(PrepareRequest request, const task::Task& task, const schedule::TargetDescription& target)
    : prepare_(std::move(request)), target_(target), grace_seconds_(grace_seconds_of(task, target)) {
  if (target_.kind != schedule::TargetKind::Cpu)
    prepare_.probe_target_json = schedule::target_to_json(target_);
}

Runner::Runner(const task::Task& task, const schedule::TargetDescription& target,
               const trial::MeasureOptions& options)
    : Runner(prepare_request_of(task, target, options), task, target) {}

Result<Runner> Runner::of_request(PrepareRequest request, const schedule::TargetDescription& target) {
  const Result<task::Task> task = task::task_from_json(request.task_json);
  if (!task) return fail(ErrorCode::InvalidArgument, task.error().message, task.error().hint);
  request.device = device_of(target);
  std::vector<ProgramRequest> program = std::exchange(request.program, {});
  Runner runner(std::move(request), *task, target);
  if (!program.empty()) runner.set_program(std::move(program.front()));
  return runner;
}

Status Runner::prepare(const Interruption& interruption) {
  for (int attempt = 1;; ++attempt) {
    auto worker = TRY(WorkerProcess::start(WorkerRole::Run, openmp_environment(prepare_.threads)));
    TRY(worker.await_ready(interruption));
    auto reply =
        send_and_receive<PrepareReply>(worker, prepare_, deadline_after(prepare_seconds), interruption);
    if (reply && reply->problem.empty()) {
      if (!prepare_.program.empty() && !reply->right.empty())
        prepare_.program.front().answer = {.bytes = std::move(reply->right)};
      // A probe that was built and cannot be run may have made the device unusable for this worker.
      if (!take_probe(*reply)) continue;
      worker_.emplace(std::move(worker));
      return {};
    }
    if (reply) {
      return fail(reply->machine_fault ? ErrorCode::Environment : ErrorCode::InvalidArgument, reply->problem,
                  reply->hint);
    }
    const bool lost = reply.error().problem == ChannelProblem::Closed;
    if (!lost || attempt == max_worker_attempts)
      return std::unexpected(not_prepared(worker, reply.error(), attempt));
    // A driver or compiler that does not survive the speed probe can still measure kernels.
    if (!std::exchange(prepare_.probe_target_json, {}).empty())
      probe_problem_ = "the run worker was lost while it prepared the task and the speed probe";
  }
}

/** Keeps what a reply says of the speed probe; returns false if its worker must be replaced. */
bool Runner::take_probe(PrepareReply& reply) {
  const bool built = !reply.probe_artefact.empty();
  if (!reply.probe_problem.empty()) {
    probe_problem_ = std::move(reply.probe_problem);
    prepare_.probe_target_json.clear();
    return !built;
  }
  if (built) prepare_.probe_artefact = std::move(reply.probe_artefact);
  return true;
}

void Runner::set_program(ProgramRequest program) {
  double bytes = 0;
  for (const project::ProgramArgument& argument : program.arguments)
    bytes += static_cast<double>(argument.bytes());
  if (target_.kind != schedule::TargetKind::Cpu) grace_seconds_ = gpu_stop_seconds + bytes / bytes_per_second;
  prepare_.program.clear();
  prepare_.program.push_back(std::move(program));
  worker_.reset();
}

Status Runner::make_ready(const Interruption& interruption) {
  return worker_ ? Status() : prepare(interruption);
}

Result<std::optional<trial::Measurement>> Runner::run(const codegen::KernelSource& source,
                                                      std::string artefact,
                                                      const trial::MeasureOptions& options,
                                                      double best_seconds, const Interruption& interruption) {
  RunRequest request = run_request_of(source, std::move(artefact), options, prepare_.threads);
  request.best_seconds = best_seconds;
  std::optional<RunReply> reply = TRY(exchange(request, interruption));
  if (!reply) return std::nullopt;
  return std::move(reply->measurement);
}

Result<std::optional<CountedMeasurement>> Runner::run_counted(const codegen::KernelSource& source,
                                                              std::string artefact,
                                                              const trial::MeasureOptions& options,
                                                              const Interruption& interruption) {
  RunRequest request = run_request_of(source, std::move(artefact), options, prepare_.threads);
  request.counters = true;
  std::optional<RunReply> reply = TRY(exchange(request, interruption));
  if (!reply) return std::nullopt;
  CountedMeasurement counted{std::move(reply->measurement), std::nullopt};
  if (counted.measurement.valid())
    counted.counters = TRY(trial::counter_reading_from_json(reply->counters_json));
  return counted;
}

Result<std::optional<trial::ProbeSeconds>> Runner::probe_speed(const Interruption& interruption) {
  const auto prepared = make_ready(interruption);
  if (interruption.now()) return std::nullopt;
  TRY(prepared);
  const TimingMark::Scope timing(timing_mark_);
  const SpeedProbeRequest request{.threads = probed_threads_ > 0 ? probed_threads_ : prepare_.threads};
  const auto reply =
      send_and_receive<SpeedProbeReply>(*worker_, request, deadline_after(speed_probe_seconds), interruption);
  if (reply) return reply->seconds.known() ? std::optional(reply->seconds) : std::nullopt;
  // The worker is of no use any more, also if only its late reply is missing.
  worker_->kill();
  worker_.reset();
  return std::nullopt;
}

Result<std::optional<RunReply>> Runner::exchange(const RunRequest& request,
                                                 const Interruption& interruption) {
  std::optional<TimingMark::Scope> timing;
  if (!target_.builds_beside_runs()) timing.emplace(timing_mark_);
  const trial::MeasureOptions& options = request.options;
  probed_threads_ = request.threads;
  for (int attempt = 1;; ++attempt) {
    if (!worker_) {
      auto prepared = prepare(interruption);
      if (interruption.now()) return std::nullopt;
      TRY(prepared);
    }
    const auto start = std::chrono::steady_clock::now();
    const Deadline deadline = deadline_after(options.run_timeout_seconds + grace_seconds_);
    const auto sent = worker_->channel().send(request, deadline, interruption);
    if (!sent && sent.error().problem == ChannelProblem::Closed && attempt < max_worker_attempts) {
      worker_.reset();  // it ended before it had the kernel: that is not the kernel's fault
      continue;
    }
    if (!sent) return take_loss(sent.error(), seconds_since(start), options);
    auto reply = worker_->channel().receive<RunReply>(deadline, interruption);
    if (reply) return take_reply(std::move(*reply));
    return take_loss(reply.error(), seconds_since(start), options);
  }
}

Result<std::optional<RunReply>> Runner::take_reply(RunReply reply) {
  const bool gpu = target_.kind != schedule::TargetKind::Cpu;
  const bool faulty = !reply.machine_fault.empty();
  if (reply.gpu.known()) gpu_conditions_ = reply.gpu;
  // A kernel that failed on the host's own CPU may have written anywhere in its process.
  const bool suspect = target_.host_device && !reply.measurement.valid();
  if (reply.device_lost || (gpu && faulty) || suspect) {
    worker_->kill();
    worker_.reset();
  }
  if (!faulty) return reply;
  return fail(ErrorCode::Environment, reply.machine_fault,
              reply.hint.empty() ? "end other programs, then resume the session" : reply.hint);
}

std::optional<RunReply> Runner::take_loss(const ChannelError& problem, double seconds,
                                          const trial::MeasureOptions& options) {
  const bool gpu = target_.kind != schedule::TargetKind::Cpu;
  // A driver blocks its worker while a kernel runs: the worker can't react to a closed channel.
  if (gpu && problem.problem != ChannelProblem::Closed) worker_->kill();
  const std::string end = worker_->describe_end();
  worker_.reset();
  trial::Measurement measurement;
  switch (problem.problem) {
    case ChannelProblem::Interrupted:
      return std::nullopt;
    case ChannelProblem::Broken:
      measurement = lost(trial::ErrorCategory::UnknownError, problem.error.message);
      break;
    case ChannelProblem::TimedOut:
      measurement = lost(trial::ErrorCategory::RunTimeout,
                         gpu ? fmt::format("the kernel did not end within {} s", options.run_timeout_seconds)
                             : "the run worker did not answer in time");
      break;
    case ChannelProblem::Closed:
      measurement = lost(trial::ErrorCategory::RuntimeDevice, "the run worker was lost: " + end);
      break;
  }
  measurement.run_seconds = seconds;
  RunReply reply;
  reply.measurement = std::move(measurement);
  return reply;
}

}  // namespace kernelscape::measure
