#include <algorithm>

#include "core/graph/passes/passes.h"

namespace kernelscape::graph::passes {

Status remove_dead_nodes(Rewriter& rewriter) {
  // Backwards, so that a chain that nobody reads goes in one run.
  for (std::size_t i = rewriter.node_count(); i-- > 0;) {
    if (!rewriter.alive(i)) continue;
    const bool needed = std::ranges::any_of(rewriter.node(i).outputs, [&](std::size_t output) {
      return output != absent && (rewriter.is_output(output) || !rewriter.readers(output).empty());
    });
    if (!needed) rewriter.remove(i);
  }
  return {};
}

}  // namespace kernelscape::graph::passes
