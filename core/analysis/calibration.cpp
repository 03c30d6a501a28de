#include "core/analysis/calibration.h"

#include <cmath>

namespace kernelscape::analysis {

void CalibrationCount::add(double predicted, double deviation, double measured) {
  if (!std::isfinite(predicted) || !std::isfinite(measured)) return;
  if (!std::isfinite(deviation) || deviation < 0) return;
  const double off = std::abs(measured - predicted);
  ++trials_;
  if (off <= deviation) ++within_one_;
  if (off <= 2 * deviation) ++within_two_;
}

std::optional<Calibration> CalibrationCount::calibration() const {
  if (trials_ < fewest_trials) return std::nullopt;
  const auto all = static_cast<double>(trials_);
  return Calibration{static_cast<double>(within_one_) / all, static_cast<double>(within_two_) / all, trials_};
}

}  // namespace kernelscape::analysis
