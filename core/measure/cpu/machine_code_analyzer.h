#pragma once

#include "core/base/result.h"
#include "core/machine_code/loop_bound.h"

namespace kernelscape::measure {

/**
 * Computes the bound of a loop with llvm-mca, which is started without a shell, with limits, and may write to
 * a private folder only. Returns Environment if llvm-mca is not installed or fails on this loop.
 * @param processor the processor that the loop runs on; if llvm-mca does not know it, its default, the host
 * processor, is used
 */
Result<machine_code::LoopBound> bound_by_llvm_mca(const machine_code::MachineCode& code,
                                                  const machine_code::MachineLoop& loop,
                                                  const machine_code::ChosenPortModel& processor,
                                                  double timeout_seconds);

}  // namespace kernelscape::measure
