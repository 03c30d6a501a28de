#include "core/measure/cpu_measurer.h"

#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "core/measure/builder_pool.h"
#include "core/measure/busy_meter.h"
#include "core/measure/kernel_trial.h"
#include "core/measure/message_text.h"
#include "core/measure/packing.h"
#include "core/measure/runner.h"

namespace kernelscape {
namespace {

constexpr std::size_t least_chunk = 64;

/** A candidate between its build and its run. */
struct BuiltKernel {
  KernelSource source;
  BuildOutcome build;
  double instantiation_seconds = 0;
};

Measurement instantiation_error(const Error& error, double seconds) {
  Measurement measurement;
  measurement.category = ErrorCategory::InstantiationError;
  measurement.message = clean_message(describe(error));
  measurement.build_seconds = seconds;
  return measurement;
}

class CpuMeasurer final : public Measurer {
 public:
  CpuMeasurer(std::shared_ptr<const KernelFamily> family, const TargetDescription& target,
              const MeasureOptions& options)
      : family_(std::move(family)),
        options_(options),
        pool_(target, options),
        runner_(family_->task(), target, options),
        thread_([this] { serve(); }) {}

  ~CpuMeasurer() override {
    {
      const std::scoped_lock lock(mutex_);
      quitting_ = true;
    }
    interrupt_.trigger();
    changed_.notify_all();
    thread_.join();
  }

  Status submit(std::span<const Configuration> batch) override {
    std::unique_lock lock(mutex_);
    // All its candidates may be known a moment before the measuring thread is ready for the next batch.
    changed_.wait(lock, [this] { return !active_ || progress_.finished < batch_.size(); });
    if (active_) return fail(ErrorCode::Internal, "a batch was submitted while another is being measured");
    batch_.assign(batch.begin(), batch.end());
    finished_.clear();
    error_.reset();
    progress_ = {};
    active_ = !batch_.empty();
    changed_.notify_all();
    return {};
  }

  Result<std::vector<Completed>> collect(std::chrono::milliseconds patience) override {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, patience, [this] { return !finished_.empty() || !active_; });
    if (finished_.empty() && error_) return std::unexpected(*error_);
    return std::exchange(finished_, {});
  }

  BatchProgress progress() const override {
    const std::scoped_lock lock(mutex_);
    return progress_;
  }

  BusyTimes take_busy_times() override { return meter_.take(); }

