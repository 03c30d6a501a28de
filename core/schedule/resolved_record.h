#pragma once

#include <cstdint>
#include <vector>

#include "core/loop_nest/index_expression.h"
#include "core/loop_nest/layout.h"
#include "core/schedule/schedule.h"

namespace kernelscape {

// What lowering and features read of a schedule alike.

/** Whether a dimension is indexed by a padded axis alone: its layout has room for the overhang. */
bool holds_padding(const Schedule& schedule, const AccessIndex& index);

/** A dimension's extent as it is stored: rounded up where its axis is padded. */
std::int64_t stored_extent(const Schedule& schedule, const TensorAccess& tensor, int dimension);

/** Input `number`, or the output after the inputs. */
const TensorAccess& tensor_access(const TensorOperator& op, std::size_t number);

/** The product of these loops' lengths. */
std::int64_t length_product(const Schedule& schedule, const std::vector<LoopId>& loops,
                            const Configuration& configuration);

/** The layout of a tensor with its tiles as long as the configuration says. */
Layout resolved_layout(const Schedule& schedule, std::size_t tensor, const Configuration& configuration);

/** Where a layout keeps the element with these indices. */
IndexExpression layout_offset(const Layout& layout, const std::vector<IndexExpression>& indices,
                              const Ranges& ranges);

/** Whether a configuration unrolls a loop, always or by a knob. */
bool is_unrolled(const Schedule& schedule, const ScheduleLoop& loop, const Configuration& configuration);

}  // namespace kernelscape
