#include "core/measure/worker/timing.h"

#include <algorithm>
#include <cmath>

#include "core/measure/adaptive_evaluator.h"

namespace kernelscape {
namespace {

constexpr std::int64_t max_calls = 1'000'000'000;
constexpr double clock_step_seconds = 1e-9;

class Timing {
 public:
  Timing(const TimedKernel& kernel, const MeasureOptions& options)
      : kernel_(kernel), options_(options), flush_(options.flush_caches && kernel.flush_caches != nullptr) {}

  void warm_up() {
    for (int i = 0; i < options_.warmups; ++i) call_seconds_ = kernel_.run(1);
    if (flush_ || options_.min_repeat_seconds <= 0) return;
    // Short regions, ten times longer each, until one is long enough to tell how many calls fill a repeat.
    const double enough = options_.min_repeat_seconds / 8;
    std::int64_t calls = 1;
    double seconds = options_.warmups > 0 ? call_seconds_ : kernel_.run(1);
    while (seconds < enough && calls < max_calls) {
      calls = std::min(max_calls, calls * 10);
      seconds = kernel_.run(calls);
    }
    call_seconds_ = seconds / static_cast<double>(calls);
  }

  /** Seconds per call of a region that is long enough. */
  double sample() {
    if (flush_) kernel_.flush_caches();
    const double wanted = flush_ ? 0 : options_.min_repeat_seconds;
    double seconds = 0;
    std::int64_t calls = 0;
    do {
      const std::int64_t more = calls_for(wanted - seconds);
      seconds += kernel_.run(more);
      calls += more;
      call_seconds_ = seconds / static_cast<double>(calls);
    } while (seconds < wanted && calls < max_calls);
    return std::max(call_seconds_, clock_step_seconds);
  }

  double undisturbed_sample(TimingResult& result) {
    while (true) {
      const std::uint64_t before = kernel_.preemptions ? kernel_.preemptions() : 0;
      const double seconds = sample();
      const std::uint64_t after = kernel_.preemptions ? kernel_.preemptions() : 0;
      if (after == before || result.preempted_samples >= static_cast<std::uint32_t>(options_.repeats))
        return seconds;
      ++result.preempted_samples;
    }
  }

 private:
  std::int64_t calls_for(double seconds) const {
    if (seconds <= 0) return 1;
    const double calls = std::ceil(seconds / std::max(call_seconds_, clock_step_seconds / 10));
    return static_cast<std::int64_t>(std::clamp(calls, 1.0, static_cast<double>(max_calls)));
  }

  const TimedKernel& kernel_;
  const MeasureOptions& options_;
  bool flush_;
  double call_seconds_ = 0;
};

}  // namespace

TimingResult time_kernel(const TimedKernel& kernel, const MeasureOptions& options, double best_seconds) {
  TimingResult result;
  Timing timing(kernel, options);
  timing.warm_up();
  AdaptiveEvaluator evaluator(options);
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
  if (!result.cut_short) {
    result.samples_saved = static_cast<std::uint32_t>(options.repeats) -
                           static_cast<std::uint32_t>(result.samples_seconds.size());
  }
  return result;
}

}  // namespace kernelscape
