#include "core/measure/worker/gpu_trial.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "core/measure/cpu/packing.h"
#include "core/measure/interruption.h"
#include "core/measure/worker/message_text.h"
#include "core/measure/worker/output_check.h"
#include "core/measure/worker/timing.h"

namespace kernelscape {
namespace {

constexpr std::size_t guard_bytes = 4096;  // behind the output, where a kernel that goes beyond it is noticed
constexpr const char* checked_run = "in the checked run";
constexpr const char* timed_run = "while it was timed";

RunReply failed_on_device(ErrorCategory category, const std::string& message, double worst_error = 0) {
  RunReply reply;
  reply.measurement.category = category;
  reply.measurement.message = clean_message(message);
  reply.measurement.worst_error = worst_error;
  return reply;
}

RunReply device_gone(const DeviceError& error) {
  RunReply reply;
  reply.machine_fault = clean_message("the GPU is gone: " + error.message);
  reply.hint = "see with `kernelscape devices` that it is there again, then resume the session";
  reply.device_lost = true;
  return reply;
}

/** What the kernel did. */
RunReply kernel_failed(const DeviceError& error, const std::string& when) {
  if (error.device_gone) return device_gone(error);
  RunReply reply = failed_on_device(ErrorCategory::RuntimeDevice, fmt::format("{} {}", error.message, when));
  reply.device_lost = error.context_lost;
  return reply;
}

/** What happened before there was a kernel. */
RunReply tensors_not_placed(const DeviceError& error) {
  if (error.device_gone) return device_gone(error);
  RunReply reply;
  reply.machine_fault = clean_message("the task's tensors can't be placed on the GPU: " + error.message);
  reply.hint = error.out_of_memory ? "end other programs that use its memory, or choose a smaller task; then "
                                     "resume the session"
                                   : "see that other programs can use it, then resume the session";
  reply.device_lost = error.context_lost;
  return reply;
}

}  // namespace

/** The GPU with the inputs of the latest kernel in its memory. */
class GpuTrials::Device {
 public:
  explicit Device(std::unique_ptr<GpuDevice> device) : device_(std::move(device)) {}
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;
  ~Device() { forget_inputs(); }

  GpuDevice& operator*() const { return *device_; }
  GpuDevice* operator->() const { return device_.get(); }

  /** An input in the device's memory; uploaded where the latest kernel took another layout. */
  DeviceResult<GpuDevice::Memory> input(std::size_t position, const Layout& layout,
                                        std::span<const std::byte> bytes) {
    std::optional<Input>& kept = inputs_[position];
    if (kept && kept->layout == layout) return kept->memory;
    forget(kept);
    auto memory = TRY(device_->allocate(bytes.size()));
    kept = Input{layout, memory};
    TRY(device_->write(memory, bytes));
    return memory;
  }

  /** They are uploaded again: a kernel may have written to them. */
  void forget_inputs() {
    for (std::optional<Input>& input : inputs_) forget(input);
  }

  void release(GpuDevice::Memory memory) {
    if (!lost_) device_->release(memory);
  }

  /** No call may follow. */
  void lose() { lost_ = true; }

 private:
  struct Input {
    Layout layout;
    GpuDevice::Memory memory = 0;
  };

  void forget(std::optional<Input>& input) {
    if (input) release(input->memory);
    input.reset();
  }

  std::unique_ptr<GpuDevice> device_;
  std::array<std::optional<Input>, 2> inputs_;
  bool lost_ = false;
};

/** One kernel. Each step gives the reply that ends the trial, or nothing: the next step follows. */
class GpuTrials::Trial {
 public:
  Trial(Device& device, const TrialTensors& tensors, const RunRequest& request)
      : device_(device), tensors_(tensors), request_(request) {}

  RunReply run() {
    RunReply reply = run_steps();
    if (reply.device_lost) device_.lose();
    if (output_) device_.release(*output_);
    if (!reply.machine_fault.empty() || !reply.measurement.valid()) device_.forget_inputs();
    return reply;
  }

 private:
  using Ended = std::optional<RunReply>;

  RunReply run_steps() {
    constexpr std::array steps{&Trial::place_inputs,       &Trial::place_output,  &Trial::load,
                               &Trial::run_once,           &Trial::check,         &Trial::time,
                               &Trial::check_after_timing, &Trial::compare_inputs};
    for (const auto step : steps) {
      if (Ended ended = (this->*step)()) return std::move(*ended);
    }
    return std::move(reply_);
  }

  Ended place_inputs() {
    for (std::size_t i = 0; i < tensors_.inputs.size(); ++i) {
      const auto memory = device_.input(i, request_.arguments[i].layout, tensors_.inputs[i]);
      if (!memory) return tensors_not_placed(memory.error());
      arguments_[i] = *memory;
    }
    return {};
  }

