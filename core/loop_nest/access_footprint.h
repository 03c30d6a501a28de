#pragma once

#include <cstdint>
#include <vector>

#include "core/loop_nest/loop_nest.h"

namespace kernelscape {

/** Values that a variable takes: its lowest one, then `steps` times a step of `step`. */
struct VariableSweep {
  int variable = 0;
  std::int64_t values = 1;
  std::int64_t step = 1;

  bool operator==(const VariableSweep&) const = default;
};

/** What a group of equal accesses touches while some variables run. */
struct SweptAccess {
  int buffer = 0;
  IndexExpression offset;  ///< without its constant
  std::int64_t lanes = 1;
  std::int64_t lane_stride = 0;
  bool written = false;
  std::vector<std::int64_t> constants{0};  ///< of the accesses of the group
  std::vector<VariableSweep> sweeps;       ///< all other variables stand at their lowest value
};

/** Units of memory that accesses touch. */
struct Footprint {
  double units = 0;
  double first_byte = 0;  ///< relative to the buffer's first one
  double last_byte = 0;
};

/**
 * Distinct units (lines of a cache, or elements) of `unit_bytes` that an access touches: exact where its
 * offset is a sum of a term for each variable, and where these do not overlap in odd ways; else an estimate.
 * Where it is not known how runs of elements lie in units, the mean over all ways.
 */
Footprint footprint_of(const SweptAccess& access, const LoopNest& nest, std::int64_t element_bytes,
                       std::int64_t unit_bytes);

/** Joins two accesses' footprints in the same buffer: what overlaps counts once. */
Footprint joined(const Footprint& a, const Footprint& b);

}  // namespace kernelscape
