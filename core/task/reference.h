#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/task/task.h"

namespace kernelscape {

/** Row-major tensors of doubles that hold exactly what the operand's type can represent. */
struct ReferenceInputs {
  std::vector<std::vector<double>> tensors;  ///< one per input of the operator
};

/**
 * Expected output elements, in double precision. Either every element (`positions` empty) or a seeded sample of
 * at least 65,536 positions, borders and remainders among them, for tasks above 20 GFLOP.
 */
struct Reference {
  std::vector<double> values;            ///< all elements, or one per position
  std::vector<std::int64_t> positions;   ///< flat row-major positions in the output, ascending; empty: all
  std::vector<double> magnitudes;        ///< sum of |products| per value: what a tolerance is relative to
};

/** Uniform in [-1, 1) for real types, small integers for integer ones; seeded per tensor. */
ReferenceInputs make_reference_inputs(const TensorOperator& op, std::uint64_t seed);

/** Computed with `threads` threads; the result does not depend on their number. */
Reference compute_reference(const TensorOperator& op, const ReferenceInputs& inputs, int threads);

/** As above, cached in this process by operator and seed. */
std::shared_ptr<const Reference> cached_reference(const TensorOperator& op, std::uint64_t seed, int threads);

/** How an output differs from its reference. */
struct Comparison {
  bool equal = true;
  std::int64_t wrong_count = 0;
  std::int64_t worst_position = -1;   ///< flat row-major position in the output
  double worst_expected = 0;
  double worst_actual = 0;
  double worst_error = 0;             ///< |actual - expected|
  double worst_tolerance = 0;
};

/**
 * |actual - expected| <= absolute + relative * magnitude, with magnitude the sum of |products|; NaN and infinity
 * are wrong wherever they stand, at positions that are not in the sample too.
 * @param output row-major, converted to double
 */
Comparison compare_with_reference(const TensorOperator& op, const Reference& reference, std::span<const double> output);

}  // namespace kernelscape
