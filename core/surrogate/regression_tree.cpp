#include "core/surrogate/regression_tree.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

namespace kernelscape::surrogate {
namespace {

constexpr std::size_t large_node = 4096;

/** A drawn row that descends the tree. */
struct Item {
  std::uint32_t row;
  std::uint32_t count;
  std::int64_t label;  ///< integer label
};

/** The rows of a node in one bin of a column; count 0 if there are none. */
struct BinSum {
  std::uint32_t bin = 0;
  std::uint32_t count = 0;
  std::int64_t sum = 0;
};

struct Split {
  double gain = 0;  ///< 0: no split
  std::size_t column = 0;
  std::uint32_t lower = 0;  ///< the last bin below the threshold
  std::uint32_t upper = 0;  ///< the first bin above the threshold
};

class TreeBuilder {
 public:
  TreeBuilder(const TreeData& data, std::span<const std::uint32_t> counts, const TreeOptions& options,
              base::Random random)
      : data_(data), options_(options), random_(std::move(random)), order_(data.features().columns()) {
    for (std::size_t row = 0; row < counts.size(); ++row) {
      if (counts[row] == 0) continue;
      items_.push_back({static_cast<std::uint32_t>(row), counts[row], data.integer_labels()[row]});
    }
    scratch_.resize(items_.size());
    std::iota(order_.begin(), order_.end(), std::size_t{0});
  }

  std::optional<RegressionTree> build(const std::function<bool()>& proceed) {
    nodes_.emplace_back();
    std::vector<Work> waiting{{0, 0, items_.size(), 0}};
    while (!waiting.empty()) {
      const Work work = waiting.back();
      waiting.pop_back();
      if (work.last - work.first >= large_node && proceed && !proceed()) return std::nullopt;
      const std::span<Item> items = std::span(items_).subspan(work.first, work.last - work.first);
      nodes_[work.node].value = mean_label(items);
      if (options_.maximum_depth > 0 && work.depth >= options_.maximum_depth) continue;
      const Split split = best_split(items);
      if (split.gain <= 0) continue;
      const std::size_t middle = work.first + partition(items, split);
      const std::size_t below = nodes_.size();
      TreeNode& node = nodes_[work.node];
      node.column = static_cast<std::int32_t>(split.column);
      node.threshold = data_.features().threshold(split.column, split.lower, split.upper);
      node.below = static_cast<std::uint32_t>(below);
      nodes_.resize(below + 2);
      waiting.push_back({below + 1, middle, work.last, work.depth + 1});
      waiting.push_back({below, work.first, middle, work.depth + 1});
    }
    return RegressionTree(std::move(nodes_));
  }

 private:
  struct Work {
    std::size_t node;
    std::size_t first;
    std::size_t last;
    int depth;
  };

  double mean_label(std::span<const Item> items) const {
    double sum = 0;
    double count = 0;
    for (const Item& item : items) {
      sum += data_.labels()[item.row] * item.count;
      count += item.count;
    }
    return sum / count;
  }

  Split best_split(std::span<const Item> items) {
    std::int64_t count = 0;
    std::int64_t sum = 0;
    for (const Item& item : items) {
      count += item.count;
      sum += item.count * item.label;
    }
    Split best;
    if (count < 2 * static_cast<std::int64_t>(options_.minimum_leaf)) return best;
    const bool draws = options_.columns_per_split < order_.size();
    const bool counted = options_.constant_columns == ConstantColumns::Counted;
    // If no split has a gain and constant columns are skipped, the columns are drawn nevertheless, since
    // later draws depend on it.
    const bool gains = labels_differ(items);
    if (!gains && (counted || !draws)) return best;
    std::size_t examined = 0;
    for (std::size_t i = 0; i < order_.size() && !drawn_enough(i, examined); ++i) {
      if (draws) std::swap(order_[i], order_[i + random_.below(order_.size() - i)]);
      const std::size_t column = order_[i];
      if (!values_differ(items, column)) continue;
      ++examined;
      if (!gains) continue;
      collect(items, column);
      scan(column, count, sum, best);
    }
    return best;
  }

  /** @param drawn columns so far @param examined those among them that are not constant in the node */
  bool drawn_enough(std::size_t drawn, std::size_t examined) const {
    if (options_.constant_columns == ConstantColumns::Skipped) return examined >= options_.columns_per_split;
    return drawn >= options_.columns_per_split && examined > 0;
  }

  static bool labels_differ(std::span<const Item> items) {
    return std::ranges::any_of(items, [&](const Item& item) { return item.label != items.front().label; });
  }

