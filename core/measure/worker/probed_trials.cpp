#include "core/measure/worker/probed_trials.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

namespace kernelscape::measure {
namespace {

// Trials that follow each other share a reading, and the shortest ones too, so that probes take a few percent
// of the time at most.
constexpr double max_age_seconds = 0.05;
constexpr double max_change = 1.1;  // factor between the readings before and after a trial
constexpr int max_retakes = 2;

/** Returns the larger factor, at least 1, by which a part differs; 1 if a reading is not known. */
double change_between(const trial::ProbeSeconds& a, const trial::ProbeSeconds& b) {
  if (!a.known() || !b.known()) return 1;
  const auto factor = [](double x, double y) { return std::max(x / y, y / x); };
  return std::max(factor(a.compute, b.compute), factor(a.memory, b.memory));
}

void set_probes(trial::Measurement& measurement, const trial::ProbeSeconds& before,
                const trial::ProbeSeconds& after) {
  measurement.compute_probe_before_seconds = before.compute;
  measurement.memory_probe_before_seconds = before.memory;
  measurement.compute_probe_after_seconds = after.compute;
  measurement.memory_probe_after_seconds = after.memory;
}

}  // namespace

ProbedTrials::ProbedTrials(Probe probe, Clock clock) : probe_(std::move(probe)), clock_(std::move(clock)) {}

trial::ProbeSeconds ProbedTrials::take_reading() {
  const trial::ProbeSeconds seconds = probe_(threads_);
  last_ = Reading{seconds, clock_()};
  return seconds;
}

trial::ProbeSeconds ProbedTrials::recent_reading() {
  if (last_ && clock_() - last_->at < max_age_seconds) return last_->seconds;
  return take_reading();
}

RunReply ProbedTrials::run(int threads, const RunRequest& request, const Trial& trial) {
  if (std::exchange(threads_, threads) != threads) last_.reset();
  const double start = clock_();
  RunReply best;
  double min_change = 0;
  for (int taken = 0;; ++taken) {
    const double begin = clock_();
    const trial::ProbeSeconds before = recent_reading();
    RunReply reply = trial();
    // After a machine fault or the loss of the device no reading is possible or of use.
    const bool ran = reply.machine_fault.empty() && !reply.device_lost;
    const trial::ProbeSeconds after = ran ? recent_reading() : trial::ProbeSeconds();
    set_probes(reply.measurement, before, after);
    if (!ran || !reply.measurement.valid()) return reply;
    const double change = change_between(before, after);
    if (taken == 0 || change < min_change) {
      best = std::move(reply);
      min_change = change;
    }
    const double end = clock_();
    const bool in_time = (end - start) + (end - begin) <= request.options.run_timeout_seconds;
    // A freeze that hits a single reading is no change of the machine's speed: that takes another reading,
    // which is not stored. The mean of stored readings would else no longer be the mean of the machine.
    if (change <= max_change || taken == max_retakes || !in_time ||
        change_between(before, take_reading()) <= max_change)
      return best;
  }
}

trial::ProbeSeconds ProbedTrials::read(int threads) {
  if (threads_ == 0) threads_ = threads;
  return take_reading();
}

}  // namespace kernelscape::measure
