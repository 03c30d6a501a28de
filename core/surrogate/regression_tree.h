#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "core/base/random.h"
#include "core/surrogate/binned_features.h"

namespace kernelscape::surrogate {

/** A leaf with its value, or a split. */
struct TreeNode {
  std::int32_t column = -1;  ///< -1: a leaf
  float threshold = 0;       ///< rows whose value is at most this continue at `below`, others at `below` + 1
  std::uint32_t below = 0;
  double value = 0;  ///< mean label of the training rows that reached the node

  bool is_leaf() const { return column < 0; }  ///< true if the node has no split: `value` is the prediction
  bool operator==(const TreeNode&) const = default;
};

/** A regression tree; node 0 is the root. */
class RegressionTree {
 public:
  explicit RegressionTree(std::vector<TreeNode> nodes) : nodes_(std::move(nodes)) {}

  /** Returns the nodes. Node 0 is the root; the two children of a node are adjacent, `below` first. */
  const std::vector<TreeNode>& nodes() const { return nodes_; }
  /** Returns the value of the leaf that a row reaches. @param row every column that the tree was grown on */
  double predict(std::span<const float> row) const {
    const TreeNode* node = nodes_.data();
    while (!node->is_leaf()) {
      const bool above = row[static_cast<std::size_t>(node->column)] > node->threshold;
      node = nodes_.data() + node->below + (above ? 1 : 0);
    }
    return node->value;
  }

 private:
  std::vector<TreeNode> nodes_;
};

/** The training data of trees. The features must outlive it. */
class TreeData {
 public:
  static constexpr std::size_t max_rows = 4'194'304;

  /**
   * @param labels one per row of the features, with a finite range
   * @param draws maximum number of rows that a tree counts, at most max_rows
   */
  TreeData(const BinnedFeatures& features, std::span<const double> labels, std::size_t draws);

  const BinnedFeatures& features() const { return *features_; }  ///< features of all rows, as bins
  std::span<const double> labels() const { return labels_; }     ///< one per row, in the unit of the caller
  /**
   * Returns the labels minus their minimum, as integers. Their sums are exact in any order, so that equal
   * splits tie.
   */
  std::span<const std::int64_t> integer_labels() const { return integer_labels_; }

 private:
  const BinnedFeatures* features_;
  std::span<const double> labels_;
  std::vector<std::int64_t> integer_labels_;
};

/** The treatment of a column that is drawn for a node in which all rows have the same value of it. */
enum class ConstantColumns : std::uint8_t {
  Skipped,  ///< another column is drawn in its place
  Counted   ///< as in scikit-learn: the column counts as drawn, unless only such columns were drawn
};

/** The limits of a tree's growth, and the columns on which it may split. */
struct TreeOptions {
  std::size_t minimum_leaf = 1;       ///< rows in each leaf, where rows drawn twice count twice
  int maximum_depth = 0;              ///< splits on the path to a leaf; 0: no limit
  std::size_t columns_per_split = 1;  ///< columns drawn per node
  /** Treatment of constant columns that are drawn. */
  ConstantColumns constant_columns = ConstantColumns::Skipped;
};

/**
 * Grows a tree as CART does (Breiman et al. 1984). Each split is the one that reduces the sum of squares
 * most; of equal splits the one on the lowest column, then with the lowest threshold, which lies halfway
 * between two values of the node. Depth first, `below` before above.
 * @param counts how often each row of the data was drawn
 * @param proceed called before nodes of 4,096 rows and more; if it returns false, the result is nullopt
 */
std::optional<RegressionTree> grow_tree(const TreeData& data, std::span<const std::uint32_t> counts,
                                        const TreeOptions& options, base::Random random,
                                        const std::function<bool()>& proceed);

}  // namespace kernelscape::surrogate
