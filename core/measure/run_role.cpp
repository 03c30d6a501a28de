#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <list>
#include <new>
#include <optional>

#include "core/measure/kernel_trial.h"
#include "core/measure/packing.h"
#include "core/measure/worker_main.h"
#include "core/task/task.h"

namespace kernelscape {
namespace {

constexpr std::uint64_t kept_layout_bytes = 1ULL << 30;
constexpr std::uint64_t kernel_file_bytes = 64ULL << 20;
constexpr std::uint64_t thread_memory_bytes = 256ULL << 20;  // address space: its stack and its malloc arena
constexpr std::uint64_t kernel_stack_bytes = 8ULL << 20;

/** An input in a layout that some kernel asked for. */
struct PackedInput {
  std::size_t position = 0;
  Layout layout;
  PageBuffer buffer;
};

/** Where a layout of the output keeps its elements. */
struct OutputOffsets {
  Layout layout;
  std::vector<std::int64_t> offsets;
};

/** A task's inputs and reference, made once, and the inputs in every layout that was asked for lately. */
class PreparedTask {
 public:
  PreparedTask(const TensorOperator& op, std::uint64_t seed, int threads)
      : op_(op), inputs_(make_reference_inputs(op, seed)), reference_(cached_reference(op, seed, threads)) {}

  const TensorOperator& op() const { return op_; }
  const Reference& reference() const { return *reference_; }

  Result<const void*> input(std::size_t position, const Layout& layout) {
    for (auto entry = packed_.begin(); entry != packed_.end(); ++entry) {
      if (entry->position == position && entry->layout == layout) {
        packed_.splice(packed_.begin(), packed_, entry);
        return packed_.front().buffer.data();
      }
    }
    const ScalarType type = op_.inputs[position].type;
    const auto offsets = checked_offsets(layout);
    if (!offsets) return std::unexpected(offsets.error());
    auto buffer = PageBuffer::make(packed_bytes(type, layout), static_cast<int>(position));
    if (!buffer) return fail(ErrorCode::Environment, "no memory is left for the inputs of a kernel");
    pack(type, inputs_.tensors[position], *offsets, buffer->bytes());
    buffer->protect_read_only();
    packed_.push_front({position, layout, std::move(*buffer)});
    return packed_.front().buffer.data();
  }

  Result<const std::vector<std::int64_t>*> output_offsets(const Layout& layout) {
    if (!output_ || output_->layout != layout) {
      auto offsets = checked_offsets(layout);
      if (!offsets) return std::unexpected(offsets.error());
      output_ = OutputOffsets{layout, std::move(*offsets)};
    }
    return &output_->offsets;
  }

  /** Between trials: what was not asked for lately goes first. */
  void forget_old_layouts() {
    std::uint64_t bytes = 0;
    for (const PackedInput& entry : packed_) bytes += entry.buffer.size();
    while (bytes > kept_layout_bytes) {
      bytes -= packed_.back().buffer.size();
      packed_.pop_back();
    }
  }