  bool values_differ(std::span<const Item> items, std::size_t column) const {
    if (items.size() < 2 || data_.features().bins(column) < 2) return false;
    const std::uint16_t* const codes = data_.features().codes(column).data();
    const std::uint16_t first = codes[items.front().row];
    return std::ranges::any_of(items, [&](const Item& item) { return codes[item.row] != first; });
  }

  /** Sums up the bins, ascending. */
  void collect(std::span<const Item> items, std::size_t column) {
    const std::span<const std::uint16_t> codes = data_.features().codes(column);
    const std::size_t bins = data_.features().bins(column);
    sums_.clear();
    if (bins > 4 * items.size()) {
      for (const Item& item : items) sums_.push_back({codes[item.row], item.count, item.count * item.label});
      std::ranges::sort(sums_, {}, &BinSum::bin);
      std::size_t kept = 0;
      for (std::size_t i = 1; i < sums_.size(); ++i) {
        if (sums_[i].bin == sums_[kept].bin) {
          sums_[kept].count += sums_[i].count;
          sums_[kept].sum += sums_[i].sum;
        } else {
          sums_[++kept] = sums_[i];
        }
      }
      sums_.resize(kept + 1);
      return;
    }
    sums_.resize(bins);
    for (std::size_t bin = 0; bin < bins; ++bin) sums_[bin] = {static_cast<std::uint32_t>(bin), 0, 0};
    BinSum* const sums = sums_.data();
    for (const Item& item : items) {
      BinSum& bin = sums[codes[item.row]];
      bin.count += item.count;
      bin.sum += item.count * item.label;
    }
  }

  void scan(std::size_t column, std::int64_t count, std::int64_t sum, Split& best) const {
    const auto least = static_cast<std::int64_t>(options_.minimum_leaf);
    std::int64_t count_below = 0;
    std::int64_t sum_below = 0;
    std::uint32_t lower = 0;
    for (const BinSum& bin : sums_) {
      if (bin.count == 0) continue;
      if (count - count_below < least) return;
      if (count_below >= least) {
        // The reduction of the sum of squares times the node's rows: the numerator and the denominator are
        // exact.
        const auto difference = static_cast<double>(sum_below * count - sum * count_below);
        const double gain = difference * difference /
                            (static_cast<double>(count_below) * static_cast<double>(count - count_below));
        if (gain > best.gain || (gain == best.gain && gain > 0 && column < best.column))
          best = {gain, column, lower, bin.bin};
      }
      count_below += bin.count;
      sum_below += bin.sum;
      lower = bin.bin;
    }
  }

  /** Partitions stably; returns the number of items below. */
  std::size_t partition(std::span<Item> items, const Split& split) {
    const std::span<const std::uint16_t> codes = data_.features().codes(split.column);
    std::size_t below = 0;
    std::size_t above = 0;
    for (const Item& item : items) {
      if (codes[item.row] <= split.lower)
        items[below++] = item;
      else
        scratch_[above++] = item;
    }
    std::copy_n(scratch_.begin(), above, items.begin() + static_cast<std::ptrdiff_t>(below));
    return below;
  }

  const TreeData& data_;
  TreeOptions options_;
  base::Random random_;
  std::vector<std::size_t> order_;  ///< the columns in the order of drawing
  std::vector<Item> items_;
  std::vector<Item> scratch_;
  std::vector<BinSum> sums_;
  std::vector<TreeNode> nodes_;
};

}  // namespace

TreeData::TreeData(const BinnedFeatures& features, std::span<const double> labels, std::size_t draws)
    : features_(&features), labels_(labels), integer_labels_(labels.size()) {
  const auto [least, greatest] = std::ranges::minmax(labels);
  const double range = greatest - least;
  if (range <= 0) return;
  // A sum of labels times a number of rows remains below 2^62.
  const int bits = 62 - 2 * static_cast<int>(std::bit_width(draws));
  const int exponent = bits - 1 - std::ilogb(range);
  for (std::size_t row = 0; row < labels.size(); ++row)
    integer_labels_[row] = std::llround(std::ldexp(labels[row] - least, exponent));
}

std::optional<RegressionTree> grow_tree(const TreeData& data, std::span<const std::uint32_t> counts,
                                        const TreeOptions& options, base::Random random,
                                        const std::function<bool()>& proceed) {
  return TreeBuilder(data, counts, options, std::move(random)).build(proceed);
}

}  // namespace kernelscape::surrogate
