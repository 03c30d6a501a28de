#pragma once

#include <cstdint>
#include <vector>

#include "core/loop_nest/loop_nest.h"

namespace kernelscape::loop_nest {

/**
 * The values that a variable takes: its lowest value, then `values - 1` further values at a distance of
 * `step`.
 */
struct VariableSweep {
  int variable = 0;
  std::int64_t values = 1;
  std::int64_t step = 1;

  bool operator==(const VariableSweep&) const = default;
};

/** A group of accesses that differ only in their constants, and the variables that run. */
struct SweptAccess {
  int buffer = 0;
  IndexExpression offset;  ///< without its constant
  std::int64_t lanes = 1;
  std::int64_t lane_stride = 0;
  bool written = false;
  std::vector<std::int64_t> constants{0};  ///< constants of the accesses of the group
  std::vector<VariableSweep> sweeps;       ///< the variables that run; all others have their lowest value
};

/** The units of memory that accesses touch. */
struct Footprint {
  double units = 0;
  double first_byte = 0;  ///< relative to the buffer's first byte
  double last_byte = 0;
};

/**
 * Counts the distinct units (cache lines, or elements) of `unit_bytes` that an access touches. The count is
 * exact if the offset is a sum of one term per variable and these terms overlap in regular ways; otherwise it
 * is an estimate. If the alignment of runs of elements to units is unknown, the count is the mean over all
 * alignments.
 */
Footprint footprint_of(const SweptAccess& access, const LoopNest& nest, std::int64_t element_bytes,
                       std::int64_t unit_bytes);

/** Joins two accesses' footprints in the same buffer: the overlap counts once. */
Footprint joined(const Footprint& a, const Footprint& b);

}  // namespace kernelscape::loop_nest
