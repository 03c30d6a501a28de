#include "core/measure/kernel_measurer.h"

#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>
#include <tuple>
#include <utility>

#include "core/measure/build_measurement.h"
#include "core/measure/builder_pool.h"
#include "core/measure/busy_meter.h"
#include "core/measure/cpu/packing.h"
#include "core/measure/measurable_target.h"
#include "core/measure/program_reference.h"
#include "core/measure/runner.h"
#include "core/measure/slow_phase_wait.h"
#include "core/measure/waiting_machine.h"

namespace kernelscape::measure {
namespace {

constexpr std::size_t min_chunk = 64;  // chunk size of sessions from before waves were introduced

/** A candidate between its instantiation and its end. */
struct Candidate {
  std::size_t position = 0;      ///< position in the batch
  codegen::KernelSource source;  ///< without its text, which only the builder needs
  BuildOutcome build;
  double instantiation_seconds = 0;
};

/**
 * A measurer with two threads: one builds, one runs; each is the parent of its workers, which end with it. If
 * builds disturb timings, runs are blocked while kernels are built.
 */
class KernelMeasurer final : public Measurer {
 public:
  KernelMeasurer(std::shared_ptr<const kernel::Family> family, const schedule::TargetDescription& target,
                 const trial::MeasureOptions& options)
      : family_(std::move(family)),
        target_(target),
        options_(options),
        run_timeout_seconds_(options.run_timeout_seconds),
        slow_phase_(options.slow_phase_patience_seconds, shared_slow_phase_account(target.name)),
        pool_(target, options),
        runner_(family_->task(), target, options),
        building_([this] { serve_batches(); }) {
    try {
      running_thread_ = std::thread([this] { serve_runs(); });
    } catch (...) {
      end_threads();
      throw;
    }
  }

  ~KernelMeasurer() override { end_threads(); }

