#include "core/fleet/speed_watch.h"

namespace kernelscape::fleet {
namespace {

constexpr std::int64_t max_slow_factor = 10;  ///< in a slow phase, a track has up to so many times more rows

}  // namespace

void SpeedWatch::add(std::int32_t threads, double patience_seconds, const trial::Measurement& measurement) {
  // A kernel that failed before it ran says nothing about the machine.
  if (!measurement.probe_before().known() && !measurement.probe_after().known()) return;
  measure::SlowPhaseWait& wait = waits_.try_emplace(threads, patience_seconds).first->second;
  wait.set_patience(patience_seconds);
  wait.add(measurement);
  latest_ = threads;
  // A reset ends a slow phase, so that one that lasts is left alone for longer.
  const std::int64_t max_rows = wait.track().slow() ? max_slow_factor * max_rows_ : max_rows_;
  if (wait.track().rows() >= max_rows) wait.set_usual(trial::ProbeSeconds(wait.track().usual()));
}

MachinePace SpeedWatch::pace() const {
  if (latest_ == 0) return {};
  const measure::SlowPhaseWait& wait = waits_.at(latest_);
  return {.speed = wait.track().now(), .slow = wait.track().slow(), .waits = wait.wanted()};
}

Result<bool> SpeedWatch::wait(const measure::WaitingMachine& machine) {
  return latest_ == 0 ? Result<bool>(true) : waits_.at(latest_).wait(machine);
}

}  // namespace kernelscape::fleet
