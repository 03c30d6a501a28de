#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/loop_nest/loop_nest.h"

namespace kernelscape::loop_nest {

/** Replaces vectorized loops by operations of at most vector_lanes lanes; remainders become smaller powers of
 * two. */
LoopNest vectorize(const LoopNest& nest);

/**
 * Splits loops whose variable has a condition that holds throughout the middle: padding and tile remainders
 * are peeled off, so that the middle runs without conditions and those of the rest are decided when it is
 * unrolled.
 */
LoopNest partition_loops(const LoopNest& nest);

/** Marks as unrolled the loops whose conditions can only be decided per copy: taps at a border. */
LoopNest unroll_undecided(const LoopNest& nest);

/** Replaces unrolled loops by copies of their bodies. */
LoopNest unroll(const LoopNest& nest);

/** Removes conditions that always hold and operations whose conditions never hold. */
LoopNest decide_conditions(const LoopNest& nest);

/**
 * Removes computations into parts of a register tile that are never read: where a tile overhangs its axis.
 */
LoopNest drop_unread_registers(const LoopNest& nest);

/** Moves conditions out of every loop and sequence that does not change them. */
LoopNest hoist_conditions(const LoopNest& nest);

/**
 * Applies TVM's automatic unrolling (UnrollLoop): from the innermost of nested loops outwards, it unrolls the
 * loops whose iterations have at most `max_steps` operations in total and contain no loop that stays; at
 * most 8 levels deep.
 * @param in_source true: marks them as unrolled; false: asks the compiler to unroll them
 */
LoopNest auto_unroll(const LoopNest& nest, std::int64_t max_steps, bool in_source);

struct Pass {
  std::string_view name;
  std::function<LoopNest(const LoopNest&)> run;
};

/** Returns the passes between lowering and emission on a CPU, in order. */
std::span<const Pass> cpu_passes();

/** Returns the passes between lowering and emission on a GPU, in order. */
std::span<const Pass> gpu_passes();

/** Called after each pass, for tests, timings and prints. */
using PassObserver = std::function<void(std::string_view pass, const LoopNest& result, double seconds)>;

/**
 * Runs passes in order. Error: a body that grows beyond `max_operations`, which no compiler could compile in
 * reasonable time.
 */
Result<LoopNest> run_passes(LoopNest nest, std::span<const Pass> passes, const PassObserver& observer = {},
                            std::int64_t max_operations = 200'000);

/** Returns the number of operations after unrolling all marked loops. */
std::int64_t count_operations(const LoopNest& nest);

}  // namespace kernelscape::loop_nest
