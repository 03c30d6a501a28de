#pragma once

#include "core/loop_nest/loop_nest.h"
#include "core/schedule/schedule.h"

namespace kernelscape {

/**
 * The loop nest of a schedule that was tensorized: a block's threads copy tiles of both inputs into shared
 * memory, its warps load fragments of them and multiply, and the sums go through shared memory, in the place
 * of the tiles, to the output. No pass has run.
 */
LoopNest lower_tensor_core(const Schedule& schedule, const Configuration& configuration);

}  // namespace kernelscape
