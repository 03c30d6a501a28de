#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/media/c_source.h"
#include "core/loop_nest/layout.h"

namespace kernelscape::exchange {

/** A conversion of a tensor from one layout to another; both have the same shape. */
struct LayoutConversion {
  loop_nest::Layout from;
  loop_nest::Layout to;
};

/**
 * Returns true if the elements of a shape have the same offsets in both layouts, regardless of the layouts'
 * names.
 */
bool lie_alike(const loop_nest::Layout& one, const loop_nest::Layout& other);

/** Returns true if the layout is row-major without gaps. */
bool is_plain(const loop_nest::Layout& layout);

/**
 * Returns the layout with the same packing for a tensor of another shape: NCHW16c with more channels. Returns
 * nullopt if the shape has another number of dimensions.
 */
std::optional<loop_nest::Layout> carried_to(const loop_nest::Layout& layout,
                                            const std::vector<std::int64_t>& shape);

/**
 * Returns a C function
 *   void NAME(int part, int parts, const float *from, float *to)
 * that executes part `part` of `parts` of a conversion: loops over the parts into which both layouts divide
 * the dimensions, in the order of the target's memory. Elements of the target without an element of the
 * tensor become 0. Returns nullopt if the layouts divide a dimension in ways that do not nest.
 */
std::optional<base::CSourceText> conversion_function(const base::CSourceText& name,
                                                     const LayoutConversion& conversion);

}  // namespace kernelscape::exchange
