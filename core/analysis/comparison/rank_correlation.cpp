#include "core/analysis/comparison/rank_correlation.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

namespace kernelscape::analysis {
namespace {

using Pair = std::pair<double, double>;

std::int64_t pairs_of(std::int64_t count) { return count * (count - 1) / 2; }

/** Counts pairs of equal elements of a sorted range. */
template <typename Equal>
std::int64_t tied_pairs(const std::vector<Pair>& sorted, Equal equal) {
  std::int64_t ties = 0;
  std::int64_t run = 1;
  for (std::size_t index = 1; index <= sorted.size(); ++index) {
    if (index < sorted.size() && equal(sorted[index - 1], sorted[index])) {
      ++run;
      continue;
    }
    ties += pairs_of(run);
    run = 1;
  }
  return ties;
}

/** Sorts by the second number, stably, and counts the necessary exchanges of neighbours. */
std::int64_t sort_and_count(std::vector<Pair>& pairs) {
  std::int64_t exchanges = 0;
  std::vector<Pair> merged(pairs.size());
  for (std::size_t width = 1; width < pairs.size(); width *= 2) {
    for (std::size_t first = 0; first < pairs.size(); first += 2 * width) {
      const std::size_t middle = std::min(first + width, pairs.size());
      const std::size_t last = std::min(middle + width, pairs.size());
      std::size_t left = first;
      std::size_t right = middle;
      for (std::size_t place = first; place < last; ++place) {
        const bool from_right = right < last && (left >= middle || pairs[right].second < pairs[left].second);
        if (from_right) exchanges += static_cast<std::int64_t>(middle - left);
        merged[place] = from_right ? pairs[right++] : pairs[left++];
      }
    }
    pairs.swap(merged);
  }
  return exchanges;
}

}  // namespace

std::optional<double> kendall_tau_b(std::span<const double> a, std::span<const double> b) {
  std::vector<Pair> pairs;
  for (std::size_t index = 0; index < std::min(a.size(), b.size()); ++index) {
    if (std::isnan(a[index]) || std::isnan(b[index])) return std::nullopt;
    pairs.emplace_back(a[index], b[index]);
  }
  std::ranges::sort(pairs);
  const std::int64_t all = pairs_of(std::ssize(pairs));
  const std::int64_t ties_a =
      tied_pairs(pairs, [](const Pair& x, const Pair& y) { return x.first == y.first; });
  const std::int64_t ties_both = tied_pairs(pairs, [](const Pair& x, const Pair& y) { return x == y; });
  const std::int64_t discordant = sort_and_count(pairs);
  const std::int64_t ties_b =
      tied_pairs(pairs, [](const Pair& x, const Pair& y) { return x.second == y.second; });
  if (ties_a == all || ties_b == all) return std::nullopt;
  const std::int64_t concordant = all - ties_a - ties_b + ties_both - discordant;
  return static_cast<double>(concordant - discordant) /
         std::sqrt(static_cast<double>(all - ties_a) * static_cast<double>(all - ties_b));
}

}  // namespace kernelscape::analysis
