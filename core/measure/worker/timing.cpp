#include "core/measure/worker/timing.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <utility>

#include "core/measure/worker/interruptions.h"
#include "core/trial/adaptive_evaluator.h"

namespace kernelscape::measure {
namespace {

constexpr double clock_step_seconds = 1e-9;
// Growth of a short region to the next.
constexpr double max_growth = 10;
constexpr double margin = 1.2;  // reserve for calls that become faster

class Timing {
 public:
  Timing(const TimedKernel& kernel, const trial::MeasureOptions& options)
      : kernel_(kernel),
        options_(options),
        flush_(options.flush_caches && kernel.flush_caches != nullptr),
        calls_per_sample_(options.calls_per_sample) {}

  void warm_up() {
    for (int i = 0; i < options_.warmups; ++i) call_seconds_ = run(1);
    if (flush_ || calls_per_sample_ > 0 || options_.min_repeat_seconds <= 0) return;
    // Runs short regions, each longer than the one before, until one is long enough to compute the number of
    // calls per repeat. It is shorter than a sample.
    const double enough = options_.min_repeat_seconds / 8;
    std::int64_t calls = 1;
    double seconds = options_.warmups > 0 ? call_seconds_ : run(1);
    while (seconds < enough && calls < kernel_.max_calls) {
      const double wanted = margin * enough / std::max(seconds, clock_step_seconds);
      const double growth = std::clamp(wanted, margin, max_growth);
      const double longer = std::ceil(static_cast<double>(calls) * growth);
      calls = std::min(kernel_.max_calls, static_cast<std::int64_t>(longer));
      seconds = run(calls);
    }
    call_seconds_ = seconds / static_cast<double>(calls);
  }

  /** Reads the energy before the first sample. */
  void begin_energy() {
    if (kernel_.joules && !flush_) joules_before_ = kernel_.joules();
  }

  /** Adds the energy of a call, if it was measured over a long enough time. */
  void report_energy(trial::Measurement& result) const {
    if (std::isnan(joules_before_) || sampled_calls_ == 0 || sampled_seconds_ < kernel_.min_joules_seconds)
      return;
    const double joules = (kernel_.joules() - joules_before_) / static_cast<double>(sampled_calls_);
    if (joules > 0 && std::isfinite(joules)) result.add_metric({trial::energy_metric, "J", joules});
  }

  double undisturbed_sample(trial::Measurement& result) {
    while (true) {
      if (flush_) kernel_.flush_caches();
      if (kernel_.watch) kernel_.watch();
      interruptions_.begin_sample();
      sampling_ = true;
      worked_seconds_.reset();
      const double seconds = sample();
      const bool disturbed =
          interruptions_.interrupted() || (kernel_.lost && kernel_.lost().disturbs(seconds));
      const bool repeated =
          disturbed && result.preempted_samples < static_cast<std::uint32_t>(options_.repeats);
      interruptions_.end_sample(!repeated);
      if (!repeated) return std::max(call_seconds_, clock_step_seconds);
      ++result.preempted_samples;
    }
  }

  /**
   * Repeats samples that were interrupted, as later ones show: the fastest calls may come last. The new
   * samples stand behind the others, in the order of time.
   */
  void repeat_interrupted(trial::Measurement& result) {
    while (result.preempted_samples < static_cast<std::uint32_t>(options_.repeats)) {
      const std::optional<std::size_t> interrupted = interruptions_.first_interrupted();
      if (!interrupted) return;
      ++result.preempted_samples;
      interruptions_.discount(*interrupted);
      result.samples_seconds.erase(result.samples_seconds.begin() +
                                   static_cast<std::ptrdiff_t>(*interrupted));
      result.samples_seconds.push_back(undisturbed_sample(result));
    }
  }

  const Interruptions& interruptions() const { return interruptions_; }

