#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/task/layer_table.h"

namespace kernelscape::task {

// A layer as a list of fields that describe it completely: task sampling draws them one by one.

/** One number, or one for each dimension. */
using FieldValue = std::vector<std::int64_t>;

/** A field, and the earlier fields on which a draw from the prior depends. */
struct LayerField {
  std::string_view name;
  std::vector<std::size_t> conditions;  ///< indices of earlier fields
};

/**
 * Returns the fields of a kind of layers, in the order in which the prior draws them.
 *
 * Convolutions: operation (dimensions, transposed, plain or depthwise or how many groups, types); kernel |
 * operation; stride | operation, kernel; border (padding and dilation) | operation, kernel, stride; batch |
 * operation; input size | operation, kernel, stride; input channels | operation, kernel, input size; output
 * channels | operation, kernel, input channels. Output channels of a depthwise convolution are those of one
 * input channel. Therefore a kernel keeps the strides, paddings and sizes with which it occurs, and channels
 * keep the sizes and the other channels with which they occur; only their combination is new.
 *
 * Multiplications: operation (batched, transposed operands, times a vector, types); k | operation; n |
 * operation, k; m | operation; batch | operation. Therefore weights keep their shapes, and are combined with
 * any number of tokens.
 */
const std::vector<LayerField>& layer_fields(LayerKind kind);

/** Returns the values of the fields; the first field is the operation. */
std::vector<FieldValue> field_values(const Definition& definition, const OperandTypes& types);

/** Returns the task with these field values, or InvalidArgument if they are inconsistent. */
Result<Task> task_of_fields(LayerKind kind, std::span<const FieldValue> values);

}  // namespace kernelscape::task
