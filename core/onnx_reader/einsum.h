#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace kernelscape::onnx_reader {

using Extents = std::vector<std::int64_t>;

/**
 * An equation of Einsum for operands of known ranks. Labels are numbers: one for each letter, and one for
 * each dimension of an ellipsis, counted from the last.
 */
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
 * Returns the length of each label, by its number: the operands' lengths must be equal, or 1. -1: unknown.
 * Returns InvalidArgument if operands disagree.
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
  bool transpose_a = false;  ///< of the operand with the rows: its last dimension is a row dimension
  bool transpose_b = false;  ///< of the operand with the columns: its last dimension is summed
  bool reordered = false;    ///< an operand or the result is stored in another order of dimensions
};

/**
 * Returns the multiplication. InvalidArgument says why the equation is not a matrix multiplication. Lengths
 * must be known.
 */
Result<EinsumProduct> einsum_product(const EinsumEquation& equation, const std::vector<Extents>& shapes);

/** Returns the FLOPs of the sums of two operands: twice the product of all lengths. 0: unknown. */
double einsum_flops(const EinsumEquation& equation, const std::vector<Extents>& shapes);

}  // namespace kernelscape::onnx_reader
