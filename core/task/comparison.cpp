#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "core/task/reference.h"
#include "core/task/winograd.h"

namespace kernelscape::task {
namespace {

/** Returns half the distance from 1 to the next number; 0 for integers, which are not rounded. */
double unit_roundoff(ScalarType type) {
  switch (type) {
    case ScalarType::BF16:
      return 0x1p-8;
    case ScalarType::F16:
      return 0x1p-11;
    case ScalarType::F32:
      return 0x1p-24;
    case ScalarType::F64:
      return 0x1p-53;
    default:
      return 0;
  }
}

/** Returns the smallest normal number of a type. Smaller numbers lose bits, or are flushed to zero. */
double smallest_normal(ScalarType type) {
  switch (type) {
    case ScalarType::F16:
      return 0x1p-14;
    case ScalarType::BF16:
    case ScalarType::F32:
      return FLT_MIN;
    case ScalarType::F64:
      return DBL_MIN;
    default:
      return 0;
  }
}

/** Collects wrong elements in ascending position. */
void note_wrong(Comparison& result, std::int64_t position, double expected, double actual, double tolerance) {
  const double difference = std::fabs(actual - expected);
  const double error = std::isnan(difference) ? std::numeric_limits<double>::infinity() : difference;
  if (result.wrong_count++ == 0) {
    result.equal = false;
    result.first_position = position;
    result.first_expected = expected;
    result.first_actual = actual;
  }
  if (result.worst_position >= 0 && !(error > result.worst_error)) return;
  result.worst_position = position;
  result.worst_expected = expected;
  result.worst_actual = actual;
  result.worst_error = error;
  result.worst_tolerance = tolerance;
}

std::string element_text(const TensorAccess& output, std::int64_t position, double expected, double actual) {
  std::vector<std::int64_t> index;
  for (auto extent = output.shape.rbegin(); extent != output.shape.rend(); ++extent) {
    index.insert(index.begin(), position % *extent);
    position /= *extent;
  }
  const std::string instead =
      std::isnan(expected) ? std::string() : fmt::format(" instead of {:.9g}", expected);
  return fmt::format("{}[{}]: {:.9g}{}", output.tensor, fmt::join(index, ", "), actual, instead);
}

/** Returns the tolerance of an operator's sums. */
Tolerance tolerance_of_sums(const TensorOperator& op, int winograd_tile) {
  if (winograd_tile > 0) return {winograd_error_bound(winograd_tile, op.inputs[1].shape[1]), 0};
  double terms = 1;
  for (const TensorAxis& axis : op.axes) {
    if (axis.reduction) terms *= static_cast<double>(axis.extent);
  }
  Tolerance tolerance;
  // A product of two f16 or bf16 is exact in f32: 11 + 11 or 8 + 8 bits of 24. vdpbf16ps (Intel SDM, volume
  // 2) adds the two products of a lane one after the other, each in one step that rounds to nearest even: as
  // many roundings as the other kernels have, in an order that the bound does not depend on. It takes
  // denormal inputs for zero and flushes denormal sums to zero. Neither happens with the inputs that the
  // reference makes: they are multiples of 2^-10 or 2^-7, so that sums are zero or at least 2^-20.
  tolerance.relative = std::min(terms + 2, 4 * std::sqrt(terms) + 8) * unit_roundoff(op.accumulator);
  tolerance.absolute = smallest_normal(op.accumulator);
  // The reference is rounded as well, which matters only if the accumulator has at least as many bits.
  if (op.accumulator == ScalarType::F64) tolerance.relative *= 2;
  if (op.output.type != op.accumulator) {
    tolerance.relative += unit_roundoff(op.output.type);
    tolerance.absolute = std::max(tolerance.absolute, smallest_normal(op.output.type));
  }
  return tolerance;
}

}  // namespace

Tolerance tolerance_of(const TensorOperator& op, int winograd_tile) {
  Tolerance tolerance = tolerance_of_sums(op, winograd_tile);
  // A step amplifies the error before it by at most its derivative: 1/4 for the sigmoid, 1.13 for GELU, 1.5
  // for hard swish, and |scale| < 1. The relative part needs no factor, because the magnitudes of a reference
  // change with the derivatives as well. The result of any step may be flushed to zero.
  for (const EpilogueStep& step : op.epilogue) {
    tolerance.absolute = std::max(tolerance.absolute * gain(step), smallest_normal(op.accumulator));
    tolerance.relative += roundings(step.kind) * unit_roundoff(op.accumulator);
  }
  return tolerance;
}

Comparison compare_with_reference(const TensorOperator& op, const Reference& reference,
                                  std::span<const double> output, int winograd_tile) {
  return compare_with_reference(op, reference, output, tolerance_of(op, winograd_tile));
}

Comparison compare_with_reference(const TensorOperator& op, const Reference& reference,
                                  std::span<const double> output, const Tolerance& tolerance) {
  if (static_cast<std::int64_t>(output.size()) != op.output.element_count())
    throw std::logic_error("an output does not have its operator's size");
  const bool complete = reference.positions.empty();
  Comparison result;
  std::size_t next = 0;  // first value of the reference that was not compared yet
  for (std::size_t position = 0; position < output.size(); ++position) {
    const double actual = output[position];
    const auto flat = static_cast<std::int64_t>(position);
    const bool known = complete || (next < reference.positions.size() && reference.positions[next] == flat);
    if (!known) {
      if (!std::isfinite(actual))
        note_wrong(result, flat, std::numeric_limits<double>::quiet_NaN(), actual, 0);
      continue;
    }
    const double expected = reference.values[next];
    const double allowed = tolerance.absolute + tolerance.relative * reference.magnitudes[next];
    ++next;
    result.largest_error = std::fmax(result.largest_error, std::fabs(actual - expected));
    // The condition is negated so that a NaN fails it.
    if (!(std::fabs(actual - expected) <= allowed)) note_wrong(result, flat, expected, actual, allowed);
  }
  return result;
}

std::string describe_mismatch(const TensorOperator& op, const Comparison& comparison) {
  const auto element = [&](std::int64_t position, double expected, double actual) {
    return element_text(op.output, position, expected, actual);
  };
  if (comparison.equal) return "all elements are correct";
  const std::string worst =
      element(comparison.worst_position, comparison.worst_expected, comparison.worst_actual);
  const std::string first =
      element(comparison.first_position, comparison.first_expected, comparison.first_actual);
  return fmt::format("{} of {} elements are wrong; the worst at {} (tolerance {:.3g}); the first at {}",
                     comparison.wrong_count, op.output.element_count(), worst, comparison.worst_tolerance,
                     first);
}

}  // namespace kernelscape::task
