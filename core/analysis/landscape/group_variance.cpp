#include <algorithm>
#include <atomic>
#include <functional>
#include <unordered_map>
#include <utility>

#include "core/analysis/landscape/variance_decomposition.h"
#include "core/surrogate/worker_threads.h"

namespace kernelscape::analysis {
namespace {

constexpr std::size_t max_cells = 1U << 22;  ///< of a table of all pairs of groups: 64 MiB
constexpr std::size_t max_steps_per_factor = 100;
/** A factor that explains less of the total variance is not removed a second time. */
constexpr double min_share = 1e-4;

struct VarianceCell {
  double sum = 0;
  double count = 0;
};

double group_mean(std::span<const double> numbers) {
  double mean = 0;
  for (const double number : numbers) mean += number / static_cast<double>(numbers.size());
  return mean;
}

/** The group of each number, and how many groups there are. */
struct Grouping {
  std::span<const std::uint32_t> groups;
  std::size_t count = 0;

  std::vector<VarianceCell> cells(std::span<const double> numbers) const {
    std::vector<VarianceCell> cells(count);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      VarianceCell& cell = cells[groups[i]];
      cell.sum += numbers[i];
      ++cell.count;
    }
    return cells;
  }
};

double variance_of(std::span<const VarianceCell> cells, std::size_t numbers) {
  double variance = 0;
  for (const VarianceCell& cell : cells)
    if (cell.count > 0) variance += cell.sum * cell.sum / cell.count / static_cast<double>(numbers);
  return variance;
}

/** Returns the variance of the means over the groups, for numbers with mean 0. */
double group_variance(std::span<const double> numbers, const Grouping& grouping) {
  return variance_of(grouping.cells(numbers), numbers.size());
}

/** Subtracts the mean of its group from every number, and returns the variance that this removes. */
double remove_group_means(std::vector<double>& numbers, const Grouping& grouping) {
  const std::vector<VarianceCell> cells = grouping.cells(numbers);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const VarianceCell& cell = cells[grouping.groups[i]];
    numbers[i] -= cell.sum / cell.count;
  }
  return variance_of(cells, numbers.size());
}

/** The pairs of groups of two factors that occur. */
class PairGrouping {
 public:
  PairGrouping(const GroupedNumbers& data, std::size_t first, std::size_t second) {
    const std::size_t width = data.group_counts[second];
    const bool dense = data.group_counts[first] <= max_cells / width;
    std::unordered_map<std::uint64_t, std::uint32_t> numbers;  // in the order of occurrence
    groups_.reserve(data.numbers.size());
    for (std::size_t i = 0; i < data.numbers.size(); ++i) {
      const std::uint64_t cell = data.groups[first][i] * width + data.groups[second][i];
      const auto next = static_cast<std::uint32_t>(numbers.size());
      groups_.push_back(dense ? static_cast<std::uint32_t>(cell)
                              : numbers.try_emplace(cell, next).first->second);
    }
    count_ = dense ? data.group_counts[first] * width : numbers.size();
  }

  Grouping grouping() const { return {groups_, count_}; }

 private:
  std::vector<std::uint32_t> groups_;
  std::size_t count_ = 0;
};

/**
 * Removes the means of all factors from numbers with mean 0, each time those of the factor that explains
 * most of what is left, and returns the shares of the total variance that each factor removed. In a full grid
 * every factor comes once; elsewhere this is repeated until single factors explain nothing more.
 * @return nullopt if `proceed` cancelled it
 */
std::optional<std::vector<double>> remove_factors(std::vector<double>& numbers, const GroupedNumbers& data,
                                                  double total, const surrogate::Proceed& proceed) {
  const std::size_t factors = data.groups.size();
  std::vector<double> shares(factors);
  for (std::size_t step = 0; step < max_steps_per_factor * factors; ++step) {
    std::size_t strongest = 0;
    double greatest = -1;
    for (std::size_t factor = 0; factor < factors; ++factor) {
      if (proceed && !proceed(0)) return std::nullopt;
      const double share = group_variance(numbers, {data.groups[factor], data.group_counts[factor]}) / total;
      if (share > greatest) {
        greatest = share;
        strongest = factor;
      }
    }
    if (step >= factors && greatest < min_share) break;
    shares[strongest] +=
        remove_group_means(numbers, {data.groups[strongest], data.group_counts[strongest]}) / total;
  }
  return shares;
}

}  // namespace

std::optional<VarianceShares> decompose_variance(const GroupedNumbers& data, int threads,
                                                 const surrogate::Proceed& proceed) {
  const std::size_t factors = data.groups.size();
  VarianceShares shares{std::vector<double>(factors), std::vector<double>(factors * factors)};
  std::vector<double> centred(data.numbers.begin(), data.numbers.end());
  const double mean = group_mean(centred);
  double total = 0;
  for (double& number : centred) {
    number -= mean;
    total += number * number / static_cast<double>(centred.size());
  }
  if (!(total > 0)) return shares;
  auto singles = remove_factors(centred, data, total, proceed);
  if (!singles) return std::nullopt;
  shares.factors = std::move(*singles);
  std::vector<std::size_t> pairs;
  for (std::size_t i = 0; i < shares.pairs.size(); ++i)
    if (i / factors < i % factors) pairs.push_back(i);
  const auto pair_grouping = [&](std::size_t pair) {
    return PairGrouping(data, pair / factors, pair % factors);
  };
  // The first half finds the order of the pairs, the second removes them in this order.
  std::atomic<std::size_t> finished{0};
  const auto proceed_with_pairs = [&] {
    return !proceed || proceed(static_cast<double>(finished) / static_cast<double>(2 * pairs.size()));
  };
  std::vector<double> strengths(shares.pairs.size());
  const bool complete = surrogate::run_parallel(pairs.size(), threads, [&](std::size_t number) {
    if (!proceed_with_pairs()) return false;
    strengths[pairs[number]] = group_variance(centred, pair_grouping(pairs[number]).grouping());
    ++finished;
    return true;
  });
  if (!complete) return std::nullopt;
  std::ranges::stable_sort(pairs, std::greater(), [&](std::size_t pair) { return strengths[pair]; });
  for (const std::size_t pair : pairs) {
    if (!proceed_with_pairs()) return std::nullopt;
    shares.pairs[pair] = remove_group_means(centred, pair_grouping(pair).grouping()) / total;
    ++finished;
  }
  return shares;
}

}  // namespace kernelscape::analysis
