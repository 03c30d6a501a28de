#include "core/measure/worker/kernel_trial.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

#include "core/base/last_handler.h"
#include "core/base/processors.h"
#include "core/base/thread_cpu_time.h"
#include "core/machine_code/instruction_table.h"
#include "core/measure/cpu/counters.h"
#include "core/measure/cpu/sampler.h"
#include "core/measure/worker/exception_text.h"
#include "core/measure/worker/interruptions.h"
#include "core/measure/worker/kernel_threads.h"
#include "core/measure/worker/message_text.h"
#include "core/measure/worker/timing.h"

namespace kernelscape::measure {
namespace {

constexpr int artefact_descriptor = 3;
constexpr std::size_t alternate_stack_bytes = 256 << 10;
constexpr double max_others_share = 0.01;    // of a region, in which threads that nobody counts may run
constexpr double counted_seconds = 0.2;      // long enough for counters that take turns
constexpr double sampled_seconds = 0.5;      // about 2,000 samples of each thread: 1 % is known to +- 0.4 %
constexpr double min_energy_seconds = 0.05;  // the counters are updated every millisecond

TrialReport* current_report = nullptr;
thread_local std::uintptr_t stack_bottom = 0;

/** Writes the location of a fault, then lets the fault end the process as it would without this handler. */
void on_fault(int signal, siginfo_t* info, void*) {
  constexpr std::uintptr_t below = 1 << 20;
  constexpr std::uintptr_t above = 64 << 10;
  const auto address = std::bit_cast<std::uintptr_t>(info->si_addr);
  const bool stack = stack_bottom != 0 && address + below >= stack_bottom && address < stack_bottom + above;
  current_report->fault_address.store(address);
  current_report->fault.store(stack ? FaultKind::StackOverflow : FaultKind::Address);
  std::signal(signal, SIG_DFL);
  raise(signal);
}

/**
 * Sets up a separate stack for on_fault() and stores the bounds of this thread's stack: a thread whose stack
 * overflowed can't run the handler on it.
 */
void prepare_thread() {
  static thread_local std::vector<char> memory(alternate_stack_bytes);
  stack_t alternate{};
  alternate.ss_sp = memory.data();
  alternate.ss_size = memory.size();
  sigaltstack(&alternate, nullptr);
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return;
  void* lowest = nullptr;
  std::size_t size = 0;
  pthread_attr_getstack(&attributes, &lowest, &size);
  pthread_attr_destroy(&attributes);
  stack_bottom = std::bit_cast<std::uintptr_t>(lowest);
}

void catch_faults(TrialReport& report) {
  current_report = &report;
  struct sigaction action{};
  action.sa_sigaction = on_fault;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  for (const int signal : {SIGSEGV, SIGBUS}) sigaction(signal, &action, nullptr);
  for (const int signal : {SIGFPE, SIGILL, SIGABRT, SIGXCPU, SIGXFSZ}) std::signal(signal, SIG_DFL);
}

/**
 * Ends the process if a kernel calls exit(). Other exit handlers belong to the worker, and are not made for
 * kernels that call exit() from several threads at once: they caused faults.
 */
void end_at_exit() {
  on_exit([](int status, void*) { _exit(status); }, nullptr);
}

/** Closes all descriptors beyond the artefact's but these, which ascend. */
void close_all_but(const std::vector<int>& kept) {
  unsigned first = artefact_descriptor + 1;
  for (const int descriptor : kept) {
    const auto next = static_cast<unsigned>(descriptor);
    if (next > first) close_range(first, next - 1, 0);
    first = next + 1;
  }
  close_range(first, ~0U, 0);
}

/**
 * Isolates the process: it owns standard input, output, error, the artefact and the energy counters, which
 * can only be read, and nothing else that a kernel could write to. It is confined before the kernel is
 * loaded.
 */
void isolate(const KernelTrial& trial, pid_t parent) {
  join_own_group(parent);
  trial.confinement.apply();  // first, since its descriptors are replaced by those of the trial
  dup2(trial.output, STDOUT_FILENO);
  dup2(trial.output, STDERR_FILENO);
  dup2(trial.artefact, artefact_descriptor);
  close_all_but(trial.energy != nullptr ? trial.energy->descriptors() : std::vector<int>());
  apply_limits(trial.limits);
}

[[noreturn]] void finish(TrialReport& report, const RunReply& reply) {
  const std::string bytes = encode_message(reply);
  if (bytes.size() <= report.reply.size()) {
    std::ranges::copy(bytes, report.reply.begin());
    report.reply_bytes.store(bytes.size());
    report.stage.store(TrialStage::Done);
  }
  _exit(0);
}

[[noreturn]] void finish(TrialReport& report, trial::ErrorCategory category, const std::string& message,
                         double worst_error = 0) {
  RunReply reply;
  reply.measurement.category = category;
  reply.measurement.worst_error = worst_error;
  reply.measurement.message = clean_message(message);
  finish(report, reply);
}

/** A loaded kernel. */
struct LoadedEntry {
  void* function = nullptr;
  /// of instructions, see with_instruction_table(); null: the kernel was built without
  const std::int32_t* instruction_table = nullptr;
};

LoadedEntry load_entry(const std::string& name, TrialReport& report) {
  void* library = dlopen(fmt::format("/proc/self/fd/{}", artefact_descriptor).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    finish(report, trial::ErrorCategory::CompileHost,
           fmt::format("the shared object does not load: {}", dlerror()));
  }
  void* entry = dlsym(library, name.c_str());
  if (entry == nullptr) {
    finish(report, trial::ErrorCategory::CompileHost,
           fmt::format("the shared object has no function `{}`", name));
  }
  close(artefact_descriptor);
  return {entry, static_cast<const std::int32_t*>(dlsym(library, machine_code::instruction_table_symbol))};
}

/** Returns true if the kernel may start threads in addition to the calling one. */
bool has_own_threads(const KernelTrial& trial) { return trial.processors > trial.request.threads; }

/** Starts the threads that call the kernel; returns null if they can't be started. */
std::unique_ptr<KernelThreads> start_threads(const KernelTrial& trial) {
  std::vector<int> processors = base::usable_processors();
  if (!has_own_threads(trial)) return KernelThreads::start(trial.request.threads, processors, prepare_thread);
  processors.resize(std::min(processors.size(), static_cast<std::size_t>(trial.processors)));
  return KernelThreads::start(trial.request.threads, processors, prepare_thread, Placement::AllProcessors);
}

/** The loaded kernel with its threads. */
class LoadedKernel {
 public:
  LoadedKernel(const KernelTrial& trial, KernelThreads& threads)
      : trial_(trial), kernel_(trial.kernel), threads_(threads), restore_(kernel_.restore()) {}

