#pragma once

#include <cstdint>
#include <vector>

#include "core/schedule/sketch/sketch.h"

namespace kernelscape::schedule {

// Rules of a sketch for a CPU that leave to knobs what other sketches decide: where stages are made, vector
// widths, unroll factors and layouts.

/** Returns the numbers of 32-bit lanes of the CPU's vectors, ascending. */
std::vector<std::int64_t> vector_widths(const TargetDescription& target);

/** Copies each input into local memory: for a thread's block, for a cache tile, in the first round, or not.
 */
void copy_inputs(Sketch& sketch);

/**
 * Keeps results in local memory until their sums are complete: for a thread's block, for a row of cache
 * tiles, for a cache tile, or not. A knob sets how many are moved to the output at once.
 */
void keep_results(Sketch& sketch);

/** Opens the unroll factors of the innermost sums of the second and the third round. */
void unroll_rounds(Sketch& sketch);

/** Opens the layout of each tensor. */
void open_layouts(Sketch& sketch);

}  // namespace kernelscape::schedule
