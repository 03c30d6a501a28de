#include "core/schedule/sketch/sketch.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <tuple>

#include "core/schedule/template_support.h"

namespace kernelscape::schedule {
namespace {

/**
 * Returns true if an axis is alone in every dimension that it indexes, so that it can be padded and stored in
 * blocks.
 */
bool alone_where_it_moves(const task::TensorOperator& op, int axis) {
  return std::ranges::all_of(std::vector<const task::TensorAccess*>{&op.inputs[0], &op.inputs[1], &op.output},
                             [&](const task::TensorAccess* tensor) {
                               return !moves(*tensor, axis) || own_dimension(*tensor, axis) >= 0;
                             });
}

/**
 * Chooses the axis of a vector's lanes: columns belong to the weights, which are packed ahead; with fewer
 * columns than a vector has lanes, lanes stay empty.
 */
std::optional<int> choose_lane_axis(const task::TensorOperator& op, const std::vector<AxisRole>& roles,
                                    std::int64_t lanes) {
  const auto rank = [&](int axis) {
    const std::int64_t extent = op.axes[static_cast<std::size_t>(axis)].extent;
    const bool column = roles[static_cast<std::size_t>(axis)] == AxisRole::Column;
    return std::tuple{extent >= lanes && column, std::min(extent, lanes), column, extent};
  };
  std::optional<int> chosen;
  for (int axis = 0; axis < static_cast<int>(roles.size()); ++axis) {
    const AxisRole role = roles[static_cast<std::size_t>(axis)];
    if (role == AxisRole::Depth || role == AxisRole::None || !alone_where_it_moves(op, axis)) continue;
    if (op.axes[static_cast<std::size_t>(axis)].extent == 1) continue;
    if (!chosen || rank(axis) > rank(*chosen)) chosen = axis;
  }
  return chosen;
}

/** Returns the longest reduction that indexes a dimension of both inputs alone. */
std::optional<int> choose_depth_axis(const task::TensorOperator& op, const std::vector<AxisRole>& roles) {
  const auto extent = [&](int axis) { return op.axes[static_cast<std::size_t>(axis)].extent; };
  std::optional<int> chosen;
  for (int axis = 0; axis < static_cast<int>(roles.size()); ++axis)
    if (roles[static_cast<std::size_t>(axis)] == AxisRole::Depth && alone_where_it_moves(op, axis) &&
        (!chosen || extent(axis) > extent(*chosen)))
      chosen = axis;
  return chosen;
}

/** An index of two axes, one of which counts groups with as many elements as the other has. */
struct GroupedIndex {
  std::size_t group = 0;
  std::size_t element = 0;
};

std::optional<GroupedIndex> grouped_index(const task::TensorOperator& op, const task::AccessIndex& index) {
  if (index.offset != 0 || index.divisor != 1) return std::nullopt;
  std::vector<std::size_t> moved;
  for (std::size_t axis = 0; axis < index.coefficients.size(); ++axis)
    if (index.coefficients[axis] != 0) moved.push_back(axis);
  if (moved.size() != 2) return std::nullopt;
  for (const auto& [group, element] : {std::pair{moved[0], moved[1]}, std::pair{moved[1], moved[0]}})
    if (index.coefficients[element] == 1 && index.coefficients[group] == op.axes[element].extent &&
        op.axes[group].extent > 1 && op.axes[element].extent > 1)
      return GroupedIndex{group, element};
  return std::nullopt;
}

void separate(const task::TensorOperator& op, task::TensorAccess& tensor) {
  for (std::size_t d = 0; d < tensor.indices.size(); ++d) {
    const std::optional<GroupedIndex> grouped = grouped_index(op, tensor.indices[d]);
    const std::int64_t size = grouped ? op.axes[grouped->element].extent : 1;
    if (!grouped || tensor.shape[d] != size * op.axes[grouped->group].extent) continue;
    task::AccessIndex of_group{std::vector<std::int64_t>(op.axes.size(), 0)};
    of_group.coefficients[grouped->group] = 1;
    tensor.indices[d].coefficients[grouped->group] = 0;
    tensor.indices.insert(tensor.indices.begin() + static_cast<std::ptrdiff_t>(d), std::move(of_group));
    tensor.shape[d] = size;
    tensor.shape.insert(tensor.shape.begin() + static_cast<std::ptrdiff_t>(d),
                        op.axes[grouped->group].extent);
    ++d;
  }
}

bool is_bytes(const task::TensorOperator& op) {
  return task::operand_types(op) == intrinsic("vpdpbusd").types;
}

}  // namespace

task::TensorOperator with_separate_groups(task::TensorOperator op) {
  for (task::TensorAccess& input : op.inputs) separate(op, input);
  separate(op, op.output);
  for (task::TensorAccess& operand : op.operands) separate(op, operand);
  return op;
}

bool has_boxes(const task::TensorAccess& tensor) {
  return std::ranges::all_of(tensor.indices, [](const task::AccessIndex& index) {
    return index.divisor == 1 &&
           std::ranges::none_of(index.coefficients, [](std::int64_t c) { return c < 0; });
  });
}

Sketch::Sketch(const task::TensorOperator& op, const TargetDescription& on)
    : schedule(op),
      target(on),
      roles(axis_roles(op)),
      lane_axis(choose_lane_axis(op, roles, on.vector_lanes_f32())),
      depth_axis(choose_depth_axis(op, roles)) {}

const task::TensorAccess& Sketch::tensor(int number) const {
  const task::TensorOperator& op = schedule.op();
  return number < static_cast<int>(op.inputs.size()) ? op.inputs[static_cast<std::size_t>(number)]
                                                     : op.output;
}

LoopId Sketch::rest_of(int axis) const {
  LoopId loop{axis};
  while (!schedule.loop(loop).parts.empty()) loop = schedule.loop(loop).parts.front();
  return loop;
}

Status fits_sketch(const SketchDeclaration& sketch, const task::Task& task, const TargetDescription& target) {
  if (!task.op) return fail(ErrorCode::InvalidArgument, "a generic task has no operator");
  const bool cpu = target.kind == TargetKind::Cpu;
  const bool bytes = cpu && is_bytes(*task.op);
  if (sketch.int8_only) TRY(require_int8(task));
  if (!bytes) TRY(require_f32(task));
  const Sketch empty(with_separate_groups(*task.op), target);
  if (const auto found = std::ranges::find(empty.roles, AxisRole::None); found != empty.roles.end())
    return fail(
        ErrorCode::InvalidArgument,
        fmt::format("axis {} has no role: it is not a batch, a row, a column, or a sum over both inputs",
                    empty.axis(static_cast<int>(found - empty.roles.begin())).name));
  if (cpu && !empty.lane_axis)
    return fail(ErrorCode::InvalidArgument,
                "no axis of the output that is longer than one can run in vector lanes by itself");
  if (bytes && !empty.depth_axis)
    return fail(ErrorCode::InvalidArgument, "no int8 sum runs along its own dimension in both inputs");
  // A sketch that is not the default has additional rules: one of them must apply.
  const SketchDeclaration& usual = sketches().front();
  if (&sketch == &usual) return {};
  for (const SketchRule* rule : sketch.rules)
    if (std::ranges::find(usual.rules, rule) == usual.rules.end() && rule->applies(empty)) return {};
  return fail(ErrorCode::InvalidArgument,
              fmt::format("it is equal to {} here: none of its additional rules applies", usual.name));
}

Schedule make_sketch(const SketchDeclaration& declaration, const task::Task& task,
                     const TargetDescription& target) {
  Sketch sketch(with_separate_groups(*task.op), target);
  for (const SketchRule* rule : declaration.rules)
    if (rule->applies(sketch)) rule->apply(sketch);
  return std::move(sketch.schedule);
}

}  // namespace kernelscape::schedule
