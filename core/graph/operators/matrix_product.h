#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace kernelscape::graph {

/** Columns of the right matrix that are multiplied at a time, at most. */
inline constexpr std::int64_t max_panel_columns = 64;

/** A rectangle of the right matrix of a product. */
struct Panel {
  std::int64_t first_row;
  std::int64_t rows;
  std::int64_t first_column;
  std::int64_t columns;  ///< at most max_panel_columns
};

/** A product of two matrices, which is added to a third one. */
struct MatrixProduct {
  const double* left;  ///< rows x depth, row-major
  std::int64_t rows;
  std::int64_t depth;
  std::int64_t columns;
  /// writes a panel of the right matrix, whose rows lie `row_distance` elements apart
  std::function<void(const Panel& panel, std::int64_t row_distance, double* elements)> right;
  double* result;  ///< rows x columns, row-major
};

/** Computes products, on all cores unless they are small. Their results must not overlap. */
void multiply(const std::vector<MatrixProduct>& products);

}  // namespace kernelscape::graph
