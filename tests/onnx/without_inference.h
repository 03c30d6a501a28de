#pragma once

#include <string_view>
#include <tuple>
#include <vector>

#include "core/onnx/changed_operators.h"
#include "core/onnx/flat_graph.h"
#include "core/onnx/model_graph.h"
#include "core/onnx/model_layers.h"
#include "core/onnx/model_shapes.h"

namespace kernelscape::testing {

/** The tasks of a model's bytes by what it declares itself: all of our reading, and nothing of the library's
 * inference, which hostile bytes crash. */
inline std::vector<Task> tasks_without_inference(std::string_view bytes) {
  std::vector<Task> tasks;
  Result<onnx::ModelProto> model = parse_model(bytes);
  std::vector<std::string> notices;
  if (!model || !settle_operator_sets(*model, notices)) return tasks;
  if (!flatten_graph(*model)) return tasks;
  if (!set_dimensions(*model->mutable_graph(), {})) return tasks;
  if (!sort_nodes(*model->mutable_graph())) return tasks;
  const ModelShapes shapes = ModelShapes::declared(model->graph());
  for (const auto& node : model->graph().node()) {
    std::ignore = hidden_sums(model->graph(), node, shapes);
    if (!may_be_layer(node)) continue;
    if (auto layer = layer_task(model->graph(), node, shapes)) tasks.push_back(std::move(layer->task));
  }
  replace_changed_operators(*model);
  return tasks;
}

}  // namespace kernelscape::testing
