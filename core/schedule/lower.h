#pragma once

#include "core/loop_nest/loop_nest.h"
#include "core/schedule/schedule.h"
#include "core/schedule/target.h"

namespace kernelscape::schedule {

/**
 * Lowers a configuration to its loop nest, for any target: the launch, loops in order with their lengths,
 * stages at their attach points, the sums in their innermost tile, conditions where a tile overhangs or an
 * access reads padding, offsets into the packed tensors. The only pass that has run on it is TVM's automatic
 * unrolling, for GPUs.
 * @throws std::logic_error for a schedule that Schedule::check rejects
 */
loop_nest::LoopNest lower(const Schedule& schedule, const space::Configuration& configuration,
                          const TargetDescription& target);

}  // namespace kernelscape::schedule
