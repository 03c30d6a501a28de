#include "core/measure/worker/interruptions.h"

#include <algorithm>

#include "core/base/quantile.h"

namespace kernelscape::measure {
namespace {

constexpr double min_interruption_seconds = 5e-3;
constexpr double min_slowdown = 2;

}  // namespace

void Interruptions::add_region(std::int64_t calls, double seconds) {
  const double call_seconds = seconds / static_cast<double>(calls);
  if (fastest_call_seconds_ <= 0 || call_seconds < fastest_call_seconds_)
    fastest_call_seconds_ = call_seconds;
  const double expected = fastest_call_seconds_ * static_cast<double>(calls);
  const double lost = seconds - expected;
  sample_seconds_ += seconds;
  sample_calls_ += calls;
  if (lost >= min_interruption_seconds && seconds >= min_slowdown * expected) sample_lost_seconds_ += lost;
}

void Interruptions::begin_sample() {
  sample_seconds_ = sample_lost_seconds_ = 0;
  sample_calls_ = 0;
}

void Interruptions::end_sample(bool counts) {
  seconds_ += sample_seconds_;
  lost_seconds_ += sample_lost_seconds_;
  if (counts && sample_calls_ > 0)
    uninterrupted_seconds_.push_back((sample_seconds_ - sample_lost_seconds_) /
                                     static_cast<double>(sample_calls_));
}

void Interruptions::report(trial::Measurement& measurement) const {
  if (lost_seconds_ <= 0) return;
  measurement.interrupted_share = lost_seconds_ / seconds_;
  measurement.uninterrupted_seconds = base::quantile(uninterrupted_seconds_, 0.5);
}

}  // namespace kernelscape::measure
