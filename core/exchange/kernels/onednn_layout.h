#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "core/loop_nest/layout.h"
#include "core/task/library_tensors.h"
#include "core/task/task.h"

namespace kernelscape::exchange {

/**
 * Parses oneDNN's name of a layout, "aBcd16b": the dimensions from the outermost, where a is the first
 * dimension, capitals for dimensions that are divided into blocks, then the blocks. Returns nullopt if the
 * name is invalid or has another number of dimensions.
 */
std::optional<loop_nest::Layout> onednn_layout(std::string_view name,
                                               const std::vector<std::int64_t>& dimensions);

/**
 * Parses the layouts of a task's tensors in the form of VendorResult::layouts, "data acdb, weight Acdb64a,
 * output acdb". Their shapes have the elements in the order of the plain tensors. Returns nullopt if one of
 * them is opaque ("library-specific"), or if they do not fit the task.
 */
std::optional<std::array<loop_nest::Layout, 3>> onednn_layouts(const task::Task& task,
                                                               std::string_view reported);

/**
 * Renumbers dimensions from the plain tensor to the library's tensor, and back: the last two dimensions of
 * transposed operands of a multiplication are exchanged.
 */
loop_nest::Layout renumbered(loop_nest::Layout layout, const task::StridedTensor& tensor);

}  // namespace kernelscape::exchange
