#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "core/loop_nest/layout.h"
#include "core/task/library_tensors.h"
#include "core/task/task.h"

namespace kernelscape {

/**
 * A layout by the name that oneDNN has for it, "aBcd16b": the dimensions from the outermost, the first being
 * a, those in capitals that are divided into blocks, then the blocks. None where it is no such name, or one
 * of another number of dimensions.
 */
std::optional<Layout> onednn_layout(std::string_view name, const std::vector<std::int64_t>& dimensions);

/**
 * The layouts of a task's tensors as VendorResult::layouts tells them, "data acdb, weight Acdb64a, output
 * acdb", of shapes whose elements come in the order of the plain tensors. None where one of them is oneDNN's
 * secret ("library-specific"), or where they are no layouts of this task.
 */
std::optional<std::array<Layout, 3>> onednn_layouts(const Task& task, std::string_view told);

/**
 * From the plain tensor's numbering of dimensions to the library's, and back: operands of a multiplication
 * that are stored transposed have their last two in each other's place.
 */
Layout renumbered(Layout layout, const StridedTensor& tensor);

}  // namespace kernelscape
