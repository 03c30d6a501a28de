#pragma once

#include <optional>

#include "core/session/advice.h"

/**
 * The rules of advise(). Each returns nothing if its facts are missing or its threshold is not reached. The
 * table in advice.cpp names each rule's source.
 */
namespace kernelscape::session {

// Rules on the machine code of the hot loop.

/** Values that do not fit into the registers go through the stack in every iteration. */
std::optional<Advice> advise_on_spills(const AdviceFacts& facts);
/** Fewer independent accumulators than multiply-add units times their latency leave units idle. */
std::optional<Advice> advise_on_accumulators(const AdviceFacts& facts);
/** Multiply-adds that are narrower than the processor's vectors do less per cycle. */
std::optional<Advice> advise_on_vector_width(const AdviceFacts& facts);
/** A gather loads each lane separately. */
std::optional<Advice> advise_on_gathers(const AdviceFacts& facts);
/** A place in memory that each iteration writes and reads again makes iterations wait for each other. */
std::optional<Advice> advise_on_store_forwarding(const AdviceFacts& facts);
/** A loop longer than the cache of decoded instructions is decoded again in every iteration. */
std::optional<Advice> advise_on_code_size(const AdviceFacts& facts);
/** Multiply-adds of tails run with fewer lanes than those of the hot loop. */
std::optional<Advice> advise_on_tails(const AdviceFacts& facts);

// Rules on memory and threads.

/** On x86, a vector load that crosses the border of two cache lines needs both. */
std::optional<Advice> advise_on_split_loads(const AdviceFacts& facts);
/**
 * On x86, rows at a distance of a multiple of 4 KiB compete for the same few places of the L1 cache. Silent
 * if few loads miss L1, as counted.
 */
std::optional<Advice> advise_on_aliasing(const AdviceFacts& facts);
/** Counted loads that miss L1. */
std::optional<Advice> advise_on_l1_misses(const AdviceFacts& facts);
/** Counted requests that miss L2. */
std::optional<Advice> advise_on_l2_misses(const AdviceFacts& facts);
/** Counted loads whose page was not in the processor's table of pages. */
std::optional<Advice> advise_on_tlb_misses(const AdviceFacts& facts);
/** By the traffic model, data are fetched into L1 repeatedly. Silent if the misses were counted. */
std::optional<Advice> advise_on_l1_tile(const AdviceFacts& facts);
/** By the traffic model, data are fetched into L2 repeatedly. Silent if the misses were counted. */
std::optional<Advice> advise_on_l2_tile(const AdviceFacts& facts);
/** Parallel iterations that are no multiple of the threads leave threads idle in the last round. */
std::optional<Advice> advise_on_imbalance(const AdviceFacts& facts);

// Rules on sampled time.

/** Time is spent in the kernel's lines outside of the hot loop. */
std::optional<Advice> advise_on_other_loops(const AdviceFacts& facts);
/** Time is spent outside of the kernel's lines. */
std::optional<Advice> advise_on_waiting(const AdviceFacts& facts);

}  // namespace kernelscape::session
