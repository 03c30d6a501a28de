#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/graph/graph.h"

namespace kernelscape::graph {

/** A node of the graph as it was before optimise(). */
struct ModelNode {
  std::size_t number = 0;  ///< its position in the nodes of that graph
  std::string name;
  std::string operation;

  bool operator==(const ModelNode&) const = default;
};

/** What one pass did, over all of its runs. */
struct PassReport {
  std::string pass;                  ///< name of the pass: "constant folding", ...
  std::vector<std::string> removed;  ///< names of the nodes that the pass removed or merged into others
  std::size_t added = 0;             ///< nodes that the pass created
};

/** What optimise() did. */
struct OptimisationReport {
  /// for each node of the resulting graph the nodes of the model that it computes, in the model's order: its
  /// own, and those that were fused into it. Nodes whose results became constants or views of others belong
  /// to none.
  std::vector<std::vector<ModelNode>> nodes;
  std::vector<PassReport> passes;  ///< in the order in which the passes run
};

/**
 * Rewrites a graph into an equivalent one with fewer nodes: constants are folded, BatchNormalization goes
 * into weights, bias, activations and residual additions into the epilogues of the layers before them,
 * sequences that exporters write for one operator become that operator, transposes and changes of shape are
 * removed where possible, as is what no output needs.
 *
 * Inputs and outputs keep their numbers in `inputs` and `outputs`, their names, types and shapes. Results
 * differ by rounding only. The graph satisfies validate() before and after; errors are those of validate(),
 * of check_nodes() and of constants that cannot be read, and leave the graph as it was.
 */
Result<OptimisationReport> optimise(Graph& graph);

}  // namespace kernelscape::graph
