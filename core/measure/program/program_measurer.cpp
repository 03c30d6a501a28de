#include "core/measure/program/program_measurer.h"

#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <iterator>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "core/measure/build_measurement.h"
#include "core/measure/busy_meter.h"
#include "core/measure/program/program_runner.h"
#include "core/measure/slow_phase_wait.h"
#include "core/measure/waiting_machine.h"

namespace kernelscape::measure {
namespace {

/** A measurer with one thread, which builds a wave of candidates and then runs them one by one. */
class ProgramMeasurer final : public Measurer {
 public:
  ProgramMeasurer(std::shared_ptr<const kernel::ProjectFamily> family,
                  const schedule::TargetDescription& target, const trial::MeasureOptions& options)
      : family_(std::move(family)),
        options_(options),
        slow_phase_(options.slow_phase_patience_seconds, shared_slow_phase_account(target.name)),
        builds_(family_->project(), options),
        runner_(family_->project(), options.kernel_threads(schedule::host_cores(target))),
        thread_([this] { serve_batches(); }) {}

  ~ProgramMeasurer() override {
    {
      const std::scoped_lock lock(mutex_);
      quitting_ = true;
    }
    interrupt_.trigger();
    changed_.notify_all();
    thread_.join();
  }

  Status submit(std::span<const space::Configuration> batch) override {
    std::unique_lock lock(mutex_);
    // All its candidates may be known a moment before the measuring thread is ready for the next batch.
    changed_.wait(lock, [this] { return !active_ || progress_.finished < batch_.size(); });
    if (active_) return fail(ErrorCode::Internal, "a batch was submitted while another is being measured");
    batch_.assign(batch.begin(), batch.end());
    finished_.clear();
    error_.reset();
    progress_ = {.speed = progress_.speed};
    active_ = !batch_.empty();
    changed_.notify_all();
    return {};
  }

  Result<std::vector<Completed>> collect(std::chrono::milliseconds patience) override {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, patience, [this] { return !finished_.empty() || !active_; });
    if (finished_.empty() && !active_ && error_) return std::unexpected(*error_);
    return std::exchange(finished_, {});
  }

