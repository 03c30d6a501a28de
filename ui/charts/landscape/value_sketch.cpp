#include "ui/charts/landscape/value_sketch.h"

#include <algorithm>
#include <cmath>

namespace kernelscape::charts {

void ValueSketch::add(double value) {
  if (!(value > 0) || std::isinf(value)) return;
  const double place = std::floor((std::log2(value) - lowest_octave) * classes_per_octave);
  ++counts_[static_cast<std::size_t>(std::clamp(place, 0.0, static_cast<double>(counts_.size() - 1)))];
  ++count_;
}

double ValueSketch::quantile(double share) const {
  if (count_ == 0) return 0;
  const double wanted = std::clamp(share, 0.0, 1.0) * static_cast<double>(count_ - 1);
  double passed = 0;
  for (std::size_t index = 0; index < counts_.size(); ++index) {
    passed += static_cast<double>(counts_[index]);
    if (passed > wanted)
      return std::exp2(lowest_octave + (static_cast<double>(index) + 0.5) / classes_per_octave);
  }
  return 0;
}

}  // namespace kernelscape::charts