  double run(std::int64_t calls) {
    if (restore_) return run_restored(calls);
    const auto start = std::chrono::steady_clock::now();
    for (std::int64_t i = 0; i < calls; ++i) threads_.call(kernel_.work());
    return seconds_since(start);
  }

  OutputCheck check() const { return kernel_.check(); }

  /**
   * Counts processor events in one more region, as long as a few repeats; the timed regions are not affected.
   */
  trial::CounterReading count(double call_seconds) {
    ThreadCounters counters(trial_.request.threads, system_counters());
    threads_.call([&](int part) { counters.open(part); });
    const std::int64_t calls = calls_within(counted_seconds, call_seconds);
    threads_.call([&](int part) { counters.start(part); });
    const double others_before = other_threads_seconds();
    const double seconds = run(calls);
    const double others_seconds = other_threads_seconds() - others_before;
    threads_.call([&](int part) { counters.stop(part); });
    // Counters are of the thread that calls, the time is that of all threads.
    if (has_own_threads(trial_) && others_seconds > max_others_share * seconds)
      return uncounted_reading(static_cast<double>(calls), seconds);
    return counters.reading(static_cast<double>(calls), seconds);
  }

  /**
   * Samples where the threads are in one more region, and adds the samples to a reading, or why there are
   * none. The region is separate from the counted one, so that the samples' interrupts are not counted.
   */
  void sample(const std::int32_t* table, double call_seconds, trial::CounterReading& reading) {
    int error = 0;
    const std::int64_t calls = calls_within(sampled_seconds, call_seconds);
    const double seconds = static_cast<double>(calls) * call_seconds;
    for (const SampledEvent event : sampled_events) {
      ThreadSamplers samplers(trial_.request.threads, event, seconds, system_samplers());
      threads_.call([&](int part) { samplers.open(part); });
      error = samplers.error();
      if (error != 0) continue;
      threads_.call([&](int part) { samplers.start(part); });
      run(calls);
      threads_.call([&](int part) { samplers.stop(part); });
      reading.samples = InstructionAddresses(table).count_samples(samplers.samples());
      reading.samples->event = to_string(event);
      if (!reading.samples->instructions.empty()) return;
      // Some virtual machines open the event and never deliver it.
      reading.samples.reset();
    }
    reading.missing.push_back(missing_samples(error, perf_event_paranoid()));
  }

