#include <algorithm>
#include <atomic>
#include <unordered_map>

#include "core/analysis/landscape/variance_decomposition.h"
#include "core/surrogate/worker_threads.h"

namespace kernelscape::analysis {
namespace {

constexpr std::size_t max_cells = 1U << 22;  ///< of a table of all pairs of groups: 64 MiB

struct VarianceCell {
  double sum = 0;
  double count = 0;
};

double group_mean(std::span<const double> numbers) {
  double mean = 0;
  for (const double number : numbers) mean += number / static_cast<double>(numbers.size());
  return mean;
}

double variance_of(std::span<const VarianceCell> cells, double numbers) {
  double variance = 0;
  for (const VarianceCell& cell : cells)
    if (cell.count > 0) variance += cell.sum * cell.sum / cell.count / numbers;
  return variance;
}

/** Returns the variance of the means over the groups, for numbers with mean 0. */
double group_variance(std::span<const double> numbers, std::span<const std::uint32_t> groups,
                      std::size_t count) {
  std::vector<VarianceCell> cells(count);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    VarianceCell& cell = cells[groups[i]];
    cell.sum += numbers[i];
    ++cell.count;
  }
  return variance_of(cells, static_cast<double>(numbers.size()));
}

/** Returns the variance of the means over the pairs of groups that occur. */
double pair_variance(std::span<const double> numbers, const GroupedNumbers& data, std::size_t first,
                     std::size_t second) {
  const std::vector<std::uint32_t>& rows = data.groups[first];
  const std::vector<std::uint32_t>& columns = data.groups[second];
  const std::size_t width = data.group_counts[second];
  const bool dense = data.group_counts[first] <= max_cells / width;
  std::vector<VarianceCell> cells(dense ? data.group_counts[first] * width : 0);
  std::unordered_map<std::uint64_t, std::size_t> cell_numbers;  // numbered in the order of occurrence
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    std::size_t at = rows[i] * width + columns[i];
    if (!dense) {
      const auto [found, is_new] = cell_numbers.try_emplace(at, cells.size());
      if (is_new) cells.emplace_back();
      at = found->second;
    }
    cells[at].sum += numbers[i];
    ++cells[at].count;
  }
  return variance_of(cells, static_cast<double>(numbers.size()));
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
  for (std::size_t factor = 0; factor < factors; ++factor)
    shares.factors[factor] = group_variance(centred, data.groups[factor], data.group_counts[factor]) / total;
  std::vector<std::size_t> pairs;
  for (std::size_t i = 0; i < shares.pairs.size(); ++i)
    if (i / factors < i % factors) pairs.push_back(i);
  std::atomic<std::size_t> finished{0};
  const bool complete = surrogate::run_parallel(pairs.size(), threads, [&](std::size_t number) {
    if (proceed && !proceed(static_cast<double>(finished) / static_cast<double>(pairs.size()))) return false;
    const std::size_t first = pairs[number] / factors;
    const std::size_t second = pairs[number] % factors;
    const double together = pair_variance(centred, data, first, second) / total;
    shares.pairs[pairs[number]] = std::max(0.0, together - shares.factors[first] - shares.factors[second]);
    ++finished;
    return true;
  });
  if (!complete) return std::nullopt;
  return shares;
}

}  // namespace kernelscape::analysis
