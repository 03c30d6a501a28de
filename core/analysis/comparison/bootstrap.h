#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/analysis/comparison/intervals.h"

namespace kernelscape {

/** How intervals are found by resampling. The same options and numbers give the same intervals. */
struct BootstrapOptions {
  std::size_t resamples = 1000;  ///< 0: no intervals
  std::uint64_t seed = 1979;
  /** Numbers over several tasks: tasks are drawn too, so that the interval speaks of tasks like these. Else
   * it speaks of these tasks alone. */
  bool over_tasks = true;

  bool operator==(const BootstrapOptions&) const = default;
};

/**
 * The share of resamples to leave out at either end of a 95 % interval: 0.025 for many samples, less for few,
 * since resamples of few vary too little. Source: Hesterberg, "What teachers should know about the
 * bootstrap", The American Statistician 69, 2015, section 4.2 (expanded percentiles).
 * @param samples at least 2; where tasks are drawn, the tasks
 */
double expanded_tail(std::size_t samples);

/**
 * 95 % interval of a statistic from its value on each resample, by expanded percentiles: between two of the
 * values, so that infinity is a value like others. One that is not a number (the ratio of two infinities) can
 * be anything: it counts as `least` for the lower end and as infinity for the upper.
 * @param samples that were drawn from; none below 2, and without values
 */
std::optional<ConfidenceInterval> percentile_interval(std::vector<double> values, std::size_t samples,
                                                      double least = 0);

/** Positions to take in place of 0..size-1: `resamples` rows of `size` numbers below it. */
class Resamples {
 public:
  /** @param stream tells apart what is drawn from one seed @param size 0: no positions */
  Resamples(const BootstrapOptions& options, std::uint64_t stream, std::size_t size);

  /** @param resample below options.resamples */
  std::span<const std::uint32_t> positions(std::size_t resample) const;

 private:
  std::size_t size_;
  std::vector<std::uint32_t> positions_;
};

/** 95 % interval of the mean of a sample by the bootstrap; none below 2. */
std::optional<ConfidenceInterval> bootstrap_mean_interval(std::span<const double> samples,
                                                          const BootstrapOptions& options = {});

/** The same of the median, infinities among the samples. */
std::optional<ConfidenceInterval> bootstrap_median_interval(std::span<const double> samples,
                                                            const BootstrapOptions& options = {});

/** The median of numbers that may be infinite, which cannot be interpolated with others; 0 without any.
 * @param values are reordered */
double median_with_infinities(std::span<double> values);

}  // namespace kernelscape