  void abort() override {
    interrupt_.trigger();
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return !active_; });
    interrupt_.reset();
  }

  void set_best_seconds(double seconds) override {
    const std::scoped_lock lock(mutex_);
    best_seconds_ = seconds;
  }

 private:
  /** The measuring thread: all workers are its children, and end with it. */
  void serve() {
    std::unique_lock lock(mutex_);
    while (true) {
      changed_.wait(lock, [this] { return active_ || quitting_; });
      if (quitting_) return;
      lock.unlock();
      Status outcome = measure_guarded();
      meter_.switch_to(BusyMeter::Activity::None);
      lock.lock();
      if (!outcome) error_ = outcome.error();
      active_ = false;
      progress_.building = progress_.running = 0;
      changed_.notify_all();
    }
  }

  Status measure_guarded() {
    try {
      return measure_batch();
    } catch (const std::exception& problem) {
      return fail(ErrorCode::Internal, fmt::format("measuring failed: {}", problem.what()));
    }
  }

  /** Builds and runs take turns, chunk by chunk: an interruption loses little, and results don't come all at
   * once. */
  Status measure_batch() {
    const std::size_t chunk = std::max(least_chunk, 4 * pool_.builders());
    for (std::size_t first = 0; first < batch_.size(); first += chunk) {
      auto alive = measure_chunk(first, std::min(chunk, batch_.size() - first));
      if (!alive) return std::unexpected(alive.error());
      if (!*alive) break;
    }
    return {};
  }

  /** False where it was interrupted. */
  Result<bool> measure_chunk(std::size_t first, std::size_t count) {
    std::vector<std::optional<BuiltKernel>> kernels(count);
    BuildJobs jobs{.count = count, .source = {}, .done = {}};
    jobs.source = [&](std::size_t i) { return instantiate(first + i, kernels[i]); };
    jobs.done = [&](std::size_t i, BuildOutcome outcome) {
      kernels[i]->build = std::move(outcome);
      count_built(first + i, kernels[i]);
    };
    meter_.switch_to(BusyMeter::Activity::Building);
    auto built = pool_.build(jobs, interrupt_.interruption());
    if (built && !*built) return built;
    // A machine's fault leaves kernels that were built but whose outcome is missing: they are not measured.
    meter_.switch_to(BusyMeter::Activity::Running);
    for (std::size_t i = 0; i < count; ++i) {
      if (!kernels[i] || kernels[i]->build.artefact.empty()) continue;
      auto ran = run(first + i, *kernels[i]);
      kernels[i].reset();
      if (!ran || !*ran) return ran;
    }
    return built;
  }

  std::optional<KernelSource> instantiate(std::size_t position, std::optional<BuiltKernel>& kernel) {
    const auto start = std::chrono::steady_clock::now();
    auto source = family_->source(batch_[position]);
    if (source) {
      if (auto good = check_arguments(*family_->task().op, source->arguments); !good) {
        source = std::unexpected(good.error());
      }
    }
    const double seconds = seconds_since(start);
    if (!source) {
      finish(position, instantiation_error(source.error(), seconds));
      return std::nullopt;
    }
    KernelSource for_builder = *source;
    source->text.clear();
    kernel = BuiltKernel{.source = std::move(*source), .build = {}, .instantiation_seconds = seconds};
    const std::scoped_lock lock(mutex_);
    ++progress_.building;
    return for_builder;
  }

  /** A failed build is a finished trial; a good one waits for its run. */
  void count_built(std::size_t position, std::optional<BuiltKernel>& kernel) {
    {
      const std::scoped_lock lock(mutex_);
      --progress_.building;
      ++progress_.built;
    }
    if (kernel->build.category == ErrorCategory::NoError) return;
    Measurement measurement;
    measurement.category = kernel->build.category;
    measurement.message = std::move(kernel->build.message);
    measurement.build_seconds = kernel->instantiation_seconds + kernel->build.build_seconds;
    kernel.reset();
    finish(position, std::move(measurement));
  }

  Result<bool> run(std::size_t position, BuiltKernel& kernel) {
    double best_seconds = 0;
    {
      const std::scoped_lock lock(mutex_);
      progress_.running = 1;
      best_seconds = best_seconds_;
    }
    auto measurement = runner_.run(kernel.source, std::move(kernel.build.artefact), options_, best_seconds,
                                   interrupt_.interruption());
    if (!measurement) return std::unexpected(measurement.error());
    if (!*measurement) return false;
    (*measurement)->build_seconds = kernel.instantiation_seconds + kernel.build.build_seconds;
    finish(position, std::move(**measurement));
    return true;
  }

  void finish(std::size_t position, Measurement measurement) {
    const std::scoped_lock lock(mutex_);
    progress_.running = 0;
    ++progress_.finished;
    finished_.push_back({.position = position, .measurement = std::move(measurement)});
    changed_.notify_all();
  }

  std::shared_ptr<const KernelFamily> family_;
  MeasureOptions options_;
  InterruptionSwitch interrupt_;
  BusyMeter meter_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Configuration> batch_;  ///< the measuring thread's while active_
  std::vector<Completed> finished_;
  std::optional<Error> error_;
  BatchProgress progress_;
  double best_seconds_ = 0;
  bool active_ = false;
  bool quitting_ = false;
  BuilderPool pool_;  ///< the measuring thread's
  Runner runner_;     ///< the measuring thread's
  std::thread thread_;
};

}  // namespace

Result<std::unique_ptr<Measurer>> make_cpu_measurer(std::shared_ptr<const KernelFamily> family,
                                                    const TargetDescription& target,
                                                    const MeasureOptions& options) {
  if (target.kind != TargetKind::Cpu || target.compiler.empty()) {
    return fail(ErrorCode::InvalidArgument,
                fmt::format("kernels can't be measured for the target {} on this machine", target.name),
                "choose --target cpu");
  }
  if (!family->task().op) {
    return fail(ErrorCode::InvalidArgument,
                fmt::format("the task {} has no operator to measure", family->task().name));
  }
  if (auto good = check_measure_options(options); !good) return std::unexpected(good.error());
  if (auto program = find_worker_program(); !program) return std::unexpected(program.error());
  return std::make_unique<CpuMeasurer>(std::move(family), target, options);
}

}  // namespace kernelscape
