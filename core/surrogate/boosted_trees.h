#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/base/result.h"

namespace kernelscape {

/** A question to a row, or a leaf. */
struct BoostedNode {
  std::int32_t column = -1;  ///< -1: a leaf
  float value = 0;  ///< rows whose column is less go on at `below`, others behind it; of a leaf: the answer
  std::uint32_t below = 0;  ///< by place among the tree's nodes, behind its own; of a leaf: 0

  bool operator==(const BoostedNode&) const = default;
};

/**
 * Gradient-boosted trees as plain arrays: what GradientBoosting learned, without its library. Nothing in them
 * is run. Immutable; any thread may ask.
 */
class BoostedTrees {
 public:
  /**
   * From trees as XGBoost dumps them in JSON. Error: Internal, where they are none.
   * @param base_score what every prediction begins with
   * @param column_of the column of a row that each column of the dump is
   * @param columns of a row
   */
  static Result<BoostedTrees> from_dump(std::span<const char* const> trees, float base_score,
                                        std::span<const std::size_t> column_of, std::size_t columns);

  /**
   * What to_numbers() gave. Error: Corrupt where a number is not finite, a count or place is not whole or out
   * of range, or numbers are left over. Takes no more memory than a small multiple of theirs.
   */
  static Result<BoostedTrees> from_numbers(std::span<const float> numbers);
  /** Columns, base score, count of trees; of each tree the count of its nodes, and three numbers a node. */
  std::vector<float> to_numbers() const;

  std::size_t columns() const { return columns_; }      ///< features per row
  std::size_t trees() const { return starts_.size(); }  ///< how many there are

  /** The margin of a row of columns() finite numbers, as GradientBoosting::predict() has it. */
  float predict(std::span<const float> row) const;

 private:
  BoostedTrees() = default;
  std::size_t nodes_of(std::size_t tree) const {
    return (tree + 1 < starts_.size() ? starts_[tree + 1] : nodes_.size()) - starts_[tree];
  }

  std::size_t columns_ = 0;
  float base_score_ = 0;
  std::vector<std::size_t> starts_;  ///< of each tree: its root among the nodes
  std::vector<BoostedNode> nodes_;   ///< of a tree, children stand side by side
};

}  // namespace kernelscape
