#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/result.h"
#include "core/codegen/kernel_source.h"
#include "core/measure/worker/page_buffer.h"
#include "core/task/tensor_operator.h"

namespace kernelscape {

/** Bytes of a tensor in a layout. */
std::size_t packed_bytes(ScalarType type, const Layout& layout);

/** The physical offsets of all logical elements, or why the layout is not usable: one lies outside. */
Result<std::vector<std::int64_t>> checked_offsets(const Layout& layout);

/** Writes row-major doubles, which the type can represent, to their offsets; everything else becomes zero. */
void pack(ScalarType type, std::span<const double> values, std::span<const std::int64_t> offsets,
          std::span<std::byte> packed);

/** Reads the elements at the offsets as doubles, in row-major order. */
std::vector<double> unpack(ScalarType type, std::span<const std::byte> packed,
                           std::span<const std::int64_t> offsets);

/** Fills an output with a NaN that no computation makes (a rare bit pattern for integers). */
void fill_unwritten(ScalarType type, std::span<std::byte> packed);

/** How many elements still hold what fill_unwritten() wrote; for integers such a value may be a result too.
 */
std::int64_t count_unwritten(ScalarType type, std::span<const std::byte> packed,
                             std::span<const std::int64_t> offsets);

}  // namespace kernelscape
