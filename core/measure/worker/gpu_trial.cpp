#include "core/measure/worker/gpu_trial.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "core/measure/interruption.h"
#include "core/measure/worker/message_text.h"
#include "core/measure/worker/timing.h"

namespace kernelscape::measure {
namespace {

constexpr const char* checked_run = "in the checked run";
constexpr const char* timed_run = "while it was timed";
// Drivers update the counter every 20 to 50 ms: over a second the error stays below a tenth.
constexpr double min_gpu_energy_seconds = 1;

RunReply failed_on_device(trial::ErrorCategory category, const std::string& message, double worst_error = 0) {
  RunReply reply;
  reply.measurement.category = category;
  reply.measurement.message = clean_message(message);
  reply.measurement.worst_error = worst_error;
  return reply;
}

RunReply device_gone(const DeviceError& error) {
  RunReply reply;
  reply.machine_fault = clean_message("the GPU is gone: " + error.message);
  reply.hint = "check with `kernelscape devices` that it is available again, then resume the session";
  reply.device_lost = true;
  return reply;
}

/** Returns the reply for a failure of the kernel. */
RunReply kernel_failed(const DeviceError& error, const std::string& when) {
  if (error.device_gone) return device_gone(error);
  RunReply reply =
      failed_on_device(trial::ErrorCategory::RuntimeDevice, fmt::format("{} {}", error.message, when));
  reply.device_lost = error.context_lost;
  return reply;
}

/** Returns the reply for a failure before there was a kernel. */
RunReply tensors_not_placed(const DeviceError& error) {
  if (error.device_gone) return device_gone(error);
  RunReply reply;
  reply.machine_fault = clean_message("the task's tensors can't be placed on the GPU: " + error.message);
  reply.hint = error.out_of_memory ? "end other programs that use its memory, or choose a smaller task; then "
                                     "resume the session"
                                   : "check that other programs can use it, then resume the session";
  reply.device_lost = error.context_lost;
  return reply;
}

}  // namespace

/**
 * The trial of one kernel. Each step returns the reply that ends the trial, or nullopt to continue with the
 * next step.
 */
class GpuTrials::Trial {
 public:
  Trial(GpuDevice& device, GpuOperands& operands, const RunRequest& request,
        const std::function<double()>& joules)
      : device_(device), operands_(operands), request_(request), joules_(joules) {}

  RunReply run() {
    RunReply reply = run_steps();
    if (reply.device_lost) {
      operands_.lose();
      return reply;
    }
    operands_.take_back(device_);
    if (!reply.machine_fault.empty() || !reply.measurement.valid()) operands_.forget(device_);
    return reply;
  }

 private:
  using Ended = std::optional<RunReply>;

  RunReply run_steps() {
    constexpr std::array steps{&Trial::place,         &Trial::load, &Trial::run_once,
                               &Trial::check,         &Trial::time, &Trial::check_after_timing,
                               &Trial::compare_inputs};
    for (const auto step : steps) {
      if (Ended ended = (this->*step)()) return std::move(*ended);
    }
    return std::move(reply_);
  }

  Ended place() {
    if (auto placed = operands_.place(device_); !placed) return tensors_not_placed(placed.error());
    return {};
  }

  Ended load() {
    start_ = std::chrono::steady_clock::now();
    if (auto loaded = device_.load(request_.artefact, request_.entry); !loaded)
      return kernel_failed(loaded.error(), "while it was loaded");
    if (auto filled = operands_.fill_constants(device_); !filled)
      return kernel_failed(filled.error(), "while its constants were filled");
    return {};
  }

  Ended run_once() {
    if (const auto ran = device_.launch(request_.launch, operands_.arguments(), 1); !ran)
      return kernel_failed(ran.error(), checked_run);
    return out_of_time(checked_run);
  }

  Ended check() { return check_output_of(checked_run, ""); }
  Ended check_after_timing() { return check_output_of(timed_run, " (after timing; it was correct before)"); }

  Ended check_output_of(const char* stage, const char* remark) {
    const auto check = operands_.check(device_);
    if (!check) return kernel_failed(check.error(), stage);
    reply_.measurement.worst_error = check->worst_error;
    if (check->problem.empty()) return {};
    return failed_on_device(trial::ErrorCategory::WrongAnswer, check->problem + remark, check->worst_error);
  }

  Ended time() {
    const TimedKernel timed{.run = [this](std::int64_t calls) { return time_region(calls); },
                            .watch = {},
                            .lost = {},
                            .flush_caches = [this] { flush_cache(); },
                            // Restoring data between the calls consumes energy too.
                            .joules = operands_.restores() ? std::function<double()>() : joules_,
                            .min_joules_seconds = min_gpu_energy_seconds,
                            .max_calls = max_calls()};
    if (timing_ended_) return std::move(timing_ended_);
    trial::Measurement timing = time_kernel(timed, request_.options, request_.best_seconds);
    if (timing_ended_) return std::move(timing_ended_);
    timing.worst_error = reply_.measurement.worst_error;
    reply_.measurement = std::move(timing);
    return {};
  }

