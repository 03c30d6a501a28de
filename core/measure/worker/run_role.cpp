#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <new>
#include <optional>
#include <sstream>

#include "core/base/processors.h"
#include "core/base/read_file.h"
#include "core/measure/gpu/gpu_conditions.h"
#include "core/measure/gpu/gpu_speed_probe.h"
#include "core/measure/worker/confinement.h"
#include "core/measure/worker/gpu_trial.h"
#include "core/measure/worker/kernel_trial.h"
#include "core/measure/worker/probed_trials.h"
#include "core/measure/worker/program_kernel.h"
#include "core/measure/worker/speed_probe.h"
#include "core/measure/worker/tensor_kernel.h"
#include "core/measure/worker/thread_use.h"
#include "core/measure/worker/worker_main.h"
#include "core/task/task.h"

namespace kernelscape::measure {
namespace {

constexpr std::uint64_t kernel_file_bytes = 64ULL << 20;
constexpr std::uint64_t thread_memory_bytes = 256ULL << 20;  // address space: its stack and its malloc arena
constexpr std::uint64_t kernel_stack_bytes = 8ULL << 20;
/** Kernels of a GPU have no threads of the processor; the number distinguishes readings. */
constexpr int gpu_threads = 1;

[[maybe_unused]] std::uint64_t own_address_space_bytes() {
  std::istringstream file(base::read_system_file("/proc/self/statm"));
  std::uint64_t pages = 0;
  file >> pages;
  return pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

/** @param processors that the kernel's threads run on at the same time */
ProcessLimits trial_limits(const RunRequest& request, int processors, std::uint64_t output_bytes) {
  const auto threads = static_cast<std::uint64_t>(processors);
  ProcessLimits limits{.cpu_seconds = request.options.run_timeout_seconds * processors,
                       .address_space_bytes = 0,
                       .file_bytes = kernel_file_bytes,
                       .stack_bytes = kernel_stack_bytes};
#ifndef KERNELSCAPE_SANITIZED
  // In addition to the present memory: the output, its elements as doubles for the check, and the threads.
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
  reply.measurement.category = trial::ErrorCategory::InstantiationError;
  reply.measurement.message = describe(error);
  return reply;
}

Status check_request(const RunRequest& request) {
  const bool sane = request.threads >= 1 && request.threads <= 4096 && request.options.repeats >= 1 &&
                    request.options.repeats <= trial::max_repeats && request.options.run_timeout_seconds > 0;
  if (sane) return {};
  return fail(ErrorCode::InvalidArgument, "a run needs 1..4096 threads, 1..100000 repeats and a time limit");
}

/** The parameters of a process that is forked for a trial. */
struct ForkedTrial {
  TrialKernel& kernel;
  const RunRequest& request;
  int processors = 1;  ///< at least the request's threads
  std::uint64_t output_bytes = 0;
  TrialPurpose purpose = TrialPurpose::Measured;
  const EnergyCounters* energy = nullptr;  ///< null: energy is not measured
};

/** Forks a process for the trial and waits for its end. */
RunReply run_forked(const ForkedTrial& forked, Confinement& confinement, int hang_up) {
  const RunRequest& request = forked.request;
  KernelTrial trial{.kernel = forked.kernel,
                    .request = request,
                    .confinement = confinement,
                    .limits = trial_limits(request, forked.processors, forked.output_bytes),
                    .processors = forked.processors,
                    .purpose = forked.purpose,
                    .energy = forked.energy};
  const UniqueFd artefact(memfd_create("kernel", MFD_CLOEXEC));
  const std::string& bytes = request.artefact;
  if (!artefact.valid() ||
      write(artefact.get(), bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size())) {
    return machine_fault("no memory is available for a kernel's shared object");
  }
  int pipe_ends[2];
  if (pipe2(pipe_ends, O_CLOEXEC) != 0) return machine_fault("no pipe can be created");
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

/**
 * Returns the number of processors for a user's kernel. A kernel without parts is called by one thread, and
 * may start others on as many processors as a kernel with parts would have.
 */
int processors_of_program(const RunRequest& request) {
  if (request.threads > 1 || !may_start_threads(request.artefact)) return request.threads;
  return request.options.kernel_threads(base::usable_cores());
}

/**
 * Fills the reference with the outputs of a reference in C, run in a separate process.
 * @param processors number of processors that it may use
 */
Status run_reference_forked(const PreparedAnswer& answer, const PreparedProgram& program, int processors,
                            int hang_up) {
  RunRequest request{.artefact = answer.artefact, .entry = answer.entry};
  request.threads = std::max(answer.threads, 1);
  request.options.run_timeout_seconds = answer.timeout_seconds;
  request.options.threads = std::max(processors, 1);
  ProgramKernel kernel(program);
  Confinement confinement = Confinement::of_kernel();
  const RunReply reply = run_forked({.kernel = kernel,
                                     .request = request,
                                     .processors = processors_of_program(request),
                                     .output_bytes = program.written_bytes(),
                                     .purpose = TrialPurpose::Reference},
                                    confinement, hang_up);
  if (!reply.machine_fault.empty()) return fail(ErrorCode::Environment, reply.machine_fault, reply.hint);
  if (reply.measurement.valid()) return {};
  return fail(ErrorCode::InvalidArgument, "the reference fails: " + reply.measurement.message,
              "correct it, or name another reference in kernelscape.Reference");
}

/** Fills the reference with bytes of the request. */
Status take_right_bytes(const PreparedAnswer& answer, const PreparedProgram& program) {
  std::size_t next = 0;
  for (std::size_t argument = 0; argument < program.arguments().size(); ++argument) {
    const std::span<std::byte> right = program.right(argument);
    if (!program.arguments()[argument].checked) continue;
    if (next >= answer.bytes.size() || answer.bytes[next].size() != right.size())
      return fail(ErrorCode::InvalidArgument,
                  "the sizes of the reference bytes differ from those of the outputs");
    std::memcpy(right.data(), answer.bytes[next++].data(), right.size());
  }
  return {};
}

/**
 * What a worker was prepared for, a task or a user's kernel, and the GPU that runs its kernels; without a
 * GPU, the CPU runs them.
 */
struct Workplace {
  std::unique_ptr<PreparedTask> task{};
  std::unique_ptr<PreparedProgram> program{};
  std::optional<GpuTrials> gpu;
  Confinement confinement;          ///< confinement of CPU kernels
  Confinement counted_confinement;  ///< confinement of kernels that are counted
  EnergyCounters energy{};          ///< of the processor; not read for trials of a GPU
  std::optional<GpuSpeedProbe> gpu_probe{};
  std::optional<GpuConditionsReader> gpu_conditions{};
  double conditions_read_at = 0;  ///< seconds of a steady clock; 0: never
  bool after_failure = false;     ///< the last GPU kernel failed: its device is not used until the next trial
};

/** Runs a measured trial of the CPU between readings of the speed probe; other runs have none. */
RunReply run_probed(const ForkedTrial& forked, Workplace& workplace, ProbedTrials& probed, int hang_up) {
  const RunRequest& request = forked.request;
  if (request.counters) return run_forked(forked, workplace.counted_confinement, hang_up);
  return probed.run(forked.processors, request,
                    [&] { return run_forked(forked, workplace.confinement, hang_up); });
}

/** Reads what the driver reports after a run, twice a second at most. */
GpuConditions read_gpu_conditions(Workplace& workplace) {
  constexpr double interval_seconds = 0.5;
  const double now = steady_seconds();
  const double last = workplace.conditions_read_at;
  if (!workplace.gpu_conditions || (last > 0 && now - last < interval_seconds)) return {};
  workplace.conditions_read_at = now;
  return workplace.gpu_conditions->read();
}

/**
 * Runs a trial of the GPU between readings of its speed probe. No reading follows a kernel that failed: on a
 * device that is this process itself, it may have written anywhere.
 */
RunReply run_probed_on_gpu(Workplace& workplace, ProbedTrials& probed, const RunRequest& request,
                           const ProbedTrials::Trial& trial) {
  workplace.after_failure = false;
  return probed.run(gpu_threads, request, [&] {
    RunReply reply = trial();
    workplace.after_failure = !reply.measurement.valid();
    if (!workplace.after_failure) reply.gpu = read_gpu_conditions(workplace);
    return reply;
  });
}

/** Takes a reading of the probe of the CPU or the GPU. */
trial::ProbeSeconds read_probe(SpeedProbe& cpu_probe, std::optional<Workplace>& workplace, int threads) {
  if (!workplace || !workplace->gpu) return cpu_probe.measure(threads);
  if (!workplace->gpu_probe || workplace->after_failure) return {};
  return workplace->gpu_probe->measure();
}

/**
 * Confines the worker before it receives a kernel: CPU kernels run in separate processes, GPU kernels or
 * their driver in this one.
 */
Confinement confine(bool gpu) {
  if (gpu) Confinement::of_driver().apply();
#ifndef KERNELSCAPE_SANITIZED  // the leak checker reads this process's memory as a debugger does
  if (!gpu) prctl(PR_SET_DUMPABLE, 0);
#endif
  return Confinement::of_kernel();
}

RunReply run(Workplace& workplace, ProbedTrials& probed, const RunRequest& request, int hang_up) {
  if (auto good = check_request(request); !good) return refused(good.error());
  if (workplace.program) {
    if (workplace.gpu)
      return run_probed_on_gpu(workplace, probed, request, [&] { return workplace.gpu->run(request); });
    ProgramKernel kernel(*workplace.program);
    return run_probed({.kernel = kernel,
                       .request = request,
                       .processors = processors_of_program(request),
                       .output_bytes = workplace.program->written_bytes(),
                       .energy = &workplace.energy},
                      workplace, probed, hang_up);
  }
  const auto tensors = workplace.task->tensors(request.arguments);
  if (!tensors) return refused(tensors.error());
  if (workplace.gpu) {
    return run_probed_on_gpu(workplace, probed, request,
                             [&] { return workplace.gpu->run(*tensors, request); });
  }
  TensorKernel kernel(*tensors);
  return run_probed({.kernel = kernel,
                     .request = request,
                     .processors = request.threads,
                     .output_bytes = tensors->output_bytes,
                     .energy = &workplace.energy},
                    workplace, probed, hang_up);
}

PrepareReply not_prepared(const Error& error) {
  return {
      .problem = error.message, .machine_fault = error.code == ErrorCode::Environment, .hint = error.hint};
}

/** Returns the outputs of a reference; empty if they are too large to send. */
std::vector<std::string> right_of(const PreparedProgram& program) {
  constexpr std::size_t max_bytes = 64U << 20U;
  std::vector<std::string> right;
  std::size_t bytes = 0;
  for (std::size_t argument = 0; argument < program.arguments().size(); ++argument) {
    if (!program.arguments()[argument].checked) continue;
    const std::span<std::byte> outputs = program.right(argument);
    bytes += outputs.size();
    if (bytes > max_bytes) return {};
    right.emplace_back(reinterpret_cast<const char*>(outputs.data()), outputs.size());
  }
  return right;
}

/**
 * Makes the workplace of a user's kernel. References in C run before a GPU driver is loaded into this
 * process, which is forked for them.
 */
Status make_program_workplace(const PrepareRequest& request, std::optional<Workplace>& workplace,
                              int hang_up) {
  const ProgramRequest& asked = request.program.front();
  const PreparedAnswer& answer = asked.answer;
  auto program = std::make_unique<PreparedProgram>(TRY(PreparedProgram::make(asked.arguments)));
  const bool forked = !answer.artefact.empty() && answer.dialect == codegen::Dialect::C;
  if (forked)
    TRY(run_reference_forked(answer, *program, request.threads, hang_up));
  else if (answer.artefact.empty())
    TRY(take_right_bytes(answer, *program));
  std::optional<GpuTrials> gpu;
  if (request.device != "cpu") gpu.emplace(TRY(open_gpu_device(request.device)), *program);
  Confinement confinement = confine(gpu.has_value());
  if (!forked && !answer.artefact.empty()) {
    if (!gpu) return fail(ErrorCode::InvalidArgument, "the reference is for a GPU, and its target is not");
    TRY(gpu->run_reference(answer, *program));
  }
  TRY(program->accept_right());
  workplace.emplace(Workplace{.program = std::move(program),
                              .gpu = std::move(gpu),
                              .confinement = std::move(confinement),
                              .counted_confinement = Confinement::of_counted_kernel(),
                              .energy = EnergyCounters::open()});
  return {};
}

Status make_task_workplace(const PrepareRequest& request, std::optional<Workplace>& workplace) {
  const task::Task task = TRY(task::task_from_json(request.task_json));
  if (!task.op) {
    return fail(ErrorCode::InvalidArgument,
                fmt::format("the task {} is known by name only and can't be run", task.name));
  }
  TRY(task::check_reference_memory(*task.op));
  std::optional<GpuTrials> gpu;
  if (request.device != "cpu") gpu.emplace(TRY(open_gpu_device(request.device)));
  Confinement confinement = confine(gpu.has_value());
  workplace.emplace(Workplace{
      .task = std::make_unique<PreparedTask>(*task.op, request.input_seed, std::max(request.threads, 1)),
      .gpu = std::move(gpu),
      .confinement = std::move(confinement),
      .counted_confinement = Confinement::of_counted_kernel(),
      .energy = EnergyCounters::open()});
  return {};
}

/** Opens the speed probe of a GPU, which is built once for all workers of a runner. */
Result<GpuSpeedProbe> open_gpu_probe(const PrepareRequest& request, PrepareReply& reply) {
  const schedule::TargetDescription target = TRY(schedule::target_from_json(request.probe_target_json));
  reply.probe_artefact =
      request.probe_artefact.empty() ? TRY(build_gpu_speed_probe(target)) : request.probe_artefact;
  return GpuSpeedProbe::open(target, reply.probe_artefact);
}

PrepareReply prepare(const PrepareRequest& request, std::optional<Workplace>& workplace, int hang_up) {
  workplace.reset();
  const Status prepared = request.program.empty() ? make_task_workplace(request, workplace)
                                                  : make_program_workplace(request, workplace, hang_up);
  if (!prepared) return not_prepared(prepared.error());
  PrepareReply reply;
  if (workplace->program && !request.program.front().answer.artefact.empty())
    reply.right = right_of(*workplace->program);
  if (!workplace->gpu || request.probe_target_json.empty()) return reply;
  workplace->gpu_conditions.emplace(request.device);
  workplace->gpu->set_joules([reader = &*workplace->gpu_conditions] { return reader->total_joules(); });
  if (Result<GpuSpeedProbe> probe = open_gpu_probe(request, reply))
    workplace->gpu_probe.emplace(*std::move(probe));
  else
    reply.probe_problem = describe(probe.error());
  return reply;
}

}  // namespace

void serve_runs(Channel& channel) {
  const Deadline never = deadline_after(1e12);
  std::optional<Workplace> workplace;
  SpeedProbe probe;
  ProbedTrials probed([&](int threads) { return read_probe(probe, workplace, threads); });
  while (auto frame = channel.receive_frame(never, {})) {
    if (auto request = decode_message<PrepareRequest>(*frame)) {
      if (!channel.send(prepare(*request, workplace, channel.descriptor()), never)) return;
    } else if (auto trial = decode_message<RunRequest>(*frame); trial && workplace) {
      const auto start = std::chrono::steady_clock::now();
      RunReply reply = run(*workplace, probed, *trial, channel.descriptor());
      reply.measurement.run_seconds = seconds_since(start);
      if (!channel.send(reply, never)) return;
    } else if (auto reading = decode_message<SpeedProbeRequest>(*frame); reading && workplace) {
      workplace->after_failure = false;
      const bool known = reading->threads >= 1;
      // Readings of a GPU belong to no number of threads, those around its trials neither.
      const int threads = workplace->gpu ? gpu_threads : reading->threads;
      if (!channel.send(SpeedProbeReply{known ? probed.read(threads) : trial::ProbeSeconds()}, never)) return;
    } else {
      return;
    }
  }
}

}  // namespace kernelscape::measure
