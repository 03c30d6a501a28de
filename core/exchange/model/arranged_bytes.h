#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/loop_nest/layout.h"

namespace kernelscape::exchange {

/**
 * Returns the elements of a tensor in the order of a layout; gaps are 0.
 * @param plain the elements in row-major order
 * @param element_bytes 1, 4 or 8
 */
std::vector<std::byte> arranged_bytes(std::span<const std::byte> plain, const loop_nest::Layout& layout,
                                      std::size_t element_bytes);

}  // namespace kernelscape::exchange
