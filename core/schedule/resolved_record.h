#pragma once

#include <cstdint>
#include <vector>

#include "core/loop_nest/index_expression.h"
#include "core/loop_nest/layout.h"
#include "core/schedule/schedule.h"

namespace kernelscape::schedule {

// Functions that lowering and features share to read a schedule.

/**
 * Returns true if a dimension is indexed by a padded axis alone, so that its layout has room for the
 * overhang.
 */
bool holds_padding(const Schedule& schedule, const task::AccessIndex& index);

/** Returns a dimension's extent as stored: rounded up if its axis is padded. */
std::int64_t stored_extent(const Schedule& schedule, const task::TensorAccess& tensor, int dimension);

/** Returns the access to input `number`, or to the output after the inputs. */
const task::TensorAccess& tensor_access(const task::TensorOperator& op, std::size_t number);

/** Returns the product of these loops' lengths. */
std::int64_t length_product(const Schedule& schedule, const std::vector<LoopId>& loops,
                            const space::Configuration& configuration);

/** Returns the layout of a tensor with the tile lengths of the configuration. */
loop_nest::Layout resolved_layout(const Schedule& schedule, std::size_t tensor,
                                  const space::Configuration& configuration);

/** Returns the offset in a layout of the element with these indices. */
loop_nest::IndexExpression layout_offset(const loop_nest::Layout& layout,
                                         const std::vector<loop_nest::IndexExpression>& indices,
                                         const loop_nest::Ranges& ranges);

/** Returns true if the configuration unrolls the loop, unconditionally or by a knob. */
bool is_unrolled(const Schedule& schedule, const Loop& loop, const space::Configuration& configuration);

}  // namespace kernelscape::schedule
