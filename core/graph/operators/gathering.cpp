#include <fmt/format.h>

#include <algorithm>

#include "core/graph/operators/indexing.h"
#include "core/graph/operators/operator.h"

namespace kernelscape::graph {

namespace {

/** Returns an index that may count from the end. Refuses one out of range. */
Result<std::int64_t> valid_index(const Call& call, double element, std::int64_t extent) {
  const std::int64_t index = to_integer(element);
  if (index < -extent || index >= extent)
    return call.refuse(fmt::format("the index {} is out of range for an extent of {}", index, extent));
  return index < 0 ? index + extent : index;
}

Result<Tensors> gather(const Call& call) {
  const Tensor& data = call[0];
  const Tensor& indices = call[1];
  const std::size_t rank = data.shape.size();
  const std::size_t axis = TRY(axis_of(call, call.integer("axis", 0), rank));
  const auto cut = data.shape.begin() + static_cast<std::ptrdiff_t>(axis);
  Shape shape(data.shape.begin(), cut);
  shape.insert(shape.end(), indices.shape.begin(), indices.shape.end());
  shape.insert(shape.end(), cut + 1, data.shape.end());
  Tensor result = TRY(new_tensor(call, data.type, shape));
  const std::int64_t inner = extent_product(data.shape, axis + 1, rank);
  Integers positions;
  for (const double index : indices.elements)
    positions.push_back(TRY(valid_index(call, index, data.shape[axis])));
  auto target = result.elements.begin();
  for (std::int64_t outer = 0; outer < extent_product(data.shape, 0, axis); ++outer)
    for (const std::int64_t position : positions)
      target =
          std::copy_n(data.elements.begin() + (outer * data.shape[axis] + position) * inner, inner, target);
  return one_result(std::move(result));
}

/**
 * Calls visit(offset in data, number of the index) for each element of an indices tensor that replaces the
 * coordinate of one axis, as GatherElements and ScatterElements have it.
 */
template <typename Visit>
Status for_each_replaced(const Call& call, const Visit& visit) {
  const Tensor& data = call[0];
  const Tensor& indices = call[1];
  const std::size_t axis = TRY(axis_of(call, call.integer("axis", 0), data.shape.size()));
  bool fits = indices.shape.size() == data.shape.size();
  for (std::size_t i = 0; fits && i < data.shape.size(); ++i)
    fits = i == axis || indices.shape[i] <= data.shape[i];
  if (!fits) {
    return call.refuse(fmt::format("indices of shape {} do not fit data of shape {}",
                                   shape_text(indices.shape), shape_text(data.shape)));
  }
  const Integers strides = strides_of(data.shape);
  Integers place(indices.shape.size(), 0);
  for (std::int64_t i = 0; i < static_cast<std::int64_t>(indices.elements.size()); ++i) {
    std::int64_t offset = TRY(valid_index(call, at(indices, i), data.shape[axis])) * strides[axis];
    for (std::size_t other = 0; other < place.size(); ++other)
      if (other != axis) offset += place[other] * strides[other];
    visit(offset, i);
    advance(place, indices.shape);
  }
  return {};
}

Result<Tensors> gather_elements(const Call& call) {
  Tensor result = TRY(new_tensor(call, call[0].type, call[1].shape));
  TRY(for_each_replaced(call,
                        [&](std::int64_t offset, std::int64_t i) { at(result, i) = at(call[0], offset); }));
  return one_result(std::move(result));
}

/** Combines an element with an update as the attribute reduction says. */
using Update = double (*)(double element, double update);

Result<Update> update_of(const Call& call) {
  const std::string reduction = call.text("reduction", "none");
  if (reduction == "none") return [](double, double update) { return update; };
  if (reduction == "add") return [](double element, double update) { return element + update; };
  if (reduction == "mul") return [](double element, double update) { return element * update; };
  if (reduction == "max") return [](double element, double update) { return std::max(element, update); };
  if (reduction == "min") return [](double element, double update) { return std::min(element, update); };
  return call.refuse("its reduction is none of none, add, mul, max and min");
}

Result<Tensors> scatter_elements(const Call& call) {
  if (call[2].shape != call[1].shape) return call.refuse("its updates do not have the shape of its indices");
  const Update update = TRY(update_of(call));
  Tensor result = call[0];
  TRY(for_each_replaced(call, [&](std::int64_t offset, std::int64_t i) {
    at(result, offset) = update(at(result, offset), at(call[2], i));
  }));
  return one_result(std::move(result));
}

/** Slices that an indices tensor addresses by its last axis, as GatherND and ScatterND have it. */
struct AddressedSlices {
  Integers offsets;       ///< of each slice in the data
  std::int64_t elements;  ///< of one slice
  Shape shape;            ///< of all of them together
};

/** Reads the addresses. @param batches axes that data and indices share */
Result<AddressedSlices> addressed_slices(const Call& call, std::size_t batches) {
  const Shape& data = call[0].shape;
  const Shape& indices = call[1].shape;
  const std::size_t depth =
      indices.empty() || indices.back() < 0 ? 0 : static_cast<std::size_t>(indices.back());
  if (indices.size() <= batches || data.size() < batches + depth ||
      !std::equal(data.begin(), data.begin() + static_cast<std::ptrdiff_t>(batches), indices.begin())) {
    return call.refuse(fmt::format("indices of shape {} do not fit data of shape {}", shape_text(indices),
                                   shape_text(data)));
  }
  const Integers strides = strides_of(data);
  AddressedSlices slices{.offsets = {},
                         .elements = extent_product(data, batches + depth, data.size()),
                         .shape = Shape(indices.begin(), indices.end() - 1)};
  slices.shape.insert(slices.shape.end(), data.begin() + static_cast<std::ptrdiff_t>(batches + depth),
                      data.end());
  const std::int64_t count = extent_product(indices, 0, indices.size() - 1);
  const std::int64_t batch_count = std::max<std::int64_t>(extent_product(indices, 0, batches), 1);
  const std::int64_t batch_elements = extent_product(data, batches, data.size());
  for (std::int64_t i = 0; i < count; ++i) {
    std::int64_t offset = i / std::max<std::int64_t>(count / batch_count, 1) * batch_elements;
    for (std::size_t axis = 0; axis < depth; ++axis) {
      const double index = at(call[1], i * indices.back() + static_cast<std::int64_t>(axis));
      offset += TRY(valid_index(call, index, data[batches + axis])) * strides[batches + axis];
    }
    slices.offsets.push_back(offset);
  }
  return slices;
}

Result<Tensors> gather_slices(const Call& call) {
  const std::int64_t batches = call.integer("batch_dims", 0);
  if (batches < 0 || batches > static_cast<std::int64_t>(call[0].shape.size()))
    return call.refuse(fmt::format("its batch_dims are {}", batches));
  const AddressedSlices slices = TRY(addressed_slices(call, static_cast<std::size_t>(batches)));
  Tensor result = TRY(new_tensor(call, call[0].type, slices.shape));
  auto target = result.elements.begin();
  for (const std::int64_t offset : slices.offsets)
    target = std::copy_n(call[0].elements.begin() + offset, slices.elements, target);
  return one_result(std::move(result));
}

Result<Tensors> scatter_slices(const Call& call) {
  const AddressedSlices slices = TRY(addressed_slices(call, 0));
  if (call[2].shape != slices.shape) {
    return call.refuse(fmt::format("its updates of shape {} do not have the shape {}",
                                   shape_text(call[2].shape), shape_text(slices.shape)));
  }
  const Update update = TRY(update_of(call));
  Tensor result = call[0];
  auto source = call[2].elements.begin();
  for (const std::int64_t offset : slices.offsets)
    for (std::int64_t i = 0; i < slices.elements; ++i, ++source)
      at(result, offset + i) = update(at(result, offset + i), *source);
  return one_result(std::move(result));
}

}  // namespace

std::vector<Operator> gathering_operators() {
  return {
      {"Gather", 2, 2, gather},
      {"GatherElements", 2, 2, gather_elements},
      {"GatherND", 2, 2, gather_slices},
      {"ScatterElements", 3, 3, scatter_elements},
      {"ScatterND", 3, 3, scatter_slices},
  };
}

}  // namespace kernelscape::graph
