#pragma once

#include <cstdint>
#include <optional>

namespace kernelscape::analysis {

/**
 * The shares of measured values within one and two predicted standard deviations of their predictions. If
 * errors are normally distributed and the deviations correct, 68 % lie within one and 95 % within two. With
 * lower shares the model is overconfident, with higher shares underconfident.
 */
struct Calibration {
  double within_one = 0;    ///< share of the trials at most one standard deviation from the prediction
  double within_two = 0;    ///< share of the trials at most two standard deviations from the prediction
  std::int64_t trials = 0;  ///< number of counted trials

  bool operator==(const Calibration&) const = default;
};

/** Counts the trials of a calibration, one by one, in any order. */
class CalibrationCount {
  /** Fewer trials give no calibration. */
 public:
  static constexpr std::int64_t fewest_trials = 10;

  /**
   * Adds a trial; all arguments have the same unit. Ignores numbers that are not finite, and negative
   * deviations.
   */
  void add(double predicted, double deviation, double measured);
  /** Returns the calibration, or nullopt for too few trials. */
  std::optional<Calibration> calibration() const;

 private:
  std::int64_t within_one_ = 0;
  std::int64_t within_two_ = 0;
  std::int64_t trials_ = 0;
};

}  // namespace kernelscape::analysis
