#include <fmt/format.h>

#include <algorithm>

#include "core/graph/operators/indexing.h"
#include "core/graph/operators/operator.h"

// Operators that change no element: they give a tensor another shape, or return its shape.
namespace kernelscape::graph {

namespace {

/** Returns the first input with another shape. Refuses one of another number of elements. */
Result<Tensors> reshaped(const Call& call, const Shape& shape) {
  const auto count = static_cast<std::int64_t>(call[0].elements.size());
  // Saturates above `count`, and 0 stays 0.
  std::int64_t product = 1;
  for (const std::int64_t extent : shape)
    product = std::min(product, count + 1) * std::clamp<std::int64_t>(extent, 0, count + 1);
  if (product != count || std::ranges::any_of(shape, [](std::int64_t extent) { return extent < 0; })) {
    return call.refuse(fmt::format("a tensor of shape {} cannot have the shape {}", shape_text(call[0].shape),
                                   shape_text(shape)));
  }
  Tensor result = call[0];
  result.shape = shape;
  return one_result(std::move(result));
}

Result<Tensors> reshape(const Call& call) {
  Shape shape = integers_of(call[1]);
  const Shape& own = call[0].shape;
  const bool allows_zero = call.integer("allowzero", 0) != 0;
  std::optional<std::size_t> open;
  std::int64_t known = 1;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    if (shape[axis] == 0 && !allows_zero && axis < own.size()) shape[axis] = own[axis];
    if (shape[axis] == -1) {
      if (open) return call.refuse(fmt::format("its shape {} leaves two extents open", shape_text(shape)));
      open = axis;
    } else if (shape[axis] < 0 || shape[axis] > (std::int64_t{1} << 31)) {
      return call.refuse(fmt::format("its shape {} is not valid", shape_text(shape)));
    } else {
      known = std::min(known, std::int64_t{1} << 31) * shape[axis];
    }
  }
  if (open) shape[*open] = known > 0 ? static_cast<std::int64_t>(call[0].elements.size()) / known : 0;
  return reshaped(call, shape);
}

Result<Tensors> flatten(const Call& call) {
  const Shape& shape = call[0].shape;
  const auto rank = static_cast<std::int64_t>(shape.size());
  std::int64_t axis = call.integer("axis", 1);
  if (axis < -rank || axis > rank)
    return call.refuse(fmt::format("axis {} does not exist in {} dimensions", axis, rank));
  if (axis < 0) axis += rank;
  const auto split = static_cast<std::size_t>(axis);
  return reshaped(call, {extent_product(shape, 0, split), extent_product(shape, split, shape.size())});
}

Result<Tensors> squeeze(const Call& call) {
  const Shape& own = call[0].shape;
  const bool all = !call.has(1) && !call.has_attribute("axes");
  const std::vector<std::size_t> axes =
      TRY(axes_of(call, call.has(1) ? integers_of(call[1]) : call.integers("axes"), own.size()));
  Shape shape;
  for (std::size_t axis = 0; axis < own.size(); ++axis) {
    const bool named = std::ranges::find(axes, axis) != axes.end();
    if (named && own[axis] != 1)
      return call.refuse(
          fmt::format("axis {} of shape {} does not have the extent 1", axis, shape_text(own)));
    if (!named && !(all && own[axis] == 1)) shape.push_back(own[axis]);
  }
  return reshaped(call, shape);
}

Result<Tensors> unsqueeze(const Call& call) {
  const Integers named = call.has(1) ? integers_of(call[1]) : call.integers("axes");
  Shape shape = call[0].shape;
  for (const std::size_t axis : TRY(axes_of(call, named, shape.size() + named.size())))
    shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(axis), 1);
  return reshaped(call, shape);
}

Result<Tensors> identity(const Call& call) { return one_result(call[0]); }

Result<Tensors> dropout(const Call& call) {
  const bool training = call.has(2) && !call[2].elements.empty() && call[2].elements[0] != 0;
  const bool drops = !call.has(1) || call[1].elements.empty() || call[1].elements[0] != 0;
  if (training && drops) return call.refuse("its training mode is random");
  Tensors results = one_result(call[0]);
  if (call.output_count() > 1)
    results.push_back({ElementType::Bool, call[0].shape, std::vector<double>(call[0].elements.size(), 1)});
  return results;
}

Result<Tensors> shape_of(const Call& call) {
  const Shape& shape = call[0].shape;
  const auto rank = static_cast<std::int64_t>(shape.size());
  const auto place = [&](std::int64_t axis) {
    return std::clamp<std::int64_t>(axis < 0 ? axis + rank : axis, 0, rank);
  };
  const std::int64_t start = place(call.integer("start", 0));
  const std::int64_t end = std::max(place(call.integer("end", rank)), start);
  return one_result(
      {ElementType::I64, {end - start}, std::vector<double>(shape.begin() + start, shape.begin() + end)});
}

Result<Tensors> size(const Call& call) {
  return one_result({ElementType::I64, {}, {static_cast<double>(call[0].elements.size())}});
}

}  // namespace

std::vector<Operator> shape_operators() {
  return {
      {"Dropout", 1, 3, dropout}, {"Flatten", 1, 1, flatten},     {"Identity", 1, 1, identity},
      {"Reshape", 2, 2, reshape}, {"Shape", 1, 1, shape_of},      {"Size", 1, 1, size},
      {"Squeeze", 1, 2, squeeze}, {"Unsqueeze", 1, 2, unsqueeze},
  };
}

}  // namespace kernelscape::graph
