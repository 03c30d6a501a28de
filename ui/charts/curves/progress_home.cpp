#include "ui/charts/curves/progress_home.h"

#include <algorithm>
#include <cmath>

#include "ui/charts/canvas.h"

namespace kernelscape::charts {
namespace {

/** Home shows this share of the slow trials' times or speeds, unless the user chose to show all. */
constexpr double robust_share = 0.9;
/** A speed axis starts at zero if at most this share of it would be left out. */
constexpr double min_left_out = 0.15;
/**
 * Maximum factor by which a reference line extends home beyond the best; a line further away has its label at
 * the border.
 */
constexpr double max_reference_factor = 1.6;

/** Returns a range of seconds as a range of y. */
Interval y_range(const ProgressScale& scale, double slow_seconds, double fast_seconds) {
  const double first = scale.y_of(slow_seconds);
  const double second = scale.y_of(fast_seconds);
  return {std::min(first, second), std::max(first, second)};
}

}  // namespace

Interval progress_home(const ProgressData& data, const ProgressScale& scale, const ProgressHome& home) {
  double fast = home.seconds.quantile(0);
  if (!data.improvements.empty()) fast = data.improvements.back().median_seconds;
  double slow = std::max(fast, home.seconds.quantile(home.all ? 1 : robust_share) * 1.02);
  const auto include = [&](double seconds) {
    if (!(seconds > 0)) return;
    if (!(fast > 0)) fast = slow = seconds;
    if (seconds < fast && seconds * max_reference_factor > fast) fast = seconds;
    if (seconds > slow && seconds < slow * max_reference_factor) slow = seconds;
  };
  // What other sessions reached is always in sight, and so is the result that the label names.
  const auto include_slow = [&](double seconds) {
    include(seconds);
    if (std::isfinite(seconds) && fast > 0) slow = std::max(slow, seconds);
  };
  for (const GhostCurve& ghost : data.ghosts)
    if (!ghost.improvements.empty()) include_slow(ghost.improvements.back().median_seconds);
  include_slow(data.best.seconds);
  if (data.confirmed) {
    include_slow(data.confirmed->third_quartile_seconds);
    include(data.confirmed->first_quartile_seconds);
  }
  for (const ReferenceLine& reference : data.references) include(reference.seconds);
  if (!(fast > 0)) return home.y_scale == AxisScale::Linear ? Interval{0, 1} : Interval{1, 10};
  Interval range = y_range(scale, slow, fast);
  if (home.y_scale != AxisScale::Linear) return padded_range(range, home.y_scale, 0.07);
  const bool speed = scale.y_kind == ProgressY::Gflops;
  if (speed && (home.all || range.low < min_left_out * range.high)) range.low = 0;
  // The label of the best result stands above its line, in milliseconds below it.
  const double span = range.high - std::min(range.low, 0.9 * range.high);
  const double label = text_height(style::TextSize::Small) + 14;
  const double head = std::clamp(label / std::max(1.0, home.plot_height), 0.09, 0.4);
  range.high += (speed ? head : 0.09) * span;
  if (range.low > 0) range.low = std::max(0.0, range.low - (speed ? 0.05 : head) * span);
  return range;
}

}  // namespace kernelscape::charts
