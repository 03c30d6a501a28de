#pragma once

#include <cstddef>

#include "core/base/result.h"
#include "core/graph/graph.h"

namespace kernelscape::graph {

/**
 * Rewrites a quantised model so that its layers compute in single precision. QLinearConv, QLinearMatMul, and
 * QLinearAdd and QLinearMul of com.microsoft become the operator of floats between DequantizeLinear and
 * QuantizeLinear; a DequantizeLinear of constants becomes a constant. Rounding apart, the results are those
 * of the definition. A node whose scales are computed by the model stays. Errors as constant_doubles(); the
 * graph is then unchanged but for some of its constants.
 *
 * @return the number of convolutions and multiplications with dequantised weights
 */
Result<std::size_t> compute_in_floats(Graph& graph);

}  // namespace kernelscape::graph
