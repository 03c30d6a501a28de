#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/result.h"
#include "core/codegen/kernel_source.h"
#include "core/measure/worker/page_buffer.h"
#include "core/task/tensor_operator.h"

namespace kernelscape::measure {

/** Returns the bytes of a tensor in a layout. */
std::size_t packed_bytes(task::ScalarType type, const loop_nest::Layout& layout);

/**
 * Returns the physical offsets of all logical elements, or an error if an offset lies outside of the tensor.
 */
Result<std::vector<std::int64_t>> checked_offsets(const loop_nest::Layout& layout);

/**
 * Writes row-major doubles, which must be representable in the type, to their offsets; all other elements
 * become zero.
 */
void pack(task::ScalarType type, std::span<const double> values, std::span<const std::int64_t> offsets,
          std::span<std::byte> packed);

/** Reads the elements at the offsets as doubles, in row-major order. */
std::vector<double> unpack(task::ScalarType type, std::span<const std::byte> packed,
                           std::span<const std::int64_t> offsets);

/** Fills an output with a NaN that no computation makes (a rare bit pattern for integers). */
void fill_unwritten(task::ScalarType type, std::span<std::byte> packed);

/**
 * Returns the number of elements that still hold the value of fill_unwritten(). For integers such a value may
 * also be a result.
 */
std::int64_t count_unwritten(task::ScalarType type, std::span<const std::byte> packed,
                             std::span<const std::int64_t> offsets);

}  // namespace kernelscape::measure
