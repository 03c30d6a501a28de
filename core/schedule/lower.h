#pragma once

#include "core/loop_nest/loop_nest.h"
#include "core/schedule/schedule.h"
#include "core/schedule/target.h"

namespace kernelscape {

/**
 * The loop nest of a configuration, for any target: the launch, loops in order with their lengths, stages
 * where they are attached, the sums in their innermost tile, conditions where a tile overhangs or an access
 * reads padding, offsets into the packed tensors. No pass has run on it but TVM's automatic unrolling, for
 * GPUs.
 * @throws std::logic_error for what Schedule::check refuses
 */
LoopNest lower(const Schedule& schedule, const Configuration& configuration, const TargetDescription& target);

}  // namespace kernelscape
