#pragma once

#include <vector>

#include "core/trial/measure_options.h"

namespace kernelscape::trial {

/**
 * AdaTune's adaptive evaluator (section 4.1): counts samples in micro-batches and ends the repeats of a trial
 * once the coefficient of variation of the performances seen after each micro-batch is below a threshold. As
 * in the published code, at least `adaptive_minimum` micro-batches are taken, and the extremes are left out
 * where there are more than four. The published cost is the mean of the micro-batches without their extremes;
 * here the median of all samples ranks, as it does without the evaluator.
 */
class AdaptiveEvaluator {
 public:
  /** @param options with adaptive_batch 0, the evaluator never ends a trial */
  explicit AdaptiveEvaluator(const MeasureOptions& options) : options_(options) {}

  /** Adds the next sample. Returns true if no further sample is needed. */
  bool ends_after(double sample_seconds);

  /**
   * Returns std / mean of the performances so far, with the population's standard deviation; 0 before the
   * first micro-batch.
   */
  double variation() const;

 private:
  MeasureOptions options_;
  int samples_of_batch_ = 0;  ///< samples of the current micro-batch
  double batch_seconds_ = 0;
  double all_seconds_ = 0;
  std::vector<double> performances_;  ///< calls per second, one per micro-batch
};

}  // namespace kernelscape::trial
