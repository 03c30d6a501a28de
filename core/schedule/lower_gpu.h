#pragma once

#include "core/loop_nest/loop_nest.h"
#include "core/schedule/schedule.h"

namespace kernelscape {

/**
 * The loop nest of a GPU's kernel: a thread sums its part of the output in registers, from tiles that its
 * block keeps in shared memory, and virtual threads run one after the other in the innermost loops. Loops
 * that the schedule's auto_unroll chooses, else small ones, are marked; no pass has run.
 */
LoopNest lower_gpu(const Schedule& schedule, const Configuration& configuration);

}  // namespace kernelscape
