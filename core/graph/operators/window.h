#pragma once

#include "core/graph/operators/operator.h"

namespace kernelscape::graph {

/** The window of a convolution or pooling: one number for each spatial dimension. */
struct Window {
  Integers kernel;
  Integers strides;
  Integers dilations;
  Integers padding_before;
  Integers padding_after;
  Shape positions;  ///< the spatial extents of the result
};

/**
 * Reads the attributes strides, dilations, pads, auto_pad and ceil_mode. Refuses lists of a wrong length,
 * numbers out of range, unknown modes, and a window without a position.
 * @param spatial the extents of the input from the third dimension
 */
Result<Window> window_of(const Call& call, const Shape& spatial, const Integers& kernel);

/** As window_of() for ConvTranspose, which has output_padding and output_shape as well. */
Result<Window> transposed_window_of(const Call& call, const Shape& spatial, const Integers& kernel);

/** Returns the extents from the third dimension. */
inline Shape spatial_extents(const Shape& shape) {
  return shape.size() < 2 ? Shape{} : Shape(shape.begin() + 2, shape.end());
}

}  // namespace kernelscape::graph
