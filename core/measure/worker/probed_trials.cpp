#include "core/measure/worker/probed_trials.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

namespace kernelscape::measure {
namespace {

// Trials that follow each other share a reading, and so do trials that are too short to pay for their own.
constexpr double min_interval_seconds = 0.05;
constexpr double max_share = 0.03;          // of the run time
constexpr double max_interval_seconds = 1;  // after it a reading is taken whatever it costs: less than 1 %
constexpr double max_change = 1.1;          // factor between the readings before and after a trial
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
  const double begin = clock_();
  const trial::ProbeSeconds seconds = probe_(threads_);
  const double end = clock_();
  last_ = Reading{.seconds = seconds, .threads = threads_, .at = end, .cost_seconds = end - begin};
  probe_seconds_ += end - begin;
  return seconds;
}

bool ProbedTrials::may_read() const {
  if (!last_ || !last_->seconds.known()) return true;
  const double now = clock_();
  const double age = now - last_->at;
  if (age < min_interval_seconds && last_->threads == threads_) return false;
  const double run_seconds = run_seconds_ + (now - run_begin_) + last_->cost_seconds;
  return age >= max_interval_seconds || probe_seconds_ + last_->cost_seconds <= max_share * run_seconds;
}

trial::ProbeSeconds ProbedTrials::reading_before() {
  if (may_read()) return take_reading();
  return last_->threads == threads_ ? last_->seconds : trial::ProbeSeconds();
}

RunReply ProbedTrials::run(int threads, const RunRequest& request, const Trial& trial) {
  threads_ = threads;
  run_begin_ = clock_();
  RunReply reply = run_steadily(request, trial);
  run_seconds_ += clock_() - run_begin_;
  return reply;
}

RunReply ProbedTrials::run_steadily(const RunRequest& request, const Trial& trial) {
  RunReply best;
  double min_change = 0;
  for (int taken = 0;; ++taken) {
    const double begin = clock_();
    const trial::ProbeSeconds before = reading_before();
    RunReply reply = trial();
    // After a machine fault or the loss of the device no reading is possible or of use. What a second run is
    // worth is known only from a reading after it.
    const bool ran = reply.machine_fault.empty() && !reply.device_lost;
    const bool read_after = ran && (taken > 0 || may_read());
    const trial::ProbeSeconds after = read_after ? take_reading() : trial::ProbeSeconds();
    set_probes(reply.measurement, before, after);
    if (!ran || !reply.measurement.valid()) return reply;
    const double change = change_between(before, after);
    if (taken == 0 || change < min_change) {
      best = std::move(reply);
      min_change = change;
    }
    const double end = clock_();
    const bool in_time = (end - run_begin_) + (end - begin) <= request.options.run_timeout_seconds;
    // A freeze that hits a single reading is no change of the machine's speed: that takes another reading,
    // which is not stored. The mean of stored readings would else no longer be the mean of the machine.
    if (change <= max_change || taken == max_retakes || !in_time ||
        change_between(before, take_reading()) <= max_change)
      return best;
  }
}

trial::ProbeSeconds ProbedTrials::read(int threads) {
  if (threads_ == 0) threads_ = threads;
  const double probe_seconds = std::exchange(probe_seconds_, 0);
  const trial::ProbeSeconds seconds = take_reading();
  probe_seconds_ = probe_seconds;  // it belongs to no run
  return seconds;
}

}  // namespace kernelscape::measure
