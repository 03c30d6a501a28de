#include "core/measure/worker/interruptions.h"

#include <algorithm>
#include <cstddef>

#include "core/base/quantile.h"

namespace kernelscape::measure {
namespace {

constexpr double min_interruption_seconds = 5e-3;
constexpr double min_slowdown = 2;
// The system counts CPU time in steps of up to 4 ms while it limits that of a process.
constexpr double min_stop_seconds = 10e-3;
constexpr double max_worked_share = 0.5;  ///< of the lost time, in which threads of a stopped process work

double call_seconds(const TimedRegion& region) { return region.seconds / static_cast<double>(region.calls); }

}  // namespace

void Interruptions::add_region(const TimedRegion& region) {
  if (region.calls <= 0) return;
  if (fastest_.calls == 0 || call_seconds(region) < call_seconds(fastest_)) fastest_ = region;
  if (in_sample_) samples_.back().push_back(region);
}

void Interruptions::begin_sample() {
  samples_.emplace_back();
  in_sample_ = true;
}

bool Interruptions::interrupted() const { return !samples_.empty() && lost_seconds(samples_.back()) > 0; }

void Interruptions::end_sample(bool counts) {
  in_sample_ = false;
  if (counts) counted_.push_back(samples_.size() - 1);
}

std::optional<std::size_t> Interruptions::first_interrupted() const {
  for (std::size_t sample = 0; sample < counted_.size(); ++sample)
    if (lost_seconds(samples_[counted_[sample]]) > 0) return sample;
  return std::nullopt;
}

void Interruptions::discount(std::size_t sample) {
  counted_.erase(counted_.begin() + static_cast<std::ptrdiff_t>(sample));
}

/** Returns the time of interruptions in a region; 0: it was not interrupted. */
double Interruptions::lost_seconds(const TimedRegion& region) const {
  const double ratio = static_cast<double>(region.calls) / static_cast<double>(fastest_.calls);
  const double expected = fastest_.seconds * ratio;
  const double lost = region.seconds - expected;
  if (lost < min_interruption_seconds) return 0;
  if (region.seconds >= min_slowdown * expected) return lost;
  if (lost < min_stop_seconds || !region.processor_seconds || !fastest_.processor_seconds) return 0;
  const double worked_more = *region.processor_seconds - *fastest_.processor_seconds * ratio;
  return worked_more <= max_worked_share * lost ? lost : 0;
}

double Interruptions::lost_seconds(const Sample& sample) const {
  double lost = 0;
  for (const TimedRegion& region : sample) lost += lost_seconds(region);
  return lost;
}

void Interruptions::report(trial::Measurement& measurement) const {
  double seconds = 0;
  double lost = 0;
  for (const Sample& sample : samples_) {
    for (const TimedRegion& region : sample) seconds += region.seconds;
    lost += lost_seconds(sample);
  }
  if (lost <= 0) return;
  std::vector<double> uninterrupted;  // seconds per call
  for (const std::size_t counted : counted_) {
    double left = -lost_seconds(samples_[counted]);
    std::int64_t calls = 0;
    for (const TimedRegion& region : samples_[counted]) {
      left += region.seconds;
      calls += region.calls;
    }
    if (calls > 0) uninterrupted.push_back(left / static_cast<double>(calls));
  }
  measurement.interrupted_share = lost / seconds;
  measurement.uninterrupted_seconds = base::quantile(uninterrupted, 0.5);
}

}  // namespace kernelscape::measure
