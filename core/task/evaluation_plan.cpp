#include "core/task/evaluation_plan.h"

#include <algorithm>
#include <cstdlib>

namespace kernelscape::task {
namespace {

std::vector<std::int64_t> row_major_strides(const std::vector<std::int64_t>& shape) {
  std::vector<std::int64_t> strides(shape.size(), 1);
  for (std::size_t d = shape.size(); d > 1; --d) strides[d - 2] = strides[d - 1] * shape[d - 1];
  return strides;
}

/** Returns true if the index is in bounds and divisible for all values of the axes. */
bool is_safe(const AccessIndex& index, std::int64_t extent, const std::vector<TensorAxis>& axes) {
  std::int64_t least = index.offset;
  std::int64_t most = index.offset;
  for (std::size_t a = 0; a < axes.size(); ++a) {
    const std::int64_t reach = index.coefficients[a] * (axes[a].extent - 1);
    (reach < 0 ? least : most) += reach;
  }
  return index.divisor == 1 && least >= 0 && most < extent;
}

void add_quantity(EvaluationPlan& plan, std::size_t quantity, const AccessIndex& index, std::int64_t scale) {
  plan.origin[quantity] += index.offset * scale;
  for (std::size_t a = 0; a < plan.steps.size(); ++a)
    plan.steps[a][quantity] += index.coefficients[a] * scale;
}

void append_quantity(EvaluationPlan& plan) {
  plan.origin.push_back(0);
  for (auto& step : plan.steps) step.push_back(0);
}

void add_input(EvaluationPlan& plan, const TensorOperator& op, std::size_t input) {
  const TensorAccess& access = op.inputs[input];
  const std::vector<std::int64_t> strides = row_major_strides(access.shape);
  for (std::size_t d = 0; d < access.shape.size(); ++d) {
    if (is_safe(access.indices[d], access.shape[d], op.axes)) {
      add_quantity(plan, input, access.indices[d], strides[d]);
      continue;
    }
    append_quantity(plan);
    add_quantity(plan, plan.origin.size() - 1, access.indices[d], 1);
    plan.checked.push_back({input, access.indices[d].divisor, access.shape[d], strides[d]});
  }
}

/** Returns the rough cost of a multiply-add if this axis is the inner axis, in units of the cheapest one. */
double inner_cost(const TensorOperator& op, std::size_t axis) {
  constexpr double start = 8;
  constexpr double near = 0.5;
  constexpr double far = 2;
  double cost = start / static_cast<double>(op.axes[axis].extent) + (op.axes[axis].reduction ? 0 : near);
  for (const TensorAccess& input : op.inputs) {
    const std::vector<std::int64_t> strides = row_major_strides(input.shape);
    std::int64_t stride = 0;
    for (std::size_t d = 0; d < strides.size(); ++d)
      stride += input.indices[d].coefficients[axis] * strides[d];
    cost += std::abs(stride) <= 1 ? near : far;
  }
  return cost;
}

/**
 * Chooses the axis with the lowest cost from the last spatial axis (its rows are contiguous in the output)
 * and the reductions.
 */
std::optional<std::size_t> choose_inner_axis(const TensorOperator& op, bool single_outputs) {
  std::optional<std::size_t> last_spatial;
  std::vector<std::size_t> candidates;
  for (std::size_t a = 0; a < op.axes.size(); ++a) {
    if (op.axes[a].reduction)
      candidates.push_back(a);
    else
      last_spatial = a;
  }
  if (last_spatial && !single_outputs) candidates.push_back(*last_spatial);
  if (candidates.empty()) return std::nullopt;
  return *std::ranges::min_element(candidates, {}, [&](std::size_t axis) { return inner_cost(op, axis); });
}

}  // namespace

std::int64_t EvaluationPlan::unit_count() const {
  std::int64_t count = 1;
  for (const std::size_t axis : unit_axes) count *= extents[axis];
  return count;
}

EvaluationPlan plan_evaluation(const TensorOperator& op, bool single_outputs) {
  EvaluationPlan plan;
  plan.origin.assign(EvaluationPlan::first_checked_quantity, 0);
  plan.steps.assign(op.axes.size(), plan.origin);
  for (std::size_t input = 0; input < 2; ++input) add_input(plan, op, input);
  const std::vector<std::int64_t> strides = row_major_strides(op.output.shape);
  for (std::size_t d = 0; d < strides.size(); ++d)
    add_quantity(plan, EvaluationPlan::output_quantity, op.output.indices[d], strides[d]);

  plan.inner_axis = choose_inner_axis(op, single_outputs);
  plan.inner_is_spatial = plan.inner_axis && !op.axes[*plan.inner_axis].reduction;
  for (std::size_t a = 0; a < op.axes.size(); ++a) {
    plan.extents.push_back(op.axes[a].extent);
    if (a == plan.inner_axis) continue;
    (op.axes[a].reduction ? plan.loop_axes : plan.unit_axes).push_back(a);
  }
  return plan;
}

}  // namespace kernelscape::task
