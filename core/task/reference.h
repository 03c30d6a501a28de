#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/task/task.h"

namespace kernelscape::task {

/** Above this many FLOPs only a sample of the output is computed. */
inline constexpr double largest_complete_reference_flops = 20e9;

/** A sample has at least this many positions. */
inline constexpr std::int64_t min_sample_positions = 65'536;

/** Row-major tensors of doubles whose values the operand's type represents exactly. */
struct ReferenceInputs {
  std::vector<std::vector<double>> tensors;  ///< one per input of the operator, then one per operand
};

/**
 * Expected output elements, in double precision. Either every element (`positions` empty) or a seeded sample
 * of at least 65,536 positions, borders and remainders among them, for tasks above 20 GFLOP.
 */
struct Reference {
  std::vector<double> values;           ///< all elements, or one per position
  std::vector<std::int64_t> positions;  ///< flat row-major positions in the output, ascending; empty: all
  /// sum of |products| per value, carried through the epilogue by magnitude_after(): tolerances are relative
  /// to it
  std::vector<double> magnitudes;
};

/**
 * Returns random inputs: uniform in [-1, 1) for real types (with as many bits as the type holds exactly), all
 * values of 8-bit types with frequent extremes, small integers for 32-bit types. The seed differs for each
 * tensor.
 */
ReferenceInputs make_reference_inputs(const TensorOperator& op, std::uint64_t seed);

/**
 * Returns the bytes of inputs, reference and an output in double precision. Do not allocate them if this
 * exceeds the memory.
 */
double reference_bytes(const TensorOperator& op);

/**
 * Returns Environment if the inputs and an output in double precision do not fit into the memory that this
 * process may still allocate. Call it before filling the first input: filling it may take long and be
 * useless.
 */
Status check_reference_memory(const TensorOperator& op);

/**
 * Computes the reference with `threads` threads; the result does not depend on their number. @param
 * sample_seed determines the positions of a sample, which always contains corners, borders and the last
 * elements of every axis
 */
Reference compute_reference(const TensorOperator& op, const ReferenceInputs& inputs, int threads,
                            std::uint64_t sample_seed = 0);

/**
 * Returns the reference of make_reference_inputs(op, seed). The most recent references are cached in this
 * process.
 */
std::shared_ptr<const Reference> cached_reference(const TensorOperator& op, std::uint64_t seed, int threads);

/**
 * The differences between an output and its reference. Expected values are NaN at positions outside the
 * sample.
 */
struct Comparison {
  bool equal = true;
  std::int64_t wrong_count = 0;
  std::int64_t first_position = -1;  ///< flat row-major position of the first wrong element
  double first_expected = 0;
  double first_actual = 0;
  std::int64_t worst_position = -1;  ///< of the largest error (NaN and infinity above all); ties: the first
  double worst_expected = 0;
  double worst_actual = 0;
  double worst_error = 0;  ///< |actual - expected|, infinity if the actual value is NaN or infinite
  double worst_tolerance = 0;
  double largest_error = 0;  ///< |actual - expected| over all compared elements, correct ones included
};

/** The maximum of |actual - expected| is absolute + relative * magnitude. */
struct Tolerance {
  double absolute = 0;
  double relative = 0;
};

/**
 * Returns the bound of rounding errors in the accumulator and in the output. With the accumulator's unit
 * roundoff u, a sum of K products has an error below (K + 1) u times its magnitude for any order of
 * summation, and of about sqrt(K) u if the errors are independent: relative = min(K + 2, 4 sqrt(K) + 8) u.
 * Integers are exact. The steps of an epilogue amplify the error by at most their derivative, which the
 * magnitudes of a reference contain, and add roundings of their own.
 * @param winograd_tile above 0: the operator is a convolution that is computed by Winograd's algorithm with
 * such output tiles. The error is then below winograd_error_bound(), which does not depend on the magnitude
 * of a single sum, because the elements of a tile share roundings.
 */
Tolerance tolerance_of(const TensorOperator& op, int winograd_tile = 0);

/**
 * Compares an output with its reference: |actual - expected| <= absolute + relative * magnitude, where
 * magnitude is the sum of |products|. NaN and infinity are wrong at any position, also outside the sample.
 * @param output row-major, converted to double, of the operator's output size
 * @param winograd_tile as in tolerance_of()
 */
Comparison compare_with_reference(const TensorOperator& op, const Reference& reference,
                                  std::span<const double> output, int winograd_tile = 0);

/** Compares as above, with another tolerance than that of the operator's rounding errors. */
Comparison compare_with_reference(const TensorOperator& op, const Reference& reference,
                                  std::span<const double> output, const Tolerance& tolerance);

/**
 * Returns a description of the wrong elements: "3 of 200704 elements are wrong; the worst at output[0, 1, 2,
 * 3]: 4.5 instead of 0.25 (tolerance 1e-06); the first at output[0, 0, 0, 9]: nan instead of 0.5"
 */
std::string describe_mismatch(const TensorOperator& op, const Comparison& comparison);

}  // namespace kernelscape::task
