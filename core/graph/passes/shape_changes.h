#pragma once

#include <cstddef>
#include <string>

#include "core/graph/graph.h"
#include "core/graph/passes/rewriter.h"

namespace kernelscape::graph::passes {

/** Returns true for Reshape, Flatten, Squeeze and Unsqueeze. */
bool changes_only_shape(const Node& node);

/** Returns a Reshape of a value to the shape of another; adds the constant that it needs. */
Node reshape_node(Rewriter& rewriter, std::string name, std::size_t input, std::size_t output);

}  // namespace kernelscape::graph::passes
