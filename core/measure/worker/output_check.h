#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "core/codegen/kernel_source.h"
#include "core/task/reference.h"
#include "core/task/tensor_operator.h"

namespace kernelscape {

/** The verdict on an output. */
struct OutputCheck {
  std::string problem;     ///< empty: right; else count, worst position, expected and actual value
  double worst_error = 0;  ///< finite, also for NaN
};

/**
 * Compares a packed output with the reference; elements that still hold the fill pattern are named as
 * unwritten.
 * @param surroundings_intact false: the kernel wrote beyond its output, which is wrong too
 */
OutputCheck check_output(const TensorOperator& op, const Reference& reference,
                         std::span<const std::byte> output, std::span<const std::int64_t> offsets,
                         bool surroundings_intact);

/** The same for an output that is row-major doubles already. */
OutputCheck check_values(const TensorOperator& op, const Reference& reference,
                         std::span<const double> values);

}  // namespace kernelscape
