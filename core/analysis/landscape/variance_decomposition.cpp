#include "core/analysis/landscape/variance_decomposition.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <map>
#include <numeric>

#include "core/surrogate/worker_threads.h"

namespace kernelscape::analysis {
namespace {

/** Returns the mean square after subtracting the means of each row and column if there are several. */
double mean_square_centred(std::vector<double> values, std::size_t rows, std::size_t width) {
  const auto centre = [&](std::size_t start, std::size_t count, std::size_t step) {
    double sum = 0;
    for (std::size_t i = 0; i < count; ++i) sum += values[start + i * step];
    for (std::size_t i = 0; i < count; ++i) values[start + i * step] -= sum / static_cast<double>(count);
  };
  for (std::size_t row = 0; row < rows; ++row) centre(row * width, width, 1);
  for (std::size_t i = 0; i < width && rows > 1; ++i) centre(i, rows, width);
  double squares = 0;
  for (const double value : values) squares += value * value;
  return squares / static_cast<double>(values.size());
}

/**
 * The variance of one tree. A leaf is a box: a set of values of each factor. It adds value * volume / (share
 * of the requested factors) to their marginal over its box. With independent and uniform factors, centring a
 * marginal leaves only the effect, so a leaf that covers all values of a factor contributes nothing to its
 * effects.
 */
class TreeVariance {
 public:
  TreeVariance(const surrogate::RegressionTree& tree, std::span<const VarianceFactor> factors)
      : tree_(tree),
        factors_(factors),
        boxes_(factors.size()),
        box_numbers_(factors.size()),
        box_(factors.size(), 0) {
    for (std::size_t factor = 0; factor < factors.size(); ++factor) {
      std::vector<std::uint32_t> all(factors[factor].count());
      std::iota(all.begin(), all.end(), 0U);
      boxes_[factor].push_back(std::move(all));
      for (std::size_t i = 0; i < factors[factor].columns.size(); ++i) {
        const std::size_t column = factors[factor].columns[i];
        if (column >= places_.size()) places_.resize(column + 1);
        places_[column] = {factor, i};
      }
    }
    offset_ = tree.nodes()[0].value;
    visit(0, 1);
  }

  double total() const {
    double mean = 0;
    for (const Leaf& leaf : leaves_) mean += leaf.volume * leaf.value;
    double variance = 0;
    for (const Leaf& leaf : leaves_) variance += leaf.volume * (leaf.value - mean) * (leaf.value - mean);
    return variance;
  }

  double single(std::size_t factor) const {
    std::vector<double> marginal(factors_[factor].count());
    for (std::size_t leaf = 0; leaf < leaves_.size(); ++leaf) {
      if (box_number(leaf, factor) == 0) continue;
      const double value = leaves_[leaf].value * leaves_[leaf].volume / share(leaf, factor);
      for (const std::uint32_t i : box(leaf, factor)) marginal[i] += value;
    }
    const std::size_t count = marginal.size();
    return mean_square_centred(std::move(marginal), 1, count);
  }

  /**
   * Sums up leaves with one box of the first factor over the second, then distributes the sum over that box.
   */
  double pair(std::size_t first, std::size_t second) const {
    const std::size_t width = factors_[second].count();
    std::vector<double> marginal(factors_[first].count() * width);
    std::vector<double> line(width);
    std::vector<std::uint32_t> touched;  // elements of the line that were changed
    std::vector<std::uint8_t> is_touched(width);
    const std::vector<std::size_t> order = restricted_leaves(first, second);
    for (std::size_t i = 0; i < order.size(); ++i) {
      const std::size_t leaf = order[i];
      const double value =
          leaves_[leaf].value * leaves_[leaf].volume / (share(leaf, first) * share(leaf, second));
      for (const std::uint32_t at : box(leaf, second)) {
        if (is_touched[at] == 0) touched.push_back(at);
        is_touched[at] = 1;
        line[at] += value;
      }
      if (i + 1 < order.size() && box_number(order[i + 1], first) == box_number(leaf, first)) continue;
      for (const std::uint32_t row : box(leaf, first)) {
        double* const target = marginal.data() + row * width;
        for (const std::uint32_t at : touched) target[at] += line[at];
      }
      for (const std::uint32_t at : touched) {
        line[at] = 0;
        is_touched[at] = 0;
      }
      touched.clear();
    }
    return mean_square_centred(std::move(marginal), factors_[first].count(), width);
  }

 private:
  struct Leaf {
    double value = 0;
    double volume = 0;  ///< share of the combinations of values
  };
  struct Place {
    std::size_t factor = 0;
    std::size_t position = 0;  ///< among the factor's columns
  };

  std::uint32_t box_number(std::size_t leaf, std::size_t factor) const {
    return leaf_boxes_[leaf * factors_.size() + factor];
  }
  const std::vector<std::uint32_t>& box(std::size_t leaf, std::size_t factor) const {
    return boxes_[factor][box_number(leaf, factor)];
  }
  double share(std::size_t leaf, std::size_t factor) const {
    return static_cast<double>(box(leaf, factor).size()) / static_cast<double>(factors_[factor].count());
  }

