#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "core/base/random.h"
#include "core/measure/measurer.h"

namespace kernelscape {

/** What a scripted measurer does. All of it is deterministic: no thread, no real time. */
struct MeasurementScript {
  /** The measurement of a configuration; its build and run seconds are what it costs on the virtual clock. */
  std::function<trial::Measurement(const space::Configuration&)> measure;
  /** What a fleet's worker reports after each candidate; empty: nothing. */
  std::function<measure::MachineConditions()> conditions = {};
  /** Candidates finish in a seeded random order; 0: in proposal order. */
  std::uint64_t shuffle_seed = 0;
  std::size_t per_collect = 1;  ///< how many one collect() brings, at most
  std::size_t builders = 1;
  /** After so many candidates in all, collect() returns `fault`. */
  std::size_t fault_after = std::numeric_limits<std::size_t>::max();
  Error fault{ErrorCode::Environment, "the disk is full", "free space"};
};

/** Seconds that pass only when somebody says so. */
struct VirtualClock {
  double seconds = 0;
};

/**
 * A deterministic stand-in for a device, for tests and benchmarks: builds of a batch on `builders`, then
 * runs, both on a virtual clock.
 */
class ScriptedMeasurer final : public measure::Measurer {
 public:
  explicit ScriptedMeasurer(MeasurementScript script, std::shared_ptr<VirtualClock> clock = nullptr);

  Status submit(std::span<const space::Configuration> batch) override;
  Result<std::vector<measure::Completed>> collect(std::chrono::milliseconds patience) override;
  measure::BatchProgress progress() const override;
  measure::BusyTimes take_busy_times() override;
  void abort() override;
  void set_best_seconds(double seconds) override { best_seconds_ = seconds; }
  void set_run_timeout(double seconds) override { run_timeout_seconds_ = seconds; }

  double best_seconds() const { return best_seconds_; }
  double run_timeout_seconds() const { return run_timeout_seconds_; }  ///< 0: the options'
  std::size_t measured() const { return measured_; }                   ///< candidates completed in all
  const std::shared_ptr<VirtualClock>& clock() const { return clock_; }

 private:
  void pass_build_time();
  trial::Measurement in_time(trial::Measurement measurement) const;

  MeasurementScript script_;
  std::shared_ptr<VirtualClock> clock_;
  std::vector<measure::Completed> pending_;  ///< in order of completion, the next one last
  measure::BusyTimes busy_;
  double best_seconds_ = 0;
  double run_timeout_seconds_ = 0;
  std::size_t submitted_ = 0;
  std::size_t batches_ = 0;
  std::size_t measured_ = 0;
};

inline ScriptedMeasurer::ScriptedMeasurer(MeasurementScript script, std::shared_ptr<VirtualClock> clock)
    : script_(std::move(script)), clock_(clock ? std::move(clock) : std::make_shared<VirtualClock>()) {}

inline Status ScriptedMeasurer::submit(std::span<const space::Configuration> batch) {
  if (!pending_.empty())
    return fail(ErrorCode::Internal, "a batch was submitted while another is being measured");
  for (std::size_t i = 0; i < batch.size(); ++i) {
    pending_.push_back({.position = i, .measurement = in_time(script_.measure(batch[i]))});
    if (script_.conditions) pending_.back().conditions = script_.conditions();
  }
  submitted_ = pending_.size();
  pass_build_time();
  if (script_.shuffle_seed != 0) {
    base::Random random(script_.shuffle_seed + batches_);
    random.shuffle(std::span<measure::Completed>(pending_));
  }
  ++batches_;
  std::ranges::reverse(pending_);
  return {};
}

/** What takes longer than a time-out costs that much, and gives nothing. */
inline trial::Measurement ScriptedMeasurer::in_time(trial::Measurement measurement) const {
  if (run_timeout_seconds_ <= 0 || measurement.run_seconds <= run_timeout_seconds_) return measurement;
  measurement.category = trial::ErrorCategory::RunTimeout;
  measurement.message = "out of time";
  measurement.samples_seconds.clear();
  measurement.run_seconds = run_timeout_seconds_;
  return measurement;
}

inline void ScriptedMeasurer::pass_build_time() {
  std::vector<double> free_at(std::max<std::size_t>(script_.builders, 1), 0.0);
  for (const measure::Completed& candidate : pending_) {
    *std::ranges::min_element(free_at) += candidate.measurement.build_seconds;
  }
  const double seconds = std::ranges::max(free_at);
  clock_->seconds += seconds;
  busy_.build_seconds += seconds;
}

inline Result<std::vector<measure::Completed>> ScriptedMeasurer::collect(std::chrono::milliseconds) {
  std::vector<measure::Completed> completed;
  while (!pending_.empty() && completed.size() < std::max<std::size_t>(script_.per_collect, 1)) {
    if (measured_ >= script_.fault_after) {
      if (completed.empty()) return pending_.clear(), std::unexpected(script_.fault);
      break;
    }
    clock_->seconds += pending_.back().measurement.run_seconds;
    busy_.run_seconds += pending_.back().measurement.run_seconds;
    completed.push_back(std::move(pending_.back()));
    pending_.pop_back();
    ++measured_;
  }
  return completed;
}

inline measure::BatchProgress ScriptedMeasurer::progress() const {
  return {.building = 0,
          .built = submitted_,
          .running = pending_.empty() ? 0U : 1U,
          .finished = submitted_ - pending_.size()};
}

inline measure::BusyTimes ScriptedMeasurer::take_busy_times() { return std::exchange(busy_, {}); }

inline void ScriptedMeasurer::abort() { pending_.clear(); }

}  // namespace kernelscape
