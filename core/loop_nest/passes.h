#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/loop_nest/loop_nest.h"

namespace kernelscape {

/** Replaces vectorized loops by operations of at most vector_lanes lanes; remainders become smaller powers of
 * two. */
LoopNest vectorize(const LoopNest& nest);

/**
 * Splits loops where a condition on their variable holds throughout the middle: padding and tile remainders
 * are peeled off, so that the middle runs without conditions and the rest is decided when it is unrolled.
 */
LoopNest partition_loops(const LoopNest& nest);

/** Marks loops as unrolled whose conditions can only be decided per copy: taps at a border. */
LoopNest unroll_undecided(const LoopNest& nest);

/** Replaces unrolled loops by copies of their bodies. */
LoopNest unroll(const LoopNest& nest);

/** Drops conditions that always hold and operations whose conditions never do. */
LoopNest decide_conditions(const LoopNest& nest);

/** Drops what is computed into parts of a register tile that nothing reads: where a tile overhangs its axis.
 */
LoopNest drop_unread_registers(const LoopNest& nest);

/** Moves conditions out of every loop and sequence that does not change them. */
LoopNest hoist_conditions(const LoopNest& nest);

/**
 * TVM's automatic unrolling (UnrollLoop): of loops inside of each other, from the innermost out, those whose
 * iterations have at most `most_steps` operations in all and hold no loop that stays; 8 deep at most.
 * @param in_source marks them as unrolled; else their compiler is asked to
 */
LoopNest auto_unroll(const LoopNest& nest, std::int64_t most_steps, bool in_source);

struct Pass {
  std::string_view name;
  std::function<LoopNest(const LoopNest&)> run;
};

/** The passes between lowering and emission on a CPU, in order. */
std::span<const Pass> cpu_passes();

/** The same for a GPU. */
std::span<const Pass> gpu_passes();

/** Called after each pass: for tests that check, timings and prints. */
using PassObserver = std::function<void(std::string_view pass, const LoopNest& result, double seconds)>;

/** Runs passes in order. Error: a body that grows beyond `most_operations`, which no compiler would accept in
 * time. */
Result<LoopNest> run_passes(LoopNest nest, std::span<const Pass> passes, const PassObserver& observer = {},
                            std::int64_t most_operations = 200'000);

/** Operations after unrolling everything that is marked. */
std::int64_t count_operations(const LoopNest& nest);

}  // namespace kernelscape