  trial::Measurement time() {
    const TimedKernel timed{.run = [this](std::int64_t calls) { return run(calls); },
                            .watch = [this] { watch(); },
                            .lost = [this] { return lost(); },
                            .flush_caches = [this] { kernel_.flush_caches(); },
                            .region_seconds = watched_region_seconds,
                            .joules = joules_reader(),
                            .min_joules_seconds = min_energy_seconds,
                            .processor_seconds = [this] { return processor_seconds(); },
                            .max_calls = max_calls()};
    return time_kernel(timed, trial_.request.options, trial_.request.best_seconds);
  }

 private:
  static std::int64_t calls_within(double seconds, double call_seconds) {
    return static_cast<std::int64_t>(std::clamp(std::ceil(seconds / call_seconds), 1.0, 1e9));
  }

  /** CPU seconds of all threads but the calling one. */
  static double other_threads_seconds() { return base::process_cpu_seconds() - base::thread_cpu_seconds(); }

  /** Returns nothing if data are restored between the calls, since restoring consumes energy too. */
  std::function<double()> joules_reader() const {
    if (trial_.energy == nullptr || !trial_.energy->available() || restore_) return {};
    return [energy = trial_.energy, before = trial_.energy->read()] {
      return energy->joules(before, energy->read());
    };
  }

  /** Returns the CPU time of the kernel's threads so far. */
  double processor_seconds() const {
    return has_own_threads(trial_) ? base::process_cpu_seconds() : threads_.processor_seconds();
  }

  void watch() { has_own_threads(trial_) ? process_.begin() : threads_.watch(); }

  LostTime lost() {
    if (!has_own_threads(trial_)) return threads_.lost();
    // More threads than processors wait for each other by the kernel's own choice. Neither waits nor
    // preemptions distinguish this from the load of other programs, so the lost time is unknown and no sample
    // is repeated.
    if (process_.threads() > static_cast<std::size_t>(trial_.processors)) return {};
    return process_.lost();
  }

  /**
   * Returns the maximum number of calls of a region. Restoring before each call takes time too, which is
   * limited.
   */
  std::int64_t max_calls() {
    if (!restore_) return TimedKernel{}.max_calls;
    const auto start = std::chrono::steady_clock::now();
    restore_();
    return calls_within_restoring(seconds_since(start), trial_.request.options);
  }

  /** Times only the calls, not the restoring between them. */
  double run_restored(std::int64_t calls) {
    double seconds = 0;
    for (std::int64_t i = 0; i < calls; ++i) {
      restore_();
      const auto start = std::chrono::steady_clock::now();
      threads_.call(kernel_.work());
      seconds += seconds_since(start);
    }
    return seconds;
  }

