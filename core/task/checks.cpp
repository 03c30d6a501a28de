#include "core/task/checks.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "core/base/int128.h"

namespace kernelscape::task {
namespace {

/** Returns the product, or a number above the limit. Factors are positive. */
base::uint128 saturating_product(base::uint128 start, std::span<const std::int64_t> factors) {
  for (const std::int64_t factor : factors)
    start = base::saturating_multiply(start, static_cast<base::uint128>(factor));
  return start;
}

Status check_tensor(std::string_view kind, const TensorAccess& access) {
  if (saturating_product(1, access.shape) < static_cast<base::uint128>(count_limit)) return {};
  return fail(ErrorCode::InvalidArgument,
              fmt::format("{}: the tensor {} of shape {} has 2^53 elements or more", kind, access.tensor,
                          shape_text(access.shape)),
              "use smaller extents");
}

/** Returns the largest magnitude of an integer type's values, or nullopt for other types. */
std::optional<std::int64_t> largest_magnitude(ScalarType type) {
  switch (type) {
    case ScalarType::U8:
      return std::numeric_limits<std::uint8_t>::max();
    case ScalarType::I8:
      return -std::int64_t{std::numeric_limits<std::int8_t>::min()};
    case ScalarType::I32:
      return -std::int64_t{std::numeric_limits<std::int32_t>::min()};
    default:
      return std::nullopt;
  }
}

/**
 * Checks that an integer sum cannot exceed its accumulator: such a sum has no correct result, because kernels
 * differ in what wraps and when.
 */
Status check_sum(std::string_view kind, const TensorOperator& op) {
  if (op.accumulator != ScalarType::I32) return {};
  const auto activation = largest_magnitude(op.inputs[0].type);
  const auto weight = largest_magnitude(op.inputs[1].type);
  if (!activation || !weight) return {};
  const std::int64_t longest = std::numeric_limits<std::int32_t>::max() / (*activation * *weight);
  std::vector<std::int64_t> reductions;
  for (const TensorAxis& axis : op.axes) {
    if (axis.reduction) reductions.push_back(axis.extent);
  }
  const base::uint128 terms = saturating_product(1, reductions);
  if (terms <= static_cast<base::uint128>(longest)) return {};
  return fail(ErrorCode::InvalidArgument,
              fmt::format("{}: a sum of {} products of {} and {} may exceed the range of {}", kind,
                          base::to_string(terms), to_string(op.inputs[0].type), to_string(op.inputs[1].type),
                          to_string(op.accumulator)),
              fmt::format("sums of up to {} products always fit: split the reduction, or use f32", longest));
}

}  // namespace

Status check_number(std::string_view kind, std::string_view name, std::int64_t value, std::int64_t least) {
  if (value >= least && value < count_limit) return {};
  return fail(ErrorCode::InvalidArgument, fmt::format("{}: {} is {}", kind, name, value),
              fmt::format("it must be at least {} and below 2^53", least));
}

Status check_operator(std::string_view kind, const TensorOperator& op) {
  const OperandTypes types = operand_types(op);
  if (to_string(types).empty()) {
    return fail(ErrorCode::InvalidArgument,
                fmt::format("{}: {} x {} into {} accumulated in {} is not supported", kind,
                            to_string(types.activation), to_string(types.weight), to_string(types.output),
                            to_string(types.accumulator)),
                "use f32, f64, f16, bf16 or i8");
  }
  for (const TensorAccess& input : op.inputs) TRY(check_tensor(kind, input));
  TRY(check_tensor(kind, op.output));
  std::vector<std::int64_t> extents;
  for (const TensorAxis& axis : op.axes) extents.push_back(axis.extent);
  if (saturating_product(2, extents) < static_cast<base::uint128>(count_limit)) return check_sum(kind, op);
  return fail(ErrorCode::InvalidArgument,
              fmt::format("{}: loops of {} are 2^53 FLOPs or more", kind, shape_text(extents)),
              "use smaller extents");
}

Status check_column_vectors(const Task& task, const std::vector<EpilogueStep>& steps) {
  const auto* m = std::get_if<MatrixMultiplication>(&task.definition);
  if (m == nullptr || m->batched || m->n > 1 || m->m == 1) return {};
  for (const EpilogueStep& step : steps) {
    if (step.kind != EpilogueKind::Bias && step.kind != EpilogueKind::Scale) continue;
    return fail(ErrorCode::InvalidArgument,
                fmt::format("a product with a vector has one column: {} has an element per column",
                            to_string({step})),
                fmt::format("for an element per row write matmul 1x{} {}, or use +add", m->k,
                            m->transpose_a ? fmt::format("{}x{}", m->k, m->m)
                                           : fmt::format("{}x{} transpose_b", m->m, m->k)));
  }
  return {};
}

std::string shape_text(std::span<const std::int64_t> shape) {
  return fmt::format("{}", fmt::join(shape, "x"));
}

AccessIndex make_index(std::size_t axis_count,
                       std::initializer_list<std::pair<std::size_t, std::int64_t>> terms, std::int64_t offset,
                       std::int64_t divisor) {
  AccessIndex index{std::vector<std::int64_t>(axis_count, 0), offset, divisor};
  for (const auto& [axis, coefficient] : terms) index.coefficients[axis] += coefficient;
  return index;
}

}  // namespace kernelscape::task