 private:
  double run(std::int64_t calls) {
    const bool knows_work = kernel_.region_seconds > 0 && kernel_.processor_seconds;
    TimedRegion region{.calls = calls};
    // The regions of a sample follow each other: the end of one is the beginning of the next.
    if (knows_work && !worked_seconds_) worked_seconds_ = kernel_.processor_seconds();
    region.seconds = kernel_.run(calls);
    if (knows_work) {
      const double worked_seconds = kernel_.processor_seconds();
      region.processor_seconds = worked_seconds - *std::exchange(worked_seconds_, worked_seconds);
    }
    if (sampling_) {
      sampled_calls_ += calls;
      sampled_seconds_ += region.seconds;
    }
    // Warm-up calls find their data in the caches; those of samples do not if these are flushed.
    if (kernel_.region_seconds > 0 && (!flush_ || sampling_)) interruptions_.add_region(region);
    return region.seconds;
  }

  /** Returns the seconds of the regions that make up a sample. */
  double sample() {
    if (calls_per_sample_ > 0) {
      const double region_seconds = run(calls_per_sample_);
      call_seconds_ = region_seconds / static_cast<double>(calls_per_sample_);
      return region_seconds;
    }
    const double wanted = flush_ ? 0 : options_.min_repeat_seconds;
    double seconds = 0;
    std::int64_t calls = 0;
    do {
      const double left = wanted - seconds;
      const std::int64_t more =
          calls_for(kernel_.region_seconds > 0 ? std::min(left, kernel_.region_seconds) : left);
      seconds += run(more);
      calls += more;
      call_seconds_ = seconds / static_cast<double>(calls);
    } while (seconds < wanted && calls < kernel_.max_calls);
    return seconds;
  }

  std::int64_t calls_for(double seconds) const {
    if (seconds <= 0) return 1;
    const double calls = std::ceil(seconds / std::max(call_seconds_, clock_step_seconds / 10));
    return static_cast<std::int64_t>(std::clamp(calls, 1.0, static_cast<double>(kernel_.max_calls)));
  }

  const TimedKernel& kernel_;
  const trial::MeasureOptions& options_;
  bool flush_;
  std::int64_t calls_per_sample_;  ///< 0: as many calls as are long enough
  double call_seconds_ = 0;
  bool sampling_ = false;  ///< the warm-up is over
  std::optional<double>
      worked_seconds_;  ///< CPU time at the end of the last region; nullopt: other work followed
  std::int64_t sampled_calls_ = 0;
  double sampled_seconds_ = 0;
  double joules_before_ = std::numeric_limits<double>::quiet_NaN();  ///< NaN: energy is not measured
  Interruptions interruptions_;
};

}  // namespace

std::int64_t calls_within_restoring(double restore_seconds, const trial::MeasureOptions& options) {
  constexpr double regions = 8;
  const double calls = regions * options.min_repeat_seconds / std::max(restore_seconds, clock_step_seconds);
  const auto most = static_cast<double>(TimedKernel{}.max_calls);
  return static_cast<std::int64_t>(std::clamp(calls, 1.0, most));
}

trial::Measurement time_kernel(const TimedKernel& kernel, const trial::MeasureOptions& options,
                               double best_seconds) {
  trial::Measurement result;
  Timing timing(kernel, options);
  timing.warm_up();
  trial::AdaptiveEvaluator evaluator(options);
  timing.begin_energy();
  for (int repeat = 0; repeat < options.repeats; ++repeat) {
    const double seconds = timing.undisturbed_sample(result);
    result.samples_seconds.push_back(seconds);
    const double limit = options.give_up_factor * best_seconds;
    if (repeat == 0 && limit > 0 && seconds > limit) {
      result.cut_short = true;
      break;
    }
    if (evaluator.ends_after(seconds)) break;
  }
  if (!result.cut_short) timing.repeat_interrupted(result);
  timing.report_energy(result);
  timing.interruptions().report(result);
  if (!result.cut_short) result.count_saved(static_cast<std::size_t>(options.repeats));
  return result;
}

}  // namespace kernelscape::measure
