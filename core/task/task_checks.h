#pragma once

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "core/base/result.h"
#include "core/task/task.h"

namespace kernelscape {

/** A number between `least` and 2^53; the error names it. */
Status check_number(std::string_view kind, std::string_view name, std::int64_t value, std::int64_t least = 1);

/** The types have a name, every tensor fewer than 2^53 elements, the operator fewer than 2^53 FLOPs, and no
 * sum of integers can exceed its accumulator. */
Status check_operator(std::string_view kind, const TensorOperator& op);

/** "1x64x56x56" */
std::string shape_text(std::span<const std::int64_t> shape);

/** An access index over `axis_count` axes: (sum of coefficient * axis + offset) / divisor. */
AccessIndex make_index(std::size_t axis_count,
                       std::initializer_list<std::pair<std::size_t, std::int64_t>> terms,
                       std::int64_t offset = 0, std::int64_t divisor = 1);

}  // namespace kernelscape
