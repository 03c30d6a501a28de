#include "core/analysis/comparison/statistical_tests.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

namespace kernelscape::analysis {
namespace {

constexpr std::size_t max_exact_pairs = 900;
constexpr std::size_t max_exact_differences = 25;

std::vector<std::size_t> ascending_order(std::span<const double> values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return values[i]; });
  return order;
}

/** Mid-ranks from 1, doubled so that they are whole numbers. */
struct MidRanks {
  std::vector<std::size_t> doubled;  ///< in the order of the values
  double ties = 0;                   ///< t^3 - t, summed over groups of t equal values
};

MidRanks mid_ranks(std::span<const double> values) {
  MidRanks ranks{std::vector<std::size_t>(values.size()), 0};
  const std::vector<std::size_t> order = ascending_order(values);
  for (std::size_t first = 0, end = 0; first < order.size(); first = end) {
    while (end < order.size() && values[order[end]] == values[order[first]]) ++end;
    for (std::size_t i = first; i < end; ++i) ranks.doubled[order[i]] = first + 1 + end;
    const auto tied = static_cast<double>(end - first);
    ranks.ties += tied * tied * tied - tied;
  }
  return ranks;
}

/**
 * Returns p from outcomes counted by a statistic: twice the share of the smaller tail, including the observed
 * one.
 */
double two_sided_p(std::span<const double> counts, std::size_t observed) {
  const double all = std::accumulate(counts.begin(), counts.end(), 0.0);
  const double below =
      std::accumulate(counts.begin(), counts.begin() + static_cast<std::ptrdiff_t>(observed) + 1, 0.0);
  const double above =
      std::accumulate(counts.begin() + static_cast<std::ptrdiff_t>(observed), counts.end(), 0.0);
  return std::min(1.0, 2 * std::min(below, above) / all);
}

/** Returns p from a normal approximation of a discrete distribution with steps of 1. */
double two_sided_normal_p(double deviation, double variance) {
  constexpr double half_a_step = 0.5;
  if (!(variance > 0)) return 1;
  const double z = std::max(0.0, std::fabs(deviation) - half_a_step) / std::sqrt(variance);
  return std::erfc(z / std::numbers::sqrt2);
}

/** Returns how many subsets of `size` ranks have each sum. */
std::vector<double> subset_sums(std::vector<std::size_t> ranks, std::size_t size) {
  std::ranges::sort(ranks);
  const std::size_t largest =
      std::accumulate(ranks.end() - static_cast<std::ptrdiff_t>(size), ranks.end(), std::size_t{0});
  std::vector<std::vector<double>> counts(size + 1, std::vector<double>(largest + 1));  // by size, by sum
  counts[0][0] = 1;
  std::size_t taken = 0;
  for (const std::size_t rank : ranks) {
    taken = std::min(taken + 1, size);
    for (std::size_t with = taken; with > 0; --with)
      for (std::size_t sum = rank; sum <= largest; ++sum) counts[with][sum] += counts[with - 1][sum - rank];
  }
  return counts[size];
}

/** Mid-ranks of the absolute differences; zeros are dropped. */
struct SignedRanks {
  MidRanks ranks;
  std::size_t positive = 0;  ///< doubled rank sum of the positive differences
};

SignedRanks signed_ranks(std::span<const double> differences) {
  std::vector<double> sizes;
  std::vector<bool> positive;
  for (const double difference : differences) {
    if (difference == 0) continue;
    sizes.push_back(std::fabs(difference));
    positive.push_back(difference > 0);
  }
  SignedRanks signs{mid_ranks(sizes), 0};
  for (std::size_t i = 0; i < sizes.size(); ++i)
    if (positive[i]) signs.positive += signs.ranks.doubled[i];
  return signs;
}

/** Returns how many subsets of any size have each sum. */
std::vector<double> signed_sums(const std::vector<std::size_t>& ranks) {
  const std::size_t all = std::accumulate(ranks.begin(), ranks.end(), std::size_t{0});
  std::vector<double> counts(all + 1);
  counts[0] = 1;
  for (const std::size_t rank : ranks)
    for (std::size_t sum = all; sum >= rank; --sum) counts[sum] += counts[sum - rank];
  return counts;
}

}  // namespace

double mann_whitney_p(std::span<const double> a, std::span<const double> b) {
  if (a.empty() || b.empty()) return 1;
  if (a.size() > b.size()) std::swap(a, b);  // exchanges the two tails
  std::vector<double> values(a.begin(), a.end());
  values.insert(values.end(), b.begin(), b.end());
  const MidRanks ranks = mid_ranks(values);
  const auto end_of_a = ranks.doubled.begin() + static_cast<std::ptrdiff_t>(a.size());
  const std::size_t observed = std::accumulate(ranks.doubled.begin(), end_of_a, std::size_t{0});
  if (a.size() * b.size() <= max_exact_pairs)
    return two_sided_p(subset_sums(ranks.doubled, a.size()), observed);
  const auto n = static_cast<double>(a.size());
  const auto m = static_cast<double>(b.size());
  const double all = n + m;
  return two_sided_normal_p(static_cast<double>(observed) / 2 - n * (all + 1) / 2,
                            n * m / 12 * (all + 1 - ranks.ties / (all * (all - 1))));
}

double smallest_mann_whitney_p(std::size_t a, std::size_t b) {
  double splits = 1;
  for (std::size_t i = 1; i <= std::min(a, b); ++i)
    splits *= static_cast<double>(std::max(a, b) + i) / static_cast<double>(i);
  return std::min(1.0, 2 / splits);
}

double vargha_delaney_a12(std::span<const double> a, std::span<const double> b) {
  if (a.empty() || b.empty()) return 0.5;
  double wins = 0;
  for (const double one : a)
    for (const double other : b) wins += one > other ? 1 : one == other ? 0.5 : 0;
  return wins / (static_cast<double>(a.size()) * static_cast<double>(b.size()));
}

double wilcoxon_signed_rank_p(std::span<const double> differences) {
  const SignedRanks signs = signed_ranks(differences);
  if (signs.ranks.doubled.empty()) return 1;
  if (signs.ranks.doubled.size() <= max_exact_differences)
    return two_sided_p(signed_sums(signs.ranks.doubled), signs.positive);
  const auto n = static_cast<double>(signs.ranks.doubled.size());
  return two_sided_normal_p(static_cast<double>(signs.positive) / 2 - n * (n + 1) / 4,
                            n * (n + 1) * (2 * n + 1) / 24 - signs.ranks.ties / 48);
}

double smallest_signed_rank_p(std::size_t differences) {
  return std::min(1.0, std::exp2(1 - static_cast<double>(differences)));
}

double rank_biserial_correlation(std::span<const double> differences) {
  const SignedRanks signs = signed_ranks(differences);
  const auto all = static_cast<double>(
      std::accumulate(signs.ranks.doubled.begin(), signs.ranks.doubled.end(), std::size_t{0}));
  return all > 0 ? 2 * static_cast<double>(signs.positive) / all - 1 : 0;
}

std::vector<double> holm_correction(std::span<const double> p) {
  std::vector<double> corrected(p.size());
  double largest = 0;
  std::size_t left = p.size();
  for (const std::size_t i : ascending_order(p)) {
    largest = std::max(largest, std::min(1.0, static_cast<double>(left--) * p[i]));
    corrected[i] = largest;
  }
  return corrected;
}

}  // namespace kernelscape::analysis
