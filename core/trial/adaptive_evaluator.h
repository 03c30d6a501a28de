#pragma once

#include <vector>

#include "core/trial/measure_options.h"

namespace kernelscape {

/**
 * AdaTune's adaptive evaluator (section 4.1): counts samples in micro-batches and ends the repeats of a trial
 * once the coefficient of variation of the performances seen after each micro-batch is below a threshold. As
 * in the published code, at least `adaptive_minimum` micro-batches are taken, and the extremes are left out
 * where there are more than four. The published cost is the mean of the micro-batches without their extremes;
 * here the median of all samples ranks, as it does without the evaluator.
 */
class AdaptiveEvaluator {
 public:
  /** With adaptive_batch 0 it never ends anything. */
  explicit AdaptiveEvaluator(const MeasureOptions& options) : options_(options) {}

  /** Takes the next sample in. True where it is the last one needed. */
  bool ends_after(double sample_seconds);

  /** std / mean of the performances so far, in the population's form; 0 before the first micro-batch. */
  double variation() const;

 private:
  MeasureOptions options_;
  int samples_of_batch_ = 0;  ///< of the micro-batch that is not over
  double batch_seconds_ = 0;
  double all_seconds_ = 0;
  std::vector<double> performances_;  ///< calls per second, one per micro-batch
};

}  // namespace kernelscape