  Status submit(std::span<const space::Configuration> batch) override {
    std::unique_lock lock(mutex_);
    // All its candidates may be known a moment before the measuring thread is ready for the next batch.
    changed_.wait(lock, [this] { return !active_ || progress_.finished < batch_.size(); });
    if (active_) return fail(ErrorCode::Internal, "a batch was submitted while another is being measured");
    batch_.assign(batch.begin(), batch.end());
    finished_.clear();
    error_.reset();
    progress_ = {.speed = progress_.speed, .gpu = progress_.gpu};
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

  Result<std::optional<trial::ProbeSeconds>> probe_speed(const std::function<bool()>& stop) override;

  std::string probe_problem() const override { return runner_.probe_problem(); }

  void set_usual_probe(const trial::ProbeSeconds& usual) override {
    const std::scoped_lock lock(mutex_);
    slow_phase_.set_usual(usual);
  }

  void set_run_timeout(double seconds) override {
    const std::scoped_lock lock(mutex_);
    run_timeout_seconds_ =
        seconds > 0 ? std::min(seconds, options_.run_timeout_seconds) : options_.run_timeout_seconds;
  }

 private:
  void end_threads() {
    {
      const std::scoped_lock lock(mutex_);
      quitting_ = true;
    }
    interrupt_.trigger();
    changed_.notify_all();
    for (std::thread* thread : {&building_, &running_thread_})
      if (thread->joinable()) thread->join();
  }

  void serve_batches() {
    std::unique_lock lock(mutex_);
    while (true) {
      changed_.wait(lock, [this] { return active_ || quitting_; });
      if (quitting_) return;
      lock.unlock();
      const Status outcome = measure_guarded();
      lock.lock();
      if (!outcome && !error_) error_ = outcome.error();
      active_ = false;
      progress_.building = progress_.running = 0;
      changed_.notify_all();
    }
  }

  Status measure_guarded() {
    try {
      return measure_batch();
    } catch (const std::exception& problem) {
      finish_runs(/*drop=*/true);
      return fail(ErrorCode::Internal, fmt::format("measuring failed: {}", problem.what()));
    }
  }

  /**
   * Returns the number of candidates to build before they are run. If builds and runs alternate, it is the
   * number that is built at once, so that first results come soon. Older sessions keep their larger chunks,
   * and so do build-only sessions.
   */
  std::size_t chunk_size() const {
    if (target_.builds_beside_runs()) return batch_.size();
    if (options_.clock == trial::BatchClock::Waves && !options_.build_only) return pool_.builders();
    return std::max(min_chunk, 4 * pool_.builders());
  }

  /** Prepares the reference of user kernels before the first run. */
  Result<bool> prepare_first(const Interruption& interruption) {
    if (prepared_ || options_.build_only) return true;
    prepared_ = TRY(prepare_program(*family_, target_, options_, pool_, runner_, interruption));
    return prepared_;
  }

  Status measure_batch() {
    if (!TRY(prepare_first(interrupt_.interruption()))) return {};
    const std::size_t chunk = chunk_size();
    for (std::size_t first = 0; first < batch_.size(); first += chunk) {
      auto alive = TRY(measure_chunk(first, std::min(chunk, batch_.size() - first)));
      if (!alive) break;
    }
    return {};
  }

  /** Measures a chunk; returns false if it was interrupted, or if a run failed by a machine fault. */
  Result<bool> measure_chunk(std::size_t first, std::size_t count) {
    std::vector<std::optional<Candidate>> candidates(count);
    BuildJobs jobs{.count = count, .source = {}, .done = {}};
    jobs.source = [&](std::size_t i) { return instantiate(first + i, candidates[i]); };
    jobs.done = [&](std::size_t i, BuildOutcome outcome) {
      if (!outcome.entry.empty()) candidates[i]->source.entry = outcome.entry;
      candidates[i]->build = std::move(outcome);
      take_built(std::move(*candidates[i]));
      candidates[i].reset();
    };
    set_gate(target_.builds_beside_runs());
    auto built = build(jobs);
    // After a machine fault while building, the kernels that were built are still run.
    const bool runs_ended = finish_runs(/*drop=*/built && !*built);
    if (built && !runs_ended) return false;
    return built;
  }

  Result<bool> build(const BuildJobs& jobs) {
    const BusyMeter::Scope building(meter_, BusyMeter::Activity::Building);
    Interruption interruption = interrupt_.interruption();
    interruption.requested = [this] {
      const std::scoped_lock lock(mutex_);
      return error_.has_value();
    };
    return pool_.build(jobs, interruption);
  }

  std::optional<codegen::KernelSource> instantiate(std::size_t position,
                                                   std::optional<Candidate>& candidate) {
    const auto start = std::chrono::steady_clock::now();
    auto source = checked_source(*family_, batch_[position]);
    const double seconds = seconds_since(start);
    if (!source) {
      finish(position, instantiation_error(source.error(), seconds));
      return std::nullopt;
    }
    codegen::KernelSource for_builder = *source;
    source->text.clear();
    candidate = Candidate{
        .position = position, .source = std::move(*source), .build = {}, .instantiation_seconds = seconds};
    const std::scoped_lock lock(mutex_);
    ++progress_.building;
    return for_builder;
  }

  /**
   * Takes a built candidate: a failed build is a finished trial, and so is a good build that is not to be
   * run.
   */
  void take_built(Candidate candidate) {
    const bool good = candidate.build.category == trial::ErrorCategory::NoError;
    {
      const std::scoped_lock lock(mutex_);
      --progress_.building;
      ++progress_.built;
      if (good && !options_.build_only) {
        // In proposal order among the waiting ones: builds end in any order.
        const auto later = std::ranges::upper_bound(ready_, candidate.position, {}, &Candidate::position);
        ready_.insert(later, std::move(candidate));
        changed_.notify_all();
        return;
      }
    }
    trial::Measurement measurement;
    measurement.category = candidate.build.category;
    measurement.message = std::move(candidate.build.message);
    add_build(measurement, candidate.instantiation_seconds, candidate.build, candidate.source, target_);
    finish(candidate.position, std::move(measurement));
  }

  void set_gate(bool open) {
    const std::scoped_lock lock(mutex_);
    gate_open_ = open;
    changed_.notify_all();
  }

  /** Waits until all ready candidates were run or dropped; returns false if runs ended early. */
  bool finish_runs(bool drop) {
    std::unique_lock lock(mutex_);
    if (drop) ready_.clear();
    gate_open_ = true;
    changed_.notify_all();
    changed_.wait(lock, [this] { return ready_.empty() && progress_.running == 0; });
    return !std::exchange(runs_ended_, false);
  }

  void serve_runs() {
    std::unique_lock lock(mutex_);
    while (true) {
      changed_.wait(lock, [this] { return quitting_ || (gate_open_ && !ready_.empty()); });
      if (quitting_) break;
      Candidate candidate = std::move(ready_.front());
      ready_.pop_front();
      progress_.running = 1;
      const double best_seconds = best_seconds_;
      trial::MeasureOptions options = options_;
      options.run_timeout_seconds = run_timeout_seconds_;
      lock.unlock();
      auto measurement = run_guarded(candidate, options, best_seconds);
      lock.lock();
      progress_.running = 0;
      if (measurement && *measurement) {
        add_finished(candidate.position, std::move(**measurement));
      } else {
        if (!measurement && !error_) error_ = measurement.error();
        runs_ended_ = true;
        ready_.clear();
      }
      changed_.notify_all();
    }
    ready_.clear();
    changed_.notify_all();
  }

  /** Runs a candidate; returns nullopt if it was interrupted. */
  Result<std::optional<trial::Measurement>> run_guarded(Candidate& candidate,
                                                        const trial::MeasureOptions& options,
                                                        double best_seconds) {
    try {
      const bool ready =
          TRY(wait_before_trial(slow_phase_, runner_, meter_, interrupt_.interruption(), mutex_, progress_));
      if (!ready) return std::nullopt;
      const BusyMeter::Scope running(meter_, BusyMeter::Activity::Running);
      auto measurement = runner_.run(candidate.source, std::move(candidate.build.artefact), options,
                                     best_seconds, interrupt_.interruption());
      if (measurement && *measurement) {
        add_build(**measurement, candidate.instantiation_seconds, candidate.build, candidate.source, target_);
        const std::scoped_lock lock(mutex_);
        slow_phase_.add(**measurement);
        progress_.speed = slow_phase_.track().now();
        progress_.gpu = runner_.gpu_conditions();
      }
      return measurement;
    } catch (const std::exception& problem) {
      return fail(ErrorCode::Internal, fmt::format("measuring failed: {}", problem.what()));
    }
  }

  void finish(std::size_t position, trial::Measurement measurement) {
    const std::scoped_lock lock(mutex_);
    add_finished(position, std::move(measurement));
    changed_.notify_all();
  }

  /** Adds a finished trial; requires the lock. */
  void add_finished(std::size_t position, trial::Measurement measurement) {
    ++progress_.finished;
    finished_.push_back({.position = position, .measurement = std::move(measurement)});
  }

  std::shared_ptr<const kernel::Family> family_;
  schedule::TargetDescription target_;
  trial::MeasureOptions options_;
  double run_timeout_seconds_;  ///< time-out of the next run
  InterruptionSwitch interrupt_;
  BusyMeter meter_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<space::Configuration> batch_;  ///< used only by the building thread while active_
  std::deque<Candidate> ready_;              ///< built, not run yet
  std::vector<Completed> finished_;
  std::optional<Error> error_;
  BatchProgress progress_;
  /// changed by the running thread; before the first batch, by the caller
  SlowPhaseWait slow_phase_;
  double best_seconds_ = 0;
  bool active_ = false;
  bool gate_open_ = false;   ///< true: ready candidates may be run
  bool runs_ended_ = false;  ///< by an interruption or a machine fault
  bool quitting_ = false;
  bool prepared_ = false;  ///< used only by the building thread: the runner has the reference of user kernels
  BuilderPool pool_;       ///< used only by the building thread
  Runner runner_;  ///< used only by the running thread; before the first candidate, by the building thread
  std::thread building_;
  std::thread running_thread_;
};

/** Both threads are idle: there is no batch yet. */
Result<std::optional<trial::ProbeSeconds>> KernelMeasurer::probe_speed(const std::function<bool()>& stop) {
  if (options_.build_only) return std::nullopt;
  const Interruption interruption{.descriptor = -1, .requested = stop};
  if (!TRY(prepare_first(interruption))) return std::nullopt;
  return median_probe(speed_reader(runner_, interruption));
}

}  // namespace

Result<std::unique_ptr<Measurer>> make_kernel_measurer(std::shared_ptr<const kernel::Family> family,
                                                       const schedule::TargetDescription& target,
                                                       const trial::MeasureOptions& options) {
  TRY(check_measurable(target, options));
  if (!family->task().op && family->data() == nullptr) {
    return fail(ErrorCode::InvalidArgument,
                fmt::format("the task {} has no operator to measure", family->task().name));
  }
  TRY(trial::check_measure_options(options));
  std::ignore = TRY(find_worker_program());
  return std::make_unique<KernelMeasurer>(std::move(family), target, options);
}

}  // namespace kernelscape::measure