  /**
   * Returns the maximum number of calls of a region. Restoring before each call takes time too, which is
   * limited.
   */
  std::int64_t max_calls() {
    if (!operands_.restores()) return TimedKernel{}.max_calls;
    const auto start = std::chrono::steady_clock::now();
    time_region(1);
    return calls_within_restoring(seconds_since(start), request_.options);
  }

  /**
   * Returns the seconds of the region. After a failure the device is not used any more, and every region
   * counts as long enough, so that the timing ends.
   */
  double time_region(std::int64_t calls) {
    const double enough = 1 + request_.options.min_repeat_seconds;
    if (timing_ended_) return enough;
    const auto seconds = operands_.restores() ? launch_restored(calls)
                                              : device_.launch(request_.launch, operands_.arguments(), calls);
    timing_ended_ = seconds ? out_of_time(timed_run) : kernel_failed(seconds.error(), timed_run);
    return seconds ? *seconds : enough;
  }

  DeviceResult<double> launch_restored(std::int64_t calls) {
    double seconds = 0;
    for (std::int64_t call = 0; call < calls; ++call) {
      TRY(operands_.restore(device_));
      seconds += TRY(device_.launch(request_.launch, operands_.arguments(), 1));
      if (out_of_time(timed_run)) break;
    }
    return seconds;
  }

  void flush_cache() {
    if (timing_ended_) return;
    if (auto flushed = device_.flush_cache(); !flushed)
      timing_ended_ = kernel_failed(flushed.error(), timed_run);
  }

  Ended compare_inputs() {
    const auto changed = operands_.changed_input(device_);
    if (!changed) return kernel_failed(changed.error(), timed_run);
    if (changed->empty()) return {};
    return failed_on_device(trial::ErrorCategory::WrongAnswer,
                            fmt::format("the kernel wrote to its input {}", *changed));
  }

  Ended out_of_time(const char* when) const {
    const double limit = request_.options.run_timeout_seconds;
    if (seconds_since(start_) <= limit) return {};
    return failed_on_device(trial::ErrorCategory::RunTimeout,
                            fmt::format("the kernel was stopped after {} s, {}", limit, when));
  }

  GpuDevice& device_;
  GpuOperands& operands_;
  const RunRequest& request_;
  const std::function<double()>& joules_;
  std::chrono::steady_clock::time_point start_;
  Ended timing_ended_;
  RunReply reply_;
};

GpuTrials::GpuTrials(std::unique_ptr<GpuDevice> device) : device_(std::move(device)) {}

GpuTrials::GpuTrials(std::unique_ptr<GpuDevice> device, const PreparedProgram& program)
    : device_(std::move(device)), program_(std::make_unique<GpuProgram>(program)) {}

GpuTrials::GpuTrials(GpuTrials&& other) noexcept = default;

GpuTrials::~GpuTrials() {
  if (!device_) return;
  tensors_.forget(*device_);
  if (program_) program_->forget(*device_);
}

RunReply GpuTrials::run(const TrialTensors& tensors, const RunRequest& request) {
  tensors_.set(tensors, request.arguments);
  return Trial(*device_, tensors_, request, joules_).run();
}

RunReply GpuTrials::run(const RunRequest& request) {
  program_->set(request.launch);
  return Trial(*device_, *program_, request, joules_).run();
}

Status GpuTrials::run_reference(const PreparedAnswer& answer, const PreparedProgram& program) {
  const auto failed = [](const DeviceError& error) {
    return fail(
        error.device_gone || error.out_of_memory ? ErrorCode::Environment : ErrorCode::InvalidArgument,
        "the reference fails: " + error.message,
        "correct it, or name another reference in kernelscape.Reference");
  };
  program_->set(answer.launch);
  if (auto placed = program_->place(*device_); !placed) return failed(placed.error());
  if (auto loaded = device_->load(answer.artefact, answer.entry); !loaded) return failed(loaded.error());
  if (auto filled = program_->fill_constants(*device_); !filled) return failed(filled.error());
  if (auto ran = device_->launch(answer.launch, program_->arguments(), 1); !ran) {
    if (ran.error().context_lost) program_->lose();
    return failed(ran.error());
  }
  for (std::size_t argument = 0; argument < program.arguments().size(); ++argument) {
    const std::span<std::byte> right = program.right(argument);
    if (right.empty()) continue;
    if (auto read = program_->read_output(*device_, argument, right); !read) return failed(read.error());
  }
  return {};
}

}  // namespace kernelscape::measure