  Ended place_output() {
    blank_.resize(tensors_.output_bytes + guard_bytes);
    fill_unwritten(tensors_.op.output.type, blank_);
    const auto memory = device_->allocate(blank_.size());
    if (!memory) return tensors_not_placed(memory.error());
    output_ = arguments_.back() = *memory;
    if (auto written = device_->write(*memory, blank_); !written) return tensors_not_placed(written.error());
    return {};
  }

  Ended load() {
    start_ = std::chrono::steady_clock::now();
    if (auto loaded = device_->load(request_.artefact, request_.entry); !loaded)
      return kernel_failed(loaded.error(), "while it was loaded");
    return {};
  }

  Ended run_once() {
    if (const auto ran = device_->run(request_.launch, arguments_, 1); !ran)
      return kernel_failed(ran.error(), checked_run);
    return out_of_time(checked_run);
  }

  Ended check() { return check_output_of(checked_run, ""); }
  Ended check_after_timing() { return check_output_of(timed_run, " (after timing, though right before)"); }

  Ended check_output_of(const char* stage, const char* remark) {
    read_back_.resize(blank_.size());
    if (auto read = device_->read(*output_, read_back_); !read) return kernel_failed(read.error(), stage);
    const std::span<const std::byte> bytes(read_back_);
    const bool intact = std::ranges::equal(bytes.subspan(tensors_.output_bytes),
                                           std::span(blank_).subspan(tensors_.output_bytes));
    const OutputCheck check = check_output(
        tensors_.op, tensors_.reference, bytes.first(tensors_.output_bytes), tensors_.output_offsets, intact);
    reply_.measurement.worst_error = check.worst_error;
    if (check.problem.empty()) return {};
    return failed_on_device(ErrorCategory::WrongAnswer, check.problem + remark, check.worst_error);
  }

  Ended time() {
    const TimedKernel timed{.run = [this](std::int64_t calls) { return time_region(calls); },
                            .watch = {},
                            .lost = {},
                            .flush_caches = [this] { flush_cache(); }};
    Measurement timing = time_kernel(timed, request_.options, request_.best_seconds);
    if (timing_ended_) return std::move(timing_ended_);
    timing.worst_error = reply_.measurement.worst_error;
    reply_.measurement = std::move(timing);
    return {};
  }

  /** Seconds of the region; once something failed the device is left alone, and every region is long enough
   * for the timing to come to its end. */
  double time_region(std::int64_t calls) {
    const double enough = 1 + request_.options.min_repeat_seconds;
    if (timing_ended_) return enough;
    const auto seconds = device_->run(request_.launch, arguments_, calls);
    timing_ended_ = seconds ? out_of_time(timed_run) : kernel_failed(seconds.error(), timed_run);
    return seconds ? *seconds : enough;
  }

  void flush_cache() {
    if (timing_ended_) return;
    if (auto flushed = device_->flush_cache(); !flushed)
      timing_ended_ = kernel_failed(flushed.error(), timed_run);
  }

  Ended compare_inputs() {
    for (std::size_t i = 0; i < tensors_.inputs.size(); ++i) {
      read_back_.resize(tensors_.inputs[i].size());
      if (auto read = device_->read(arguments_[i], read_back_); !read)
        return kernel_failed(read.error(), timed_run);
      if (!std::ranges::equal(read_back_, tensors_.inputs[i])) {
        return failed_on_device(ErrorCategory::WrongAnswer,
                                fmt::format("the kernel wrote to its input {}", request_.arguments[i].name));
      }
    }
    return {};
  }

  Ended out_of_time(const char* when) const {
    const double limit = request_.options.run_timeout_seconds;
    if (seconds_since(start_) <= limit) return {};
    return failed_on_device(ErrorCategory::RunTimeout,
                            fmt::format("the kernel was stopped after {} s, {}", limit, when));
  }

  Device& device_;
  const TrialTensors& tensors_;
  const RunRequest& request_;
  std::array<GpuDevice::Memory, 3> arguments_{};
  std::optional<GpuDevice::Memory> output_;
  std::vector<std::byte> blank_;  ///< an output that no kernel has written to, with what lies behind it
  std::vector<std::byte> read_back_;
  std::chrono::steady_clock::time_point start_;
  Ended timing_ended_;
  RunReply reply_;
};

GpuTrials::GpuTrials(std::unique_ptr<GpuDevice> device)
    : device_(std::make_unique<Device>(std::move(device))) {}
GpuTrials::GpuTrials(GpuTrials&& other) noexcept = default;
GpuTrials::~GpuTrials() = default;

RunReply GpuTrials::run(const TrialTensors& tensors, const RunRequest& request) {
  return Trial(*device_, tensors, request).run();
}

}  // namespace kernelscape
