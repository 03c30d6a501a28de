#pragma once

#include "core/base/result.h"
#include "core/machine_code/loop_bound.h"

namespace kernelscape {

/**
 * The bound of a loop by llvm-mca, which is started without a shell, with limits and nothing to write to but
 * a private folder. @param processor that the loop runs on; where llvm-mca does not know it, the one it runs
 * on itself is taken. Errors: Environment where it is not installed, or fails on this loop.
 */
Result<LoopBound> bound_by_llvm_mca(const MachineCode& code, const MachineLoop& loop,
                                    const ChosenPortModel& processor, double timeout_seconds);

}  // namespace kernelscape