  const KernelTrial& trial_;
  TrialKernel& kernel_;
  KernelThreads& threads_;
  ProcessWatch process_;  ///< watches a kernel with its own threads
  std::function<void()> restore_;
};

/** Checks the outputs before or after timing, and ends the process if they are wrong. */
double require_right(const LoadedKernel& kernel, TrialReport& report, const char* when) {
  const OutputCheck check = kernel.check();
  if (!check.problem.empty()) {
    finish(report, trial::ErrorCategory::WrongAnswer, fmt::format("{}{}", check.problem, when),
           check.worst_error);
  }
  return check.worst_error;
}

std::string describe_fault(const TrialReport& report, const RunRequest& request) {
  const std::uint64_t address = report.fault_address.load();
  switch (report.fault.load()) {
    case FaultKind::StackOverflow:
      return "; the stack of 8 MiB overflowed";
    case FaultKind::Address:
      if (address >= 4096) return fmt::format(" at address {:#x}", address);
      return fmt::format(" at address {:#x}, as if memory were refused (the limit is {} MiB)", address,
                         request.options.memory_limit_bytes >> 20);
    case FaultKind::None:
      break;
  }
  return {};
}

std::string describe_stage(TrialStage stage) {
  switch (stage) {
    case TrialStage::Starting:
    case TrialStage::Loading:
      return "while it was loaded";
    case TrialStage::Checking:
      return "in the checked run";
    case TrialStage::Timing:
    case TrialStage::Done:
      break;
  }
  return "while it was timed";
}

/** Returns true if a healthy trial can have left this reply: the kernel may have overwritten it. */
bool is_plausible(const trial::Measurement& measurement, const RunRequest& request) {
  const bool samples =
      std::ranges::all_of(measurement.samples_seconds, [](double s) { return s > 0 && s < 1e9; });
  const bool valid = measurement.valid() == !measurement.samples_seconds.empty();
  return samples && valid && measurement.message.size() <= max_message_bytes &&
         measurement.worst_error >= 0 && trial::plausible_metrics(measurement.metrics) &&
         measurement.samples_seconds.size() <= static_cast<std::size_t>(request.options.repeats);
}

RunReply failed(trial::ErrorCategory category, const std::string& message, const std::string& output = {}) {
  RunReply reply;
  reply.measurement.category = category;
  reply.measurement.message =
      clean_message(output.empty() ? message : message + "\nThe kernel wrote: " + output);
  return reply;
}

RunReply read_reply(const TrialReport& report, const RunRequest& request) {
  const std::uint64_t bytes = std::min<std::uint64_t>(report.reply_bytes.load(), report.reply.size());
  const Frame frame{
      .type = MessageType::RunReply, .token = 0, .payload = std::string(report.reply.data(), bytes)};
  auto reply = decode_message<RunReply>(frame);
  if (reply && (!reply->machine_fault.empty() || is_plausible(reply->measurement, request))) {
    return std::move(*reply);
  }
  return failed(trial::ErrorCategory::UnknownError, "the kernel's process left a damaged report");
}

}  // namespace

void run_kernel_trial(const KernelTrial& trial, pid_t parent, TrialReport& report) {
  isolate(trial, parent);
  catch_faults(report);
  // A kernel in C++ shares our library of C++: its exception is to end the process as judge_trial() expects.
  base::remove_last_handler();
  end_at_exit();
  // Before the kernel is loaded, since the libraries that it loads read their processors then.
  const auto threads = start_threads(trial);
  report.stage.store(TrialStage::Loading);
  const LoadedEntry entry = load_entry(trial.request.entry, report);
  if (!threads || !trial.kernel.make_ready(entry.function, trial.request.threads)) {
    RunReply reply;
    reply.machine_fault =
        fmt::format("there is not enough memory for the kernel's {} threads and outputs: {}",
                    trial.request.threads, std::strerror(errno));
    finish(report, reply);
  }
  LoadedKernel kernel(trial, *threads);
  trial.kernel.clear_outputs();
  report.stage.store(TrialStage::Checking);
  const double first_seconds = kernel.run(1);
  if (trial.purpose == TrialPurpose::Reference) {
    trial.kernel.keep_outputs();
    RunReply reply;
    reply.measurement.samples_seconds = {std::max(first_seconds, 1e-9)};
    finish(report, reply);
  }
  require_right(kernel, report, "");
  report.stage.store(TrialStage::Timing);
  RunReply reply;
  reply.measurement = kernel.time();
  if (trial.request.counters) {
    const double call_seconds = *std::ranges::min_element(reply.measurement.samples_seconds);
    trial::CounterReading reading = kernel.count(call_seconds);
    if (entry.instruction_table != nullptr) kernel.sample(entry.instruction_table, call_seconds, reading);
    reply.counters_json = trial::counter_reading_to_json(reading);
  }
  reply.measurement.worst_error = require_right(kernel, report, " (after timing; it was correct before)");
  finish(report, reply);
}

RunReply judge_trial(const ChildOutcome& outcome, const TrialReport& report, const RunRequest& request) {
  const TrialStage stage = report.stage.load();
  const std::string when = describe_stage(stage);
  switch (outcome.end) {
    case ChildEnd::Exited:
      if (stage == TrialStage::Done && outcome.code == 0) return read_reply(report, request);
      return failed(trial::ErrorCategory::RuntimeDevice,
                    fmt::format("the kernel ended its process with exit code {} {}", outcome.code, when),
                    outcome.output);
    case ChildEnd::Signalled:
      if (outcome.code == SIGXCPU) {
        return failed(trial::ErrorCategory::RunTimeout, "the kernel used up its CPU time " + when,
                      outcome.output);
      }
      if (const std::string thrown = exception_in(outcome.output); outcome.code == SIGABRT && !thrown.empty())
        return failed(trial::ErrorCategory::RuntimeDevice,
                      fmt::format("an exception left the kernel {}: {}", when, thrown));
      return failed(trial::ErrorCategory::RuntimeDevice,
                    fmt::format("the kernel was ended by {}{} {}", describe_signal(outcome.code),
                                describe_fault(report, request), when),
                    outcome.output);
    case ChildEnd::TimedOut:
      return failed(
          trial::ErrorCategory::RunTimeout,
          fmt::format("the kernel was stopped after {} s, {}", request.options.run_timeout_seconds, when),
          outcome.output);
    case ChildEnd::HungUp:
    case ChildEnd::Lost:
      break;
  }
  return failed(trial::ErrorCategory::UnknownError, "the kernel's process was lost");
}

}  // namespace kernelscape::measure
