#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace kernelscape {

using Extents = std::vector<std::int64_t>;

/** An equation of Einsum for operands of known ranks. Labels are numbers: one for each letter, and one for
 * each dimension behind an ellipsis, counted from the last. */
struct EinsumEquation {
  std::vector<std::vector<int>> operands;  ///< the label of each dimension
  std::vector<int> output;
};

/** Reads an equation such as "bhqd,bhkd->bhqk" or "...ij,jk". InvalidArgument if it does not fit the ranks.
 */
Result<EinsumEquation> parse_einsum(std::string_view equation, const std::vector<std::size_t>& ranks);

/** Returns true if a label of two operands is summed, so that operands are multiplied and not only scaled. */
bool einsum_contracts(std::string_view equation);

/**
 * Returns how long each label is, by its number: operands agree, or have a length of 1. -1: not known.
 * InvalidArgument if operands disagree.
 */
Result<std::vector<std::int64_t>> einsum_lengths(const EinsumEquation& equation,
                                                 const std::vector<Extents>& shapes);

/** An Einsum of two operands as a matrix multiplication: for each batch, m x k by k x n. */
struct EinsumProduct {
  std::int64_t batch = 1;
  std::int64_t m = 1;
  std::int64_t n = 1;
  std::int64_t k = 1;
  bool batched = false;
  bool swapped = false;      ///< the second operand has the rows of the result
  bool transpose_a = false;  ///< of the rows' operand: its last dimension is one of the rows
  bool transpose_b = false;  ///< of the columns' operand: its last dimension is one that is summed
  bool reordered = false;    ///< an operand or the result is stored in another order of dimensions
};

/** Returns the multiplication. InvalidArgument says why the equation is none. Lengths are known. */
Result<EinsumProduct> einsum_product(const EinsumEquation& equation, const std::vector<Extents>& shapes);

/** Returns the FLOPs of the sums of two operands: twice the product of all lengths. 0: not known. */
double einsum_flops(const EinsumEquation& equation, const std::vector<Extents>& shapes);

}  // namespace kernelscape
