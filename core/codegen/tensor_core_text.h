#pragma once

#include <functional>
#include <string>

#include "core/codegen/kernel_text.h"
#include "core/loop_nest/loop_nest.h"

namespace kernelscape::codegen {

/** Returns an index as text. */
using IndexSpelling = std::function<std::string(const loop_nest::IndexExpression&)>;

// CUDA C++ of fragment operations: inline PTX (wmma.load, wmma.mma, wmma.store), so that a kernel needs no
// header. PTX ISA, "Warp-level matrix multiply-accumulate instructions": in all three shapes, an A or B
// fragment of halves is eight 32-bit registers of every thread of the warp, and an f32 accumulator eight
// floats.

/**
 * Returns the device functions that a loop nest's fragment operations call, each once; empty if it has none.
 */
std::string tensor_core_functions(const loop_nest::LoopNest& nest);

/** Returns the declaration of a thread's part of a fragment buffer: "float sum[4][8]". */
std::string fragment_declaration(const loop_nest::Buffer& buffer);

/** Returns a fragment operation as a call of one of the functions. */
std::string fragment_call(const loop_nest::LoopNest& nest, const loop_nest::FragmentOperation& operation,
                          const IndexSpelling& spell);

}  // namespace kernelscape::codegen