  BatchProgress progress() const override {
    const std::scoped_lock lock(mutex_);
    BatchProgress progress = progress_;
    if (progress.waiting) progress.running = 0;  // a session that ends does not wait for it
    return progress;
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

  /** The measuring thread is idle: there is no batch yet. */
  Result<std::optional<trial::ProbeSeconds>> probe_speed(const std::function<bool()>& stop) override {
    return median_probe(speed_reader(runner_, {.descriptor = -1, .requested = stop}));
  }

  void set_usual_probe(const trial::ProbeSeconds& usual) override {
    const std::scoped_lock lock(mutex_);
    slow_phase_.set_usual(usual);
  }

  std::vector<std::string> take_notices() override {
    const std::scoped_lock lock(mutex_);
    return std::exchange(notices_, {});
  }

  void set_run_timeout(double seconds) override {
    const std::scoped_lock lock(mutex_);
    run_timeout_seconds_ = seconds;
  }

 private:
  void serve_batches() {
    std::unique_lock lock(mutex_);
    while (true) {
      changed_.wait(lock, [this] { return active_ || quitting_; });
      if (quitting_) return;
      lock.unlock();
      const Status outcome = measure_guarded();
      lock.lock();
      if (!outcome) error_ = outcome.error();
      active_ = false;
      progress_.building = progress_.running = 0;
      changed_.notify_all();
    }
  }

  Status measure_guarded() {
    try {
      for (std::size_t first = 0; first < batch_.size(); first += builds_.builders())
        if (!TRY(measure_wave(first, std::min(builds_.builders(), batch_.size() - first)))) break;
      return {};
    } catch (const std::exception& problem) {
      return fail(ErrorCode::Internal, fmt::format("measuring failed: {}", problem.what()));
    }
  }

  /** Builds and runs some candidates; returns false if it was interrupted. */
  Result<bool> measure_wave(std::size_t first, std::size_t count) {
    std::vector<std::pair<std::size_t, ProgramCommands>> wave;
    std::vector<project::StepCommands> steps;
    for (std::size_t position = first; position < first + count; ++position) {
      const auto start = std::chrono::steady_clock::now();
      auto commands = commands_of(*family_, batch_[position]);
      if (!commands) {
        finish(position, instantiation_error(commands.error(), seconds_since(start)));
        continue;
      }
      steps.push_back(commands->build);
      wave.emplace_back(position, *std::move(commands));
    }
    if (!TRY(build(steps))) return false;
    for (const auto& [position, commands] : wave)
      if (!TRY(run(position, commands))) return false;
    return true;
  }

  Result<bool> build(const std::vector<project::StepCommands>& steps) {
    const BusyMeter::Scope building(meter_, BusyMeter::Activity::Building);
    set_building(steps.size());
    auto built = builds_.make(steps, interrupt_.interruption());
    set_building(0);
    if (built && *built) {
      const std::scoped_lock lock(mutex_);
      progress_.built += steps.size();
    }
    return built;
  }

  void set_building(std::size_t candidates) {
    const std::scoped_lock lock(mutex_);
    progress_.building = candidates;
    changed_.notify_all();
  }

  Result<bool> run(std::size_t position, const ProgramCommands& commands) {
    const ProgramBuild& build = builds_.of(commands.build);
    trial::Measurement measurement;
    if (build.failure) {
      measurement.category = build.failure->category;
      measurement.message = build.failure->message;
    } else {
      auto ran = TRY(run_built(commands, build));
      if (!ran) return false;
      measurement = *std::move(ran);
    }
    measurement.build_seconds = builds_.take_seconds(commands.build);
    finish(position, std::move(measurement));
    return true;
  }

  Result<std::optional<trial::Measurement>> run_built(const ProgramCommands& commands,
                                                      const ProgramBuild& build) {
    const bool ready =
        TRY(wait_before_trial(slow_phase_, runner_, meter_, interrupt_.interruption(), mutex_, progress_));
    if (!ready) return std::nullopt;
    const BusyMeter::Scope running(meter_, BusyMeter::Activity::Running);
    ProgramRun run{.commands = commands, .build = build, .options = options_};
    {
      const std::scoped_lock lock(mutex_);
      run.best_seconds = best_seconds_;
      run.timeout_seconds = run_timeout_seconds_;
      progress_.running = 1;
    }
    auto ran = runner_.run(run, interrupt_.interruption());
    const std::scoped_lock lock(mutex_);
    progress_.running = 0;
    std::ranges::move(runner_.take_notices(), std::back_inserter(notices_));
    if (ran && *ran) {
      slow_phase_.add(**ran);
      progress_.speed = slow_phase_.track().now();
    }
    return ran;
  }

  void finish(std::size_t position, trial::Measurement measurement) {
    const std::scoped_lock lock(mutex_);
    ++progress_.finished;
    finished_.push_back({.position = position, .measurement = std::move(measurement)});
    changed_.notify_all();
  }

  std::shared_ptr<const kernel::ProjectFamily> family_;
  trial::MeasureOptions options_;
  InterruptionSwitch interrupt_;
  BusyMeter meter_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<space::Configuration> batch_;  ///< used only by the measuring thread while active_
  std::vector<Completed> finished_;
  std::optional<Error> error_;
  std::vector<std::string> notices_;
  BatchProgress progress_;
  double best_seconds_ = 0;
  double run_timeout_seconds_ = 0;
  bool active_ = false;
  bool quitting_ = false;
  /// changed by the measuring thread; before the first batch, by the caller
  SlowPhaseWait slow_phase_;
  ProgramBuilds builds_;  ///< used only by the measuring thread
  ProgramRunner runner_;  ///< used only by the measuring thread
  std::thread thread_;
};

}  // namespace

Result<std::unique_ptr<Measurer>> make_program_measurer(std::shared_ptr<const kernel::ProjectFamily> family,
                                                        const schedule::TargetDescription& target,
                                                        const trial::MeasureOptions& options) {
  TRY(trial::check_measure_options(options));
  if (!family->project().program)
    return fail(ErrorCode::InvalidArgument,
                fmt::format("{} is a kernel, not a program", family->task().name));
  std::ignore = TRY(find_worker_program());
  return std::make_unique<ProgramMeasurer>(std::move(family), target, options);
}

}  // namespace kernelscape::measure