 private:
  TensorOperator op_;
  ReferenceInputs inputs_;
  std::shared_ptr<const Reference> reference_;
  std::list<PackedInput> packed_;  ///< lately used first
  std::optional<OutputOffsets> output_;
};

[[maybe_unused]] std::uint64_t own_address_space_bytes() {
  std::ifstream file("/proc/self/statm");
  std::uint64_t pages = 0;
  file >> pages;
  return pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

ProcessLimits trial_limits(const RunRequest& request, std::uint64_t output_bytes) {
  const auto threads = static_cast<std::uint64_t>(request.threads);
  ProcessLimits limits{.cpu_seconds = request.options.run_timeout_seconds * request.threads,
                       .address_space_bytes = 0,
                       .file_bytes = kernel_file_bytes,
                       .stack_bytes = kernel_stack_bytes};
#ifndef KERNELSCAPE_SANITIZED
  // Beyond what we have: the output, its elements as doubles for the check, and the threads.
  limits.address_space_bytes = own_address_space_bytes() + 12 * output_bytes + threads * thread_memory_bytes +
                               request.options.memory_limit_bytes;
#else
  (void)output_bytes;
  (void)threads;
#endif
  return limits;
}

/** Memory shared with a trial's process. */
class SharedReport {
 public:
  SharedReport() {
    void* memory =
        mmap(nullptr, sizeof(TrialReport), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    report_ = new (memory) TrialReport;
  }
  SharedReport(const SharedReport&) = delete;
  SharedReport& operator=(const SharedReport&) = delete;
  ~SharedReport() { munmap(report_, sizeof(TrialReport)); }
  TrialReport& operator*() const { return *report_; }

 private:
  TrialReport* report_;
};

RunReply machine_fault(const std::string& what) {
  RunReply reply;
  reply.machine_fault = fmt::format("{}: {}", what, std::strerror(errno));
  return reply;
}

RunReply refused(const Error& error) {
  RunReply reply;
  if (error.code == ErrorCode::Environment) reply.machine_fault = error.message;
  reply.measurement.category = ErrorCategory::InstantiationError;
  reply.measurement.message = describe(error);
  return reply;
}

Status check_request(const TensorOperator& op, const RunRequest& request) {
  const bool sane = request.threads >= 1 && request.threads <= 4096 && request.options.repeats >= 1 &&
                    request.options.repeats <= max_repeats && request.options.run_timeout_seconds > 0;
  if (!sane)
    return fail(ErrorCode::InvalidArgument,
                "a run needs 1..4096 threads, 1..100000 repeats and a time limit");
  return check_arguments(op, request.arguments);
}

/** Forks a process for the trial and waits for its end. */
RunReply run_forked(const KernelTrial& prepared, int hang_up) {
  KernelTrial trial = prepared;
  const UniqueFd artefact(memfd_create("kernel", MFD_CLOEXEC));
  const std::string& bytes = trial.request.artefact;
  if (!artefact.valid() ||
      write(artefact.get(), bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size())) {
    return machine_fault("a kernel's shared object can't be kept in memory");
  }
  int pipe_ends[2];
  if (pipe2(pipe_ends, O_CLOEXEC) != 0) return machine_fault("no pipe can be made");
  const UniqueFd output_read(pipe_ends[0]);
  UniqueFd output_write(pipe_ends[1]);
  trial.artefact = artefact.get();
  trial.output = output_write.get();
  const SharedReport report;
  const Deadline deadline = deadline_after(trial.request.options.run_timeout_seconds);
  const pid_t self = getpid();
  const pid_t child = fork();
  if (child < 0) return machine_fault("no process for a kernel can be started");
  if (child == 0) run_kernel_trial(trial, self, *report);
  output_write.reset();
  const ChildOutcome outcome = wait_for_child(child, output_read.get(), deadline, hang_up);
  return judge_trial(outcome, *report, trial.request);
}

RunReply run(PreparedTask& task, const RunRequest& request, int hang_up) {
  task.forget_old_layouts();
  if (auto good = check_request(task.op(), request); !good) {
    return refused(good.error());
  }
  const Layout& output_layout = request.arguments.back().layout;
  const auto offsets = task.output_offsets(output_layout);
  if (!offsets) return refused(offsets.error());
  const std::size_t output_bytes = packed_bytes(task.op().output.type, output_layout);
  KernelTrial trial{.op = task.op(),
                    .reference = task.reference(),
                    .request = request,
                    .inputs = {},
                    .output_offsets = **offsets,
                    .output_bytes = output_bytes,
                    .limits = trial_limits(request, output_bytes)};
  for (std::size_t i = 0; i < trial.inputs.size(); ++i) {
    const auto data = task.input(i, request.arguments[i].layout);
    if (!data) return refused(data.error());
    trial.inputs[i] = *data;
  }
  return run_forked(trial, hang_up);
}

PrepareReply prepare(const PrepareRequest& request, std::optional<PreparedTask>& task) {
  task.reset();
  const auto parsed = task_from_json(request.task_json);
  if (!parsed) return {.problem = describe(parsed.error())};
  if (!parsed->op)
    return {.problem = fmt::format("the task {} is known by name only and can't be run", parsed->name)};
  task.emplace(*parsed->op, request.input_seed, std::max(request.threads, 1));
  return {};
}

}  // namespace

void serve_runs(Channel& channel) {
  const Deadline never = deadline_after(1e12);
  std::optional<PreparedTask> task;
  while (auto frame = channel.receive_frame(never, {})) {
    if (auto request = decode_message<PrepareRequest>(*frame)) {
      if (!channel.send(prepare(*request, task), never)) return;
    } else if (auto trial = decode_message<RunRequest>(*frame); trial && task) {
      const auto start = std::chrono::steady_clock::now();
      RunReply reply = run(*task, *trial, channel.descriptor());
      reply.measurement.run_seconds = seconds_since(start);
      if (!channel.send(reply, never)) return;
    } else {
      return;
    }
  }
}

}  // namespace kernelscape
