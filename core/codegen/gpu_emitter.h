#pragma once

#include "core/codegen/kernel_source.h"
#include "core/codegen/kernel_text.h"
#include "core/loop_nest/loop_nest.h"

namespace kernelscape::codegen {

/**
 * Emits a GPU's loop nest, after its passes, as CUDA C++ or OpenCL C: no header, one kernel that takes the
 * tensors in order. The launch and the static shared memory follow from the nest.
 * @param lines receives the statement that each line was written for; null: not recorded
 */
KernelSource emit_gpu(const loop_nest::LoopNest& nest, Dialect dialect, const KernelDescription& description,
                      LineStatements* lines = nullptr);

/** Returns the static shared memory of a block, in bytes. */
std::int64_t shared_bytes(const loop_nest::LoopNest& nest);

/** Returns the blocks and threads of a nest's launch. */
Launch launch_of(const loop_nest::LoopNest& nest);

}  // namespace kernelscape::codegen
