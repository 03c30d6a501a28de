#pragma once

#include <cstddef>

namespace kernelscape::surrogate {

/** A factor of a product: row-major, with `stride` numbers from one row to the next. */
struct Factor {
  const float* data = nullptr;
  std::size_t stride = 0;
  bool transposed = false;  ///< the product uses its transpose
};

/** Sizes of a product: (rows x depth) times (depth x columns). */
struct ProductSize {
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::size_t depth = 0;
};

/**
 * Computes result = left right + kept * result, row-major, in the calling thread only. If the number of
 * columns is a multiple of 16, a number of the result depends only on the sizes, its row of the left and its
 * column of the right factor.
 * @param kept 0 (the previous contents of the result are not read) or 1
 */
void multiply(const ProductSize& size, const Factor& left, const Factor& right, float kept, float* result,
              std::size_t result_stride);

}  // namespace kernelscape::surrogate
