#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "core/codegen/kernel_source.h"
#include "core/task/reference.h"
#include "core/task/tensor_operator.h"

namespace kernelscape::measure {

/** The result of checking an output. */
struct OutputCheck {
  std::string problem;     ///< empty: correct; else count, worst position, expected and actual value
  double worst_error = 0;  ///< finite, also for NaN
};

/**
 * Compares a packed output with the reference; elements that still hold the fill pattern are reported as
 * unwritten.
 * @param surroundings_intact false: the kernel wrote beyond its output, which is an error too
 * @param winograd_tile as in task::tolerance_of()
 */
OutputCheck check_output(const task::TensorOperator& op, const task::Reference& reference,
                         std::span<const std::byte> output, std::span<const std::int64_t> offsets,
                         bool surroundings_intact, int winograd_tile = 0);

/** Checks an output that is already row-major doubles, as check_output() does. */
OutputCheck check_values(const task::TensorOperator& op, const task::Reference& reference,
                         std::span<const double> values, int winograd_tile = 0);

}  // namespace kernelscape::measure
