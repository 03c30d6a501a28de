#include "ui/charts/value_span.h"

#include <algorithm>
#include <cmath>

namespace kernelscape::charts {
namespace {

/** "Nearly all values" are those between this share from below and this share from above. */
constexpr double stray_share = 0.01;
/** Outliers are excluded if they would make the axis this many times as long. */
constexpr double far_factor = 3;
/** Margin around nearly all values. */
constexpr double room = 0.25;
/** The resolution of the sketch. */
constexpr double sketch_error = 0.05;

}  // namespace

void ValueSpan::add(double value) {
  if (!std::isfinite(value)) return;
  all_ =
      count_ == 0 ? Interval{value, value} : Interval{std::min(all_.low, value), std::max(all_.high, value)};
  ++count_;
  positive_.add(value);
  negative_.add(-value);
}

double ValueSpan::quantile(double share) const {
  const auto below = static_cast<double>(negative_.count());
  const auto above = static_cast<double>(positive_.count());
  const double rank = share * static_cast<double>(count_);
  if (rank < below) return -negative_.quantile(1 - rank / below);
  const double from = static_cast<double>(count_) - above;
  return rank < from || above == 0 ? 0 : positive_.quantile((rank - from) / above);
}

Interval ValueSpan::robust() const {
  if (empty()) return all_;
  const Interval most{std::max(all_.low, quantile(stray_share)),
                      std::min(all_.high, quantile(1 - stray_share))};
  const double error = sketch_error * std::max(std::abs(most.low), std::abs(most.high));
  if (!(all_.span() > far_factor * (most.span() + error))) return all_;
  return {std::max(all_.low, most.low - room * most.span() - error),
          std::min(all_.high, most.high + room * most.span() + error)};
}

}  // namespace kernelscape::charts
