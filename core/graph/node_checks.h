#pragma once

#include "core/base/result.h"
#include "core/graph/graph.h"

namespace kernelscape::graph {

/**
 * Checks what the passes rely on in each node of a valid graph: the number of operands and results of known
 * operators, permutations and axes, and that the shapes of layers, their parameters, and elementwise
 * operators fit together. InvalidArgument names the node.
 */
Status check_nodes(const Graph& graph);

}  // namespace kernelscape::graph
