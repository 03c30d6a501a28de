#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/analysis/comparison/intervals.h"

namespace kernelscape::analysis {

/** Options of intervals by resampling. The same options and numbers give the same intervals. */
struct BootstrapOptions {
  std::size_t resamples = 1000;  ///< 0: no intervals
  std::uint64_t seed = 1979;
  /**
   * For numbers over several tasks: true draws tasks too, so that the interval applies to similar tasks;
   * otherwise it applies to these tasks only.
   */
  bool over_tasks = true;

  bool operator==(const BootstrapOptions&) const = default;
};

/**
 * Returns the share of resamples to exclude at each end of a 95 % interval: 0.025 for many samples, less for
 * few, since resamples of few vary too little. Source: Hesterberg, "What teachers should know about the
 * bootstrap", The American Statistician 69, 2015, section 4.2 (expanded percentiles).
 * @param samples at least 2; the number of tasks if tasks are drawn
 */
double expanded_tail(std::size_t samples);

/**
 * Returns the 95 % interval of a statistic from its value on each resample, by expanded percentiles. The ends
 * are two of the values, so that infinity is a value like any other. A NaN (the ratio of two infinities) can
 * be anything: it counts as `least` for the lower end and as infinity for the upper.
 * @param samples size of the original sample
 * @return nullopt below 2 samples, and without values
 */
std::optional<ConfidenceInterval> percentile_interval(std::vector<double> values, std::size_t samples,
                                                      double least = 0);

/** Resampled positions that replace 0..size-1: `resamples` rows of `size` numbers below it. */
class Resamples {
 public:
  /** @param stream distinguishes independent draws from one seed @param size 0: no positions */
  Resamples(const BootstrapOptions& options, std::uint64_t stream, std::size_t size);

  /** Returns the positions of a resample. @param resample below options.resamples */
  std::span<const std::uint32_t> positions(std::size_t resample) const;

 private:
  std::size_t size_;
  std::vector<std::uint32_t> positions_;
};

/** Returns the 95 % bootstrap interval of the mean of a sample, or nullopt below 2 samples. */
std::optional<ConfidenceInterval> bootstrap_mean_interval(std::span<const double> samples,
                                                          const BootstrapOptions& options = {});

/**
 * Returns the 95 % bootstrap interval of the median of a sample, which may contain infinities, or nullopt
 * below 2 samples.
 */
std::optional<ConfidenceInterval> bootstrap_median_interval(std::span<const double> samples,
                                                            const BootstrapOptions& options = {});

/**
 * Returns the median of numbers that may be infinite, without interpolating between infinite and other
 * numbers, or 0 without any.
 * @param values are reordered
 */
double median_with_infinities(std::span<double> values);

}  // namespace kernelscape::analysis
