#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "core/base/result.h"
#include "core/exchange/model/kernel_choice.h"
#include "core/graph/graph.h"
#include "core/graph/layer_task.h"
#include "core/loop_nest/layout.h"

namespace kernelscape::exchange {

/** A layer with its kernel. */
struct PlannedLayer {
  graph::LayerTask layer;
  std::size_t kernel = 0;  ///< number in KernelChoice::kernels()
  std::size_t fused = 0;   ///< number of steps of the node's epilogue that the kernel applies
};

/** What is decided for a whole graph before its steps are written. */
struct LayerPlan {
  std::vector<std::optional<PlannedLayer>> layers;  ///< by node; nullopt: the node is no layer
  /// by value: the layout that saves its readers the most conversions; nullopt: they have no preference
  std::vector<std::optional<loop_nest::Layout>> preferred;
};

/**
 * Chooses the kernel of every layer, and the preferred layout of every value. The layouts of a layer's
 * tensors are those of its kernel. Preferences are passed from the results of other operators to their
 * operands, against the order of execution, and weighted by the elements that a conversion would move.
 */
Result<LayerPlan> plan_layers(const graph::Graph& graph, KernelChoice& kernels);

}  // namespace kernelscape::exchange
