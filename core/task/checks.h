#pragma once

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "core/task/task.h"

namespace kernelscape::task {

/** Returns an error that names the number unless it lies between `least` and 2^53. */
Status check_number(std::string_view kind, std::string_view name, std::int64_t value, std::int64_t least = 1);

/**
 * Returns an error unless the types have a name, every tensor has fewer than 2^53 elements, the operator has
 * fewer than 2^53 FLOPs, and no integer sum can exceed its accumulator.
 */
Status check_operator(std::string_view kind, const TensorOperator& op);

/**
 * Refuses a bias or scale behind the product of a matrix and a vector: it would have one element, for the
 * output's only column, where users expect one per row.
 */
Status check_column_vectors(const Task& task, const std::vector<EpilogueStep>& steps);

/** Returns "1x64x56x56". */
std::string shape_text(std::span<const std::int64_t> shape);

/** Returns an access index over `axis_count` axes: (sum of coefficient * axis + offset) / divisor. */
AccessIndex make_index(std::size_t axis_count,
                       std::initializer_list<std::pair<std::size_t, std::int64_t>> terms,
                       std::int64_t offset = 0, std::int64_t divisor = 1);

}  // namespace kernelscape::task
