#pragma once

#include "core/base/result.h"
#include "core/loop_nest/loop_nest.h"
#include "core/schedule/schedule.h"

namespace kernelscape {

/**
 * The loop nest of a configuration: loops in order with their lengths, the register tile, conditions where a
 * tile overhangs or an access reads padding, offsets into the packed tensors. No pass has run on it.
 * @param lanes most elements of one vector operation
 */
LoopNest lower(const Schedule& schedule, const Configuration& configuration, std::int64_t lanes);

}  // namespace kernelscape
