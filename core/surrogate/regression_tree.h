#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "core/base/random.h"
#include "core/surrogate/binned_features.h"

namespace kernelscape {

/** A leaf with its value, or a question to a row. */
struct TreeNode {
  std::int32_t column = -1;  ///< -1: a leaf
  float threshold = 0;       ///< rows whose value is at most this go on at `below`, others at `below` + 1
  std::uint32_t below = 0;
  double value = 0;  ///< mean label of the training rows that came here

  bool is_leaf() const { return column < 0; }  ///< it asks nothing of a row: `value` is the answer
  bool operator==(const TreeNode&) const = default;
};

/** A regression tree; node 0 is the root. */
class RegressionTree {
 public:
  explicit RegressionTree(std::vector<TreeNode> nodes) : nodes_(std::move(nodes)) {}

  /** Node 0 is the root; children stand side by side, `below` first. */
  const std::vector<TreeNode>& nodes() const { return nodes_; }
  /** Value of the leaf that a row comes to. @param row every column that the tree was grown on */
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

/** What trees are grown from; the features have to outlive it. */
class TreeData {
 public:
  static constexpr std::size_t most_rows = 4'194'304;

  /**
   * @param labels one per row of the features, with a finite difference
   * @param draws rows that a tree counts, at most most_rows
   */
  TreeData(const BinnedFeatures& features, std::span<const double> labels, std::size_t draws);

  const BinnedFeatures& features() const { return *features_; }  ///< of all rows, as bins
  std::span<const double> labels() const { return labels_; }     ///< one per row, in their own unit
  /** Labels less the least, as integers: their sums are exact in any order, so that equal splits tie. */
  std::span<const std::int64_t> integer_labels() const { return integer_labels_; }

 private:
  const BinnedFeatures* features_;
  std::span<const double> labels_;
  std::vector<std::int64_t> integer_labels_;
};

/** What becomes of a column that is drawn for a node, all of whose rows have the same value in it. */
enum class ConstantColumns : std::uint8_t {
  Skipped,  ///< another one is drawn in its place
  Counted   ///< as in scikit-learn: it was drawn, unless nothing but such columns was
};

/** When a tree stops growing and what it may split on. */
struct TreeOptions {
  std::size_t minimum_leaf = 1;       ///< rows in each leaf, those drawn twice counted twice
  int maximum_depth = 0;              ///< questions on the way to a leaf; 0: no limit
  std::size_t columns_per_split = 1;  ///< drawn per node
  ConstantColumns constant_columns = ConstantColumns::Skipped;  ///< that are drawn
};

/**
 * A tree as CART grows it (Breiman et al. 1984): the split that lowers the sum of squares most; of equal ones
 * that on the lowest column, then at the lowest threshold, which lies halfway between two values of the node.
 * Depth first, `below` before above.
 * @param counts how often each row of the data was drawn
 * @param proceed asked before nodes of 4,096 rows and more; false: none results
 */
std::optional<RegressionTree> grow_tree(const TreeData& data, std::span<const std::uint32_t> counts,
                                        const TreeOptions& options, Random random,
                                        const std::function<bool()>& proceed);

}  // namespace kernelscape
