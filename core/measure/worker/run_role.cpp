#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <new>
#include <optional>

#include "core/measure/worker/confinement.h"
#include "core/measure/worker/gpu_trial.h"
#include "core/measure/worker/kernel_trial.h"
#include "core/measure/worker/worker_main.h"
#include "core/task/task.h"

namespace kernelscape {
namespace {

constexpr std::uint64_t kernel_file_bytes = 64ULL << 20;
constexpr std::uint64_t thread_memory_bytes = 256ULL << 20;  // address space: its stack and its malloc arena
constexpr std::uint64_t kernel_stack_bytes = 8ULL << 20;

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

Status check_request(const RunRequest& request) {
  const bool sane = request.threads >= 1 && request.threads <= 4096 && request.options.repeats >= 1 &&
                    request.options.repeats <= max_repeats && request.options.run_timeout_seconds > 0;
  if (sane) return {};
  return fail(ErrorCode::InvalidArgument, "a run needs 1..4096 threads, 1..100000 repeats and a time limit");
}

/** Forks a process for the trial and waits for its end. */
RunReply run_forked(const TrialTensors& tensors, const RunRequest& request, Confinement& confinement,
                    int hang_up) {
  KernelTrial trial{.tensors = tensors,
                    .request = request,
                    .confinement = confinement,
                    .limits = trial_limits(request, tensors.output_bytes)};
  const UniqueFd artefact(memfd_create("kernel", MFD_CLOEXEC));
  const std::string& bytes = request.artefact;
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
  const Deadline deadline = deadline_after(request.options.run_timeout_seconds);
  const pid_t self = getpid();
  const pid_t child = fork();
  if (child < 0) return machine_fault("no process for a kernel can be started");
  if (child == 0) run_kernel_trial(trial, self, *report);
  output_write.reset();
  const ChildOutcome outcome = wait_for_child(child, output_read.get(), deadline, hang_up);
  return judge_trial(outcome, *report, request);
}

/** The task that a worker was prepared for, and the GPU that runs its kernels, or none: the CPU does. */
struct Workplace {
  PreparedTask task;
  std::optional<GpuTrials> gpu;
  Confinement confinement;          ///< of a CPU's kernels
  Confinement counted_confinement;  ///< of those whose work is counted
};

/** Before a kernel is there: a CPU's runs in processes of their own, a GPU's or its driver's work in ours. */
Confinement confine(bool gpu) {
  if (gpu) Confinement::of_driver().apply();
#ifndef KERNELSCAPE_SANITIZED  // the leak checker reads our memory as a debugger does
  if (!gpu) prctl(PR_SET_DUMPABLE, 0);
#endif
  return Confinement::of_kernel();
}

RunReply run(Workplace& workplace, const RunRequest& request, int hang_up) {
  if (auto good = check_request(request); !good) return refused(good.error());
  const auto tensors = workplace.task.tensors(request.arguments);
  if (!tensors) return refused(tensors.error());
  if (workplace.gpu) return workplace.gpu->run(*tensors, request);
  Confinement& confinement = request.counters ? workplace.counted_confinement : workplace.confinement;
  return run_forked(*tensors, request, confinement, hang_up);
}

PrepareReply prepare(const PrepareRequest& request, std::optional<Workplace>& workplace) {
  workplace.reset();
  const auto task = task_from_json(request.task_json);
  if (!task) return {.problem = describe(task.error())};
  if (!task->op)
    return {.problem = fmt::format("the task {} is known by name only and can't be run", task->name)};
  if (const Status fits = check_reference_memory(*task->op); !fits)
    return {.problem = fits.error().message, .machine_fault = true, .hint = fits.error().hint};
  std::optional<GpuTrials> gpu;
  if (request.device != "cpu") {
    auto device = open_gpu_device(request.device);
    if (!device) {
      return {.problem = device.error().message, .machine_fault = true, .hint = device.error().hint};
    }
    gpu.emplace(std::move(*device));
  }
  Confinement confinement = confine(gpu.has_value());
  workplace.emplace(PreparedTask(*task->op, request.input_seed, std::max(request.threads, 1)), std::move(gpu),
                    std::move(confinement), Confinement::of_counted_kernel());
  return {};
}

}  // namespace

void serve_runs(Channel& channel) {
  const Deadline never = deadline_after(1e12);
  std::optional<Workplace> workplace;
  while (auto frame = channel.receive_frame(never, {})) {
    if (auto request = decode_message<PrepareRequest>(*frame)) {
      if (!channel.send(prepare(*request, workplace), never)) return;
    } else if (auto trial = decode_message<RunRequest>(*frame); trial && workplace) {
      const auto start = std::chrono::steady_clock::now();
      RunReply reply = run(*workplace, *trial, channel.descriptor());
      reply.measurement.run_seconds = seconds_since(start);
      if (!channel.send(reply, never)) return;
    } else {
      return;
    }
  }
}

}  // namespace kernelscape
