#pragma once

#include <cstddef>

namespace kernelscape {

/** A factor of a product: row-major, with `stride` numbers from a row to the next. */
struct Factor {
  const float* data = nullptr;
  std::size_t stride = 0;
  bool transposed = false;  ///< the product takes its transpose
};

/** Sizes of a product: (rows x depth) times (depth x columns). */
struct ProductSize {
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::size_t depth = 0;
};

/**
 * result = left right + kept * result, row-major, in the calling thread alone. A number of the result depends
 * on nothing but the sizes, its row of the left and its column of the right factor, as long as there are a
 * multiple of 16 columns.
 * @param kept 0 (whatever the result held is not read) or 1
 */
void multiply(const ProductSize& size, const Factor& left, const Factor& right, float kept, float* result,
              std::size_t result_stride);

}  // namespace kernelscape
