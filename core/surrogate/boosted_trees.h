#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/base/result.h"

namespace kernelscape::surrogate {

/** A split, or a leaf. */
struct BoostedNode {
  std::int32_t column = -1;  ///< -1: a leaf
  float value = 0;  ///< split: rows with a lower value continue at `below`, others at the node after it;
                    ///< leaf: the prediction
  std::uint32_t below = 0;  ///< index among the tree's nodes, after its own; leaf: 0

  bool operator==(const BoostedNode&) const = default;
};

/**
 * Gradient-boosted trees as plain arrays: a model of GradientBoosting without its library. Nothing in them is
 * executed. Immutable; may be used from any thread.
 */
class BoostedTrees {
 public:
  /**
   * Reads trees in the form in which XGBoost dumps them in JSON. Returns Internal if the texts are not such
   * trees.
   * @param base_score the value to which every prediction adds the trees
   * @param column_of the column of a row for each column of the dump
   * @param columns of a row
   */
  static Result<BoostedTrees> from_dump(std::span<const char* const> trees, float base_score,
                                        std::span<const std::size_t> column_of, std::size_t columns);

  /**
   * Reads the output of to_numbers(). Returns Corrupt if a number is not finite, a count or index is not
   * whole or out of range, or numbers remain. Allocates at most a small multiple of the size of the numbers.
   */
  static Result<BoostedTrees> from_numbers(std::span<const float> numbers);
  /**
   * Returns columns, base score and count of trees; for each tree the count of its nodes, and three numbers
   * per node.
   */
  std::vector<float> to_numbers() const;

  std::size_t columns() const { return columns_; }      ///< features per row
  std::size_t trees() const { return starts_.size(); }  ///< number of trees

  /** Returns the margin of a row of columns() finite numbers, as GradientBoosting::predict() does. */
  float predict(std::span<const float> row) const;

 private:
  BoostedTrees() = default;
  std::size_t nodes_of(std::size_t tree) const {
    return (tree + 1 < starts_.size() ? starts_[tree + 1] : nodes_.size()) - starts_[tree];
  }

  std::size_t columns_ = 0;
  float base_score_ = 0;
  std::vector<std::size_t> starts_;  ///< index of each tree's root among the nodes
  std::vector<BoostedNode> nodes_;   ///< the two children of a node are adjacent
};

}  // namespace kernelscape::surrogate
