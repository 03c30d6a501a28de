#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace kernelscape::surrogate {

/**
 * Returns the columns by which a tree can distinguish rows, ascending: those that are neither constant nor
 * equal to an earlier one, or the first column if there is none. Trees whose splits prefer the earlier of
 * equal columns are the same without the other columns.
 * @param features rows, one after the other, of `columns` each
 */
std::vector<std::size_t> informative_columns(std::span<const float> features, std::size_t columns);

/** Returns the selected columns of every row. */
std::vector<float> select_columns(std::span<const float> features, std::size_t columns,
                                  std::span<const std::size_t> selected);

}  // namespace kernelscape::surrogate
