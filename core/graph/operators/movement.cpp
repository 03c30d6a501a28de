#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "core/graph/operators/indexing.h"
#include "core/graph/operators/operator.h"

namespace kernelscape::graph {

namespace {

/** Returns a tensor of a shape whose elements are read from the first input with strides. */
Result<Tensors> read_with_strides(const Call& call, const Shape& shape, const Integers& strides) {
  Tensor result = TRY(new_tensor(call, call[0].type, shape));
  auto element = result.elements.begin();
  for_each_offset<1>(shape, {strides}, [&](const auto& offsets) { *element++ = at(call[0], offsets[0]); });
  return one_result(std::move(result));
}

/** As read_with_strides() of a transposed view of the first input. @param view its shape before */
Result<Tensors> permuted(const Call& call, const Shape& view, const std::vector<std::size_t>& order) {
  const Integers own = strides_of(view);
  Shape shape;
  Integers strides;
  for (const std::size_t axis : order) {
    shape.push_back(view[axis]);
    strides.push_back(own[axis]);
  }
  return read_with_strides(call, shape, strides);
}

Result<Tensors> transpose(const Call& call) {
  const std::size_t rank = call[0].shape.size();
  Integers order(rank);
  std::iota(order.rbegin(), order.rend(), std::int64_t{0});
  order = call.integers("perm", order);
  std::vector<std::size_t> axes;
  for (const std::int64_t axis : order) axes.push_back(TRY(axis_of(call, axis, rank)));
  if (TRY(axes_of(call, order, rank)).size() != rank)
    return call.refuse(fmt::format("its perm has {} axes for {} dimensions", order.size(), rank));
  return permuted(call, call[0].shape, axes);
}

/** Refuses a tensor that has not four dimensions, and blocks below 1. */
Result<std::int64_t> block_size(const Call& call) {
  const std::int64_t block = call.integer("blocksize", 0);
  if (block < 1 || block > (1 << 20)) return call.refuse("its blocksize is missing or not valid");
  if (call[0].shape.size() != 4)
    return call.refuse(
        fmt::format("its input of shape {} does not have four dimensions", shape_text(call[0].shape)));
  return block;
}

Result<Tensors> depth_to_space(const Call& call) {
  const std::int64_t block = TRY(block_size(call));
  const Shape& own = call[0].shape;
  const std::string mode = call.text("mode", "DCR");
  if (mode != "DCR" && mode != "CRD") return call.refuse("its mode is neither DCR nor CRD");
  if (own[1] % (block * block) != 0)
    return call.refuse(fmt::format("blocks of {} do not divide {} channels", block, own[1]));
  const std::int64_t depth = own[1] / (block * block);
  Tensors results =
      mode == "DCR" ? TRY(permuted(call, {own[0], block, block, depth, own[2], own[3]}, {0, 3, 4, 1, 5, 2}))
                    : TRY(permuted(call, {own[0], depth, block, block, own[2], own[3]}, {0, 1, 4, 2, 5, 3}));
  results[0].shape = {own[0], depth, own[2] * block, own[3] * block};
  return results;
}

Result<Tensors> space_to_depth(const Call& call) {
  const std::int64_t block = TRY(block_size(call));
  const Shape& own = call[0].shape;
  if (own[2] % block != 0 || own[3] % block != 0)
    return call.refuse(fmt::format("blocks of {} do not divide the shape {}", block, shape_text(own)));
  const Shape view = {own[0], own[1], own[2] / block, block, own[3] / block, block};
  Tensors results = TRY(permuted(call, view, {0, 3, 5, 1, 2, 4}));
  results[0].shape = {own[0], own[1] * block * block, own[2] / block, own[3] / block};
  return results;
}

Result<Tensors> expand(const Call& call) {
  const Shape wanted = integers_of(call[1]);
  const std::optional<Shape> shape = broadcast_shape(call[0].shape, wanted);
  if (!shape) {
    return call.refuse(fmt::format("a tensor of shape {} cannot be expanded to {}", shape_text(call[0].shape),
                                   shape_text(wanted)));
  }
  return read_with_strides(call, *shape, broadcast_strides(call[0].shape, *shape));
}

Result<Tensors> tile(const Call& call) {
  const Integers repeats = integers_of(call[1]);
  const Shape& own = call[0].shape;
  if (repeats.size() != own.size())
    return call.refuse(fmt::format("it has {} repeats for {} dimensions", repeats.size(), own.size()));
  // As a view with an axis of stride 0 before each axis.
  const Integers strides = strides_of(own);
  Shape view;
  Integers view_strides;
  Shape shape;
  for (std::size_t axis = 0; axis < own.size(); ++axis) {
    if (repeats[axis] < 0 || repeats[axis] > count_limit / std::max<std::int64_t>(own[axis], 1))
      return call.refuse(fmt::format("its repeats are {}", shape_text(repeats)));
    view.insert(view.end(), {repeats[axis], own[axis]});
    view_strides.insert(view_strides.end(), {0, strides[axis]});
    shape.push_back(repeats[axis] * own[axis]);
  }
  Tensors results = TRY(read_with_strides(call, view, view_strides));
  results[0].shape = shape;
  return results;
}

Result<Tensors> concatenate(const Call& call) {
  const std::size_t rank = call[0].shape.size();
  if (!call.has_attribute("axis")) return call.refuse("its attribute axis is missing");
  const std::size_t axis = TRY(axis_of(call, call.integer("axis", 0), rank));
  Shape shape = call[0].shape;
  shape[axis] = 0;
  for (std::size_t input = 0; input < call.input_count(); ++input) {
    Shape own = call.has(input) ? call[input].shape : Shape{};
    const std::int64_t extent = axis < own.size() ? own[axis] : 0;
    if (axis < own.size()) own[axis] = shape[axis];
    if (own != shape) {
      return call.refuse(fmt::format("its input {} does not fit the shape {} except in axis {}", input,
                                     shape_text(call[0].shape), axis));
    }
    shape[axis] += extent;
  }
  Tensor result = TRY(new_tensor(call, call[0].type, shape));
  auto target = result.elements.begin();
  for (std::int64_t outer = 0; outer < extent_product(shape, 0, axis); ++outer) {
    for (std::size_t input = 0; input < call.input_count(); ++input) {
      const std::int64_t count = extent_product(call[input].shape, axis, rank);
      target = std::copy_n(call[input].elements.begin() + outer * count, count, target);
    }
  }
  return one_result(std::move(result));
}

/** Returns the extents of Split's results along the axis. */
Result<Integers> split_extents(const Call& call, std::int64_t extent) {
  const auto parts = static_cast<std::int64_t>(call.output_count());
  Integers extents;
  if (call.has(1) || call.has_attribute("split")) {
    extents = call.has(1) ? integers_of(call[1]) : call.integers("split");
  } else if (parts > 0) {
    const std::int64_t part = (extent + parts - 1) / parts;
    for (std::int64_t i = 0; i < parts; ++i)
      extents.push_back(std::clamp<std::int64_t>(extent - i * part, 0, part));
  }
  std::int64_t sum = 0;
  for (const std::int64_t part : extents) sum = part < 0 || part > extent ? extent + 1 : sum + part;
  if (sum != extent || static_cast<std::int64_t>(extents.size()) != parts) {
    return call.refuse(fmt::format("an axis of extent {} cannot be split into {} for {} results", extent,
                                   shape_text(extents), parts));
  }
  return extents;
}

Result<Tensors> split(const Call& call) {
  const Tensor& input = call[0];
  const std::size_t rank = input.shape.size();
  const std::size_t axis = TRY(axis_of(call, call.integer("axis", 0), rank));
  const std::int64_t outer = extent_product(input.shape, 0, axis);
  const std::int64_t inner = extent_product(input.shape, axis + 1, rank);
  Tensors results;
  std::int64_t first = 0;
  for (const std::int64_t extent : TRY(split_extents(call, input.shape[axis]))) {
    Shape shape = input.shape;
    shape[axis] = extent;
    Tensor result = TRY(new_tensor(call, input.type, shape));
    for (std::int64_t i = 0; i < outer; ++i) {
      std::copy_n(input.elements.begin() + (i * input.shape[axis] + first) * inner, extent * inner,
                  result.elements.begin() + i * extent * inner);
    }
    first += extent;
    results.push_back(std::move(result));
  }
  return results;
}

}  // namespace

std::vector<Operator> movement_operators() {
  return {
      {"Concat", 1, unlimited, concatenate},
      {"DepthToSpace", 1, 1, depth_to_space},
      {"Expand", 2, 2, expand},
      {"SpaceToDepth", 1, 1, space_to_depth},
      {"Split", 1, 2, split},
      {"Tile", 2, 2, tile},
      {"Transpose", 1, 1, transpose},
  };
}

}  // namespace kernelscape::graph
