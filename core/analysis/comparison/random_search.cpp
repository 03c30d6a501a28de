#include "core/analysis/comparison/random_search.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "core/base/quantile.h"
#include "core/trial/measurement.h"

namespace kernelscape::analysis {
namespace {

constexpr double rounding = 1e-12;  ///< rounding error of a performance

/**
 * Calls visit(i, probability that none of the i + 1 best members was drawn) for each rank i, until that is
 * below `negligible`.
 */
template <typename Visit>
void for_each_miss(std::size_t members, std::size_t draws, double negligible, const Visit& visit) {
  double missed = 1;
  for (std::size_t rank = 0; rank + draws < members; ++rank) {
    missed *= static_cast<double>(members - rank - draws) / static_cast<double>(members - rank);
    if (missed < negligible) return;
    visit(rank, missed);
  }
}

}  // namespace

RandomSearchExpectation::RandomSearchExpectation(std::span<const double> members)
    : sorted_(members.begin(), members.end()) {
  for (double& performance : sorted_)
    if (!std::isfinite(performance) || performance < 0) performance = 0;
  std::ranges::sort(sorted_, std::greater{});
}

double RandomSearchExpectation::best_after(std::size_t trials) const {
  if (trials == 0 || sorted_.empty()) return 0;
  // The omitted part is at most this share of the optimum: less than a rounding error.
  constexpr double negligible = 1e-18;
  double shortfall = 0;
  for_each_miss(sorted_.size(), trials, negligible, [&](std::size_t rank, double missed) {
    shortfall += missed * (sorted_[rank] - sorted_[rank + 1]);
  });
  return sorted_.front() - shortfall;
}

std::size_t RandomSearchExpectation::trials_to(double performance) const {
  std::size_t few = 0;
  std::size_t enough = sorted_.size();
  while (few < enough) {
    const std::size_t middle = few + (enough - few) / 2;
    if (best_after(middle) >= (1 - rounding) * performance)
      enough = middle;
    else
      few = middle + 1;
  }
  return enough;
}

double RandomSearchExpectation::deviation_after(std::size_t trials) const {
  if (trials == 0 || sorted_.empty()) return 0;
  // For squares: the omitted part is at most the square root of this share of the optimum.
  constexpr double negligible = 1e-30;
  const double mean = best_after(trials);
  const auto square = [&](std::size_t rank) { return (sorted_[rank] - mean) * (sorted_[rank] - mean); };
  double variance = 0;
  double missed_before = 1;
  std::size_t next = 0;
  for_each_miss(sorted_.size(), trials, negligible, [&](std::size_t rank, double missed) {
    variance += (missed_before - missed) * square(rank);
    missed_before = missed;
    next = rank + 1;
  });
  return std::sqrt(variance + missed_before * square(next));
}

double RandomSearchExpectation::optimum() const { return sorted_.empty() ? 0 : sorted_.front(); }

double RandomSearchExpectation::median_valid() const {
  const auto failures = std::ranges::lower_bound(sorted_, 0.0, std::greater{});
  return base::quantile({sorted_.begin(), failures}, 0.5);
}

std::vector<ScorePoint> score_points(const RandomSearchExpectation& search) {
  constexpr std::size_t max_points = 50;
  constexpr double cut_off_share = 0.95;
  const double median = search.median_valid();
  const std::size_t start = search.trials_to(median);
  const std::size_t cut_off = search.trials_to(median + cut_off_share * (search.optimum() - median));
  std::vector<ScorePoint> points;
  for (std::size_t i = start < cut_off ? 1 : max_points; i <= max_points; ++i) {
    // Multiplies first, so that whole numbers of trials are exact.
    const double trials = static_cast<double>(start) +
                          static_cast<double>((cut_off - start) * i) / static_cast<double>(max_points);
    const double expected = search.best_after(static_cast<std::size_t>(trials));
    if (search.optimum() - expected > rounding * search.optimum()) points.push_back({trials, expected});
  }
  return points;
}

}  // namespace kernelscape::analysis
