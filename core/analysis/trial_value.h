#pragma once

#include <string>

#include "core/analysis/order_statistics.h"
#include "core/trial/objective.h"
#include "core/trial/table.h"

namespace kernelscape::analysis {

/** The time that represents a trial, and the samples from which it was measured. */
struct TrialValue {
  double seconds = 0;  ///< per call: the objective, by which trials are ranked; 0: not known
  trial::ObjectiveKind kind = trial::ObjectiveKind::Median;
  Quartiles samples{};  ///< count 0: there are none

  /** Returns true if the quartiles of the samples are an interval around the value; one sample has no spread.
   */
  bool has_own_quartiles() const {
    return kind == trial::ObjectiveKind::Median && samples.third > samples.first;
  }
  bool operator==(const TrialValue&) const = default;
};

/** Returns the value of samples that are ranked by their median. */
TrialValue median_value(const Quartiles& samples);
/** Returns the value of a trial: the objective of an imported file if it has one. */
TrialValue trial_value(const trial::Measurement& measurement);
/**
 * Returns the value of a row of a trial table. The row lacks the minimum and maximum of its samples; the
 * result has the quartiles in their place.
 */
TrialValue trial_value(const trial::Row& row);

/** "objective of the file: mean of the samples"; empty for a median, which needs no explanation. */
std::string objective_text(trial::ObjectiveKind kind);
/**
 * "samples: median 0.5494 ms, quartiles 0.5489 ms to 0.5499 ms"; empty without samples.
 * @param time_of writes a time; null: quantity_text(), as the window does
 */
std::string samples_text(const Quartiles& samples, std::string (*time_of)(double seconds) = nullptr);

}  // namespace kernelscape::analysis
