#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace kernelscape {

/** A question to a row, or a leaf. */
struct BoostedNode {
  std::int32_t column = -1;  ///< -1: a leaf
  float value = 0;           ///< rows whose column is less than it go on at `below`; of a leaf: the answer
  std::int32_t below = 0;    ///< by number among the tree's nodes; greater than its own
  std::int32_t above = 0;    ///< the same, of all other rows

  bool operator==(const BoostedNode&) const = default;
};

/**
 * Gradient-boosted trees as plain arrays: what GradientBoosting learned, without its library. A file of them
 * runs nothing. Immutable; any thread may ask.
 */
class BoostedTrees {
 public:
  /** Trees as XGBoost dumps them in JSON. Error: Internal, where they are none. */
  static Result<BoostedTrees> from_dump(std::span<const char* const> trees, float base_score,
                                        std::span<const std::size_t> column_of, std::size_t columns);

  /**
   * What to_numbers() gave. Error: Corrupt where a number is not finite, a count or a place is not whole or
   * out of range, or something is left over. Takes no more memory than a small multiple of the numbers.
   */
  static Result<BoostedTrees> from_numbers(std::span<const float> numbers);
  /** As 32-bit numbers, places and counts too: columns, base score, trees, then each tree's nodes. */
  std::vector<float> to_numbers() const;

  std::size_t columns() const { return columns_; }          ///< features per row
  std::size_t trees() const { return starts_.size() - 1; }  ///< how many there are
  std::size_t nodes() const { return nodes_.size(); }       ///< of all trees

  /** The margin of a row of columns() finite numbers: what GradientBoosting::predict() says of it. */
  float predict(std::span<const float> row) const;

 private:
  BoostedTrees() = default;

  std::size_t columns_ = 0;
  float base_score_ = 0;
  std::vector<std::size_t> starts_{0};  ///< of each tree's nodes, and the end
  std::vector<BoostedNode> nodes_;      ///< the first of each tree is its root
};

}  // namespace kernelscape
