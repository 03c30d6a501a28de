#pragma once

#include <cstdint>
#include <optional>

namespace kernelscape {

/**
 * How many measured values lay how near to their predictions, in predicted standard deviations. Where errors
 * are normally distributed and the deviations right, 68 % lie within one and 95 % within two; less: the model
 * is too sure of itself, more: not sure enough.
 */
struct Calibration {
  double within_one = 0;    ///< share of the trials that lay at most one standard deviation off
  double within_two = 0;    ///< at most two
  std::int64_t trials = 0;  ///< that were counted

  bool operator==(const Calibration&) const = default;
};

/** Counts them, trial by trial, in any order. */
class CalibrationCount {
 public:
  static constexpr std::int64_t fewest_trials = 10;  ///< fewer say nothing

  /** All in one unit. Numbers that are not finite, and negative deviations, are left out. */
  void add(double predicted, double deviation, double measured);
  /** None for too few trials. */
  std::optional<Calibration> calibration() const;

 private:
  std::int64_t within_one_ = 0;
  std::int64_t within_two_ = 0;
  std::int64_t trials_ = 0;
};

}  // namespace kernelscape
