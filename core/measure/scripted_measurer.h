#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/measure/measurer.h"

namespace kernelscape {

/** What a scripted measurer does. All of it is deterministic: no thread, no real time. */
struct MeasurementScript {
  /** The measurement of a configuration; its build and run seconds are what it costs on the virtual clock. */
  std::function<Measurement(const Configuration&)> measure;
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
class ScriptedMeasurer final : public Measurer {
 public:
  explicit ScriptedMeasurer(MeasurementScript script, std::shared_ptr<VirtualClock> clock = nullptr);

  Status submit(std::span<const Configuration> batch) override;
  Result<std::vector<Completed>> collect(std::chrono::milliseconds patience) override;
  BatchProgress progress() const override;
  BusyTimes take_busy_times() override;
  void abort() override;
  void set_best_seconds(double seconds) override { best_seconds_ = seconds; }

  double best_seconds() const { return best_seconds_; }
  std::size_t measured() const { return measured_; }  ///< candidates completed in all
  const std::shared_ptr<VirtualClock>& clock() const { return clock_; }

 private:
  void pass_build_time();

  MeasurementScript script_;
  std::shared_ptr<VirtualClock> clock_;
  std::vector<Completed> pending_;  ///< in order of completion, the next one last
  BusyTimes busy_;
  double best_seconds_ = 0;
  std::size_t submitted_ = 0;
  std::size_t batches_ = 0;
  std::size_t measured_ = 0;
};

}  // namespace kernelscape
