#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/media/c_source.h"
#include "core/loop_nest/layout.h"

namespace kernelscape {

/** The same tensor from one layout to another: both have the same shape. */
struct LayoutConversion {
  Layout from;
  Layout to;
};

/** Whether the elements of a shape lie at the same places, whatever the layouts are called. */
bool lie_alike(const Layout& one, const Layout& other);

/** Whether it is row-major without gaps. */
bool is_plain(const Layout& layout);

/**
 * The layout that a tensor of another shape has where it is packed in the same way: NCHW16c of more channels.
 * None where the shape has another number of dimensions.
 */
std::optional<Layout> carried_to(const Layout& layout, const std::vector<std::int64_t>& shape);

/**
 * Function of C
 *   void NAME(int part, int parts, const float *from, float *to)
 * that does part `part` of `parts` of a conversion: loops over what both layouts divide the dimensions into,
 * in the order of the target's memory. Elements of the target that no element of the tensor maps to become 0.
 * None where the layouts divide a dimension in ways that don't nest.
 */
std::optional<CSourceText> conversion_function(const CSourceText& name, const LayoutConversion& conversion);

}  // namespace kernelscape