  /** Returns the leaves that restrict both factors, ordered by the box of the first one. */
  std::vector<std::size_t> restricted_leaves(std::size_t first, std::size_t second) const {
    std::vector<std::size_t> found;
    for (std::size_t leaf = 0; leaf < leaves_.size(); ++leaf)
      if (box_number(leaf, first) != 0 && box_number(leaf, second) != 0) found.push_back(leaf);
    std::ranges::stable_sort(found, {}, [&](std::size_t leaf) { return box_number(leaf, first); });
    return found;
  }

  /** Returns the number of a set of values: many branches lead to the same set. */
  std::uint32_t box_of(std::size_t factor, const std::vector<std::uint32_t>& values) {
    const auto next = static_cast<std::uint32_t>(boxes_[factor].size());
    const auto [found, is_new] = box_numbers_[factor].try_emplace(values, next);
    if (is_new) boxes_[factor].push_back(values);
    return found->second;
  }

  void visit(std::size_t number, double volume) {
    const surrogate::TreeNode& node = tree_.nodes()[number];
    if (node.is_leaf()) {
      leaves_.push_back({node.value - offset_, volume});
      leaf_boxes_.insert(leaf_boxes_.end(), box_.begin(), box_.end());
      return;
    }
    const Place place = places_[static_cast<std::size_t>(node.column)];
    const VarianceFactor& factor = factors_[place.factor];
    const std::uint32_t before = box_[place.factor];
    std::array<std::vector<std::uint32_t>, 2> sides;
    for (const std::uint32_t value : boxes_[place.factor][before]) {
      const bool above = factor.values[value * factor.columns.size() + place.position] > node.threshold;
      sides[above ? 1 : 0].push_back(value);
    }
    // If the factor has only some values, a side may have none and no volume.
    if (sides[0].empty()) return visit(node.below + 1, volume);
    if (sides[1].empty()) return visit(node.below, volume);
    const auto both = static_cast<double>(sides[0].size() + sides[1].size());
    for (std::uint32_t side = 0; side < 2; ++side) {
      const double side_volume = volume * static_cast<double>(sides[side].size()) / both;
      box_[place.factor] = box_of(place.factor, sides[side]);
      visit(node.below + side, side_volume);
    }
    box_[place.factor] = before;
  }

  const surrogate::RegressionTree& tree_;
  std::span<const VarianceFactor> factors_;
  std::vector<Place> places_;  ///< by column
  /** Per factor: sets of values; number 0 is all of them. */
  std::vector<std::vector<std::vector<std::uint32_t>>> boxes_;
  std::vector<std::map<std::vector<std::uint32_t>, std::uint32_t>> box_numbers_;
  std::vector<std::uint32_t> box_;  ///< per factor: the set on the path
  std::vector<Leaf> leaves_;
  std::vector<std::uint32_t> leaf_boxes_;  ///< per leaf and factor
  double offset_ = 0;                      ///< subtracted from all values to reduce rounding errors
};

/** Returns the shares of one tree, or nullopt for a constant tree. */
std::optional<VarianceShares> tree_shares(const surrogate::RegressionTree& tree,
                                          std::span<const VarianceFactor> factors) {
  if (tree.nodes().size() == 1) return std::nullopt;
  const std::size_t count = factors.size();
  const TreeVariance variance(tree, factors);
  const double total = variance.total();
  if (!(total > 0)) return std::nullopt;
  VarianceShares shares{std::vector<double>(count), std::vector<double>(count * count)};
  for (std::size_t first = 0; first < count; ++first) {
    shares.factors[first] = variance.single(first) / total;
    for (std::size_t second = first + 1; second < count; ++second)
      shares.pairs[first * count + second] = variance.pair(first, second) / total;
  }
  return shares;
}

}  // namespace

std::optional<VarianceShares> decompose_variance(const surrogate::RandomForest& forest,
                                                 std::span<const VarianceFactor> factors, int threads,
                                                 const surrogate::Proceed& proceed) {
  const std::size_t trees = forest.trees().size();
  std::vector<std::optional<VarianceShares>> shares(trees);
  std::atomic<std::size_t> finished{0};
  const bool complete = surrogate::run_parallel(trees, threads, [&](std::size_t tree) {
    if (proceed && !proceed(static_cast<double>(finished) / static_cast<double>(trees))) return false;
    shares[tree] = tree_shares(forest.trees()[tree], factors);
    ++finished;
    return true;
  });
  if (!complete) return std::nullopt;
  VarianceShares mean{std::vector<double>(factors.size()),
                      std::vector<double>(factors.size() * factors.size())};
  const auto varying =
      static_cast<double>(std::ranges::count_if(shares, [](const auto& s) { return s.has_value(); }));
  for (const std::optional<VarianceShares>& tree : shares) {
    if (!tree) continue;
    for (std::size_t i = 0; i < mean.factors.size(); ++i) mean.factors[i] += tree->factors[i] / varying;
    for (std::size_t i = 0; i < mean.pairs.size(); ++i) mean.pairs[i] += tree->pairs[i] / varying;
  }
  return mean;
}

}  // namespace kernelscape::analysis
