#include "core/analysis/comparison/friedman.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/analysis/comparison/tail_probabilities.h"

namespace kernelscape::analysis {
namespace {

/** Ranks of a block from 1, the best; equal values have their mean rank. */
struct BlockRanks {
  std::vector<double> ranks;
  double ties = 0;  ///< t^3 - t, summed over groups of t equal values
};

BlockRanks ranks_in_block(const std::vector<double>& block, bool less_is_better) {
  std::vector<std::size_t> order(block.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
    return less_is_better ? block[a] < block[b] : block[a] > block[b];
  });
  BlockRanks found{std::vector<double>(block.size()), 0};
  for (std::size_t first = 0, end = 0; first < order.size(); first = end) {
    while (end < order.size() && block[order[end]] == block[order[first]]) ++end;
    for (std::size_t i = first; i < end; ++i)
      found.ranks[order[i]] = static_cast<double>(first + 1 + end) / 2;
    const auto tied = static_cast<double>(end - first);
    found.ties += tied * tied * tied - tied;
  }
  return found;
}

/** Computes chi-square, F and their p from the mean ranks. @param ties over all blocks */
void fill_statistics(FriedmanTest& test, double ties) {
  const auto n = static_cast<double>(test.blocks);
  const auto k = static_cast<double>(test.mean_ranks.size());
  double squares = 0;
  for (const double rank : test.mean_ranks) squares += (rank - (k + 1) / 2) * (rank - (k + 1) / 2);
  const double untied = 1 - ties / (n * (k * k * k - k));
  if (!(untied > 0)) return;  // all equal in every block
  test.chi_square = 12 * n / (k * (k + 1)) * squares / untied;
  test.chi_square_p = chi_square_tail(test.chi_square, k - 1);
  const double most = n * (k - 1);
  constexpr double rounding = 1e-9;
  test.f = most - test.chi_square > rounding * most ? (n - 1) * test.chi_square / (most - test.chi_square)
                                                    : std::numeric_limits<double>::infinity();
  test.p = f_tail(test.f, k - 1, (k - 1) * (n - 1));
}

/** Returns the numbers of the arms on a task, or nullopt if one of them has none. */
std::optional<std::vector<double>> block_of(const ComparisonTable& table,
                                            const std::vector<std::size_t>& arms, std::size_t task,
                                            const ComparedMeasure& measure) {
  std::vector<double> block;
  std::vector<double> final_shares;
  double noise = 0;
  for (const std::size_t arm : arms) {
    const ComparisonRow* const row = table.row(arm, task);
    if (row == nullptr || row->runs == 0 || std::isnan(row_number(*row, measure))) return {};
    if (less_is_better(measure) && row->goals.at(measure.goal).within_noise) return {};
    block.push_back(row_number(*row, measure));
    final_shares.push_back(row->final_share);
    noise = row->final_noise;
  }
  if (measure.by == CompareBy::FinalPerformance && noise > 0 &&
      std::ranges::max(final_shares) - std::ranges::min(final_shares) <= noise)
    return {};
  return block;
}

}  // namespace

std::optional<FriedmanTest> friedman_test(std::span<const std::vector<double>> blocks, bool less_is_better) {
  if (blocks.size() < 2 || blocks.front().size() < 2) return {};
  FriedmanTest test;
  test.blocks = blocks.size();
  test.mean_ranks.resize(blocks.front().size());
  const auto n = static_cast<double>(blocks.size());
  const auto k = static_cast<double>(test.mean_ranks.size());
  double ties = 0;
  for (const std::vector<double>& block : blocks) {
    const BlockRanks ranks = ranks_in_block(block, less_is_better);
    for (std::size_t arm = 0; arm < ranks.ranks.size(); ++arm) test.mean_ranks[arm] += ranks.ranks[arm];
    ties += ranks.ties;
  }
  for (double& rank : test.mean_ranks) rank /= n;
  const std::optional<double> critical = nemenyi_critical_value(test.mean_ranks.size());
  test.critical_difference =
      critical ? *critical * std::sqrt(k * (k + 1) / (6 * n)) : std::numeric_limits<double>::infinity();
  fill_statistics(test, ties);
  return test;
}

std::optional<double> nemenyi_critical_value(std::size_t arms) {
  // For 2, 3, ... arms (Demsar 2006, table 5a, continued).
  constexpr std::array values{1.959964, 2.343701, 2.569032, 2.727774, 2.849705, 2.948320, 3.030879,
                              3.101730, 3.163684, 3.218654, 3.268004, 3.312739, 3.353618, 3.391230,
                              3.426041, 3.458425, 3.488685, 3.517073, 3.543799};
  if (arms < 2 || arms - 2 >= values.size()) return {};
  return values.at(arms - 2);
}

std::vector<RankGroup> rank_groups(const FriedmanTest& test) {
  std::vector<std::size_t> order(test.mean_ranks.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t arm) { return test.mean_ranks[arm]; });
  std::vector<RankGroup> groups;
  std::size_t joined = 0;  // end of the last group
  for (std::size_t first = 0; first < order.size(); ++first) {
    std::size_t end = first + 1;
    while (end < order.size() &&
           test.mean_ranks[order[end]] - test.mean_ranks[order[first]] <= test.critical_difference)
      ++end;
    if (end - first < 2 || end <= joined) continue;
    groups.push_back({{order.begin() + static_cast<std::ptrdiff_t>(first),
                       order.begin() + static_cast<std::ptrdiff_t>(end)}});
    joined = end;
  }
  return groups;
}

std::optional<TaskRanking> rank_over_tasks(const ComparisonTable& table, const ComparedMeasure& measure) {
  TaskRanking ranking;
  std::size_t tasks = 0;
  for (const ComparisonRow& row : table.rows) {
    if (!row.task && row.runs > 0) ranking.arms.push_back(row.arm);
    if (row.task) tasks = std::max(tasks, *row.task + 1);
  }
  std::vector<std::vector<double>> blocks;
  for (std::size_t task = 0; task < tasks; ++task) {
    std::optional<std::vector<double>> block = block_of(table, ranking.arms, task, measure);
    if (!block) continue;
    ranking.tasks.push_back(task);
    blocks.push_back(std::move(*block));
  }
  std::optional<FriedmanTest> test = friedman_test(blocks, less_is_better(measure));
  if (!test) return {};
  ranking.test = std::move(*test);
  return ranking;
}

}  // namespace kernelscape::analysis
