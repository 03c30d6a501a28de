#pragma once

#include "core/codegen/kernel_source.h"
#include "core/codegen/kernel_text.h"
#include "core/loop_nest/loop_nest.h"

namespace kernelscape::codegen {

/**
 * Emits a loop nest, after its passes, as C with GCC's and Clang's vector extensions: no header, one function
 * void entry(int part, int parts, const float *..., float *output).
 * @param lines receives the statement that each line was written for; null: not recorded
 */
KernelSource emit_c(const loop_nest::LoopNest& nest, const KernelDescription& description,
                    LineStatements* lines = nullptr);

}  // namespace kernelscape::codegen
