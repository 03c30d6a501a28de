#include "core/trial/adaptive_evaluator.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace kernelscape::trial {
namespace {

constexpr std::ptrdiff_t max_with_extremes = 4;

}  // namespace

bool AdaptiveEvaluator::ends_after(double sample_seconds) {
  if (!options_.adaptive()) return false;
  batch_seconds_ += sample_seconds;
  all_seconds_ += sample_seconds;
  const int batch_samples = options_.micro_batch_samples();
  if (++samples_of_batch_ < batch_samples) return false;
  const double batches = static_cast<double>(performances_.size()) + 1;
  performances_.push_back(options_.adaptive_performance == AdaptivePerformance::Cumulative
                              ? batches * batch_samples / all_seconds_
                              : batch_samples / batch_seconds_);
  samples_of_batch_ = 0;
  batch_seconds_ = 0;
  return std::ssize(performances_) >= options_.adaptive_minimum && variation() < options_.adaptive_threshold;
}

double AdaptiveEvaluator::variation() const {
  if (performances_.empty()) return 0;
  const auto [least, most] = std::ranges::minmax_element(performances_);
  const bool without_extremes = std::ssize(performances_) > max_with_extremes;
  const auto sum = [&](auto of) {
    double total = 0;
    for (auto performance = performances_.begin(); performance != performances_.end(); ++performance) {
      if (!without_extremes || (performance != least && performance != most)) total += of(*performance);
    }
    return total;
  };
  const double count = static_cast<double>(performances_.size()) - (without_extremes ? 2 : 0);
  const double mean = sum([](double performance) { return performance; }) / count;
  const double squares = sum([&](double performance) { return (performance - mean) * (performance - mean); });
  return std::sqrt(squares / count) / mean;
}

}  // namespace kernelscape::trial
