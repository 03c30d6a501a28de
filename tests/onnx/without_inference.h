#pragma once

#include <string_view>
#include <tuple>
#include <vector>

#include "core/onnx_reader/changed_operators.h"
#include "core/onnx_reader/flat_graph.h"
#include "core/onnx_reader/graph_operators.h"
#include "core/onnx_reader/graph_tensors.h"
#include "core/onnx_reader/model_graph.h"
#include "core/onnx_reader/model_layers.h"
#include "core/onnx_reader/model_shapes.h"

namespace kernelscape::testing {

/** The tasks of a model's bytes by what it declares itself: all of our reading, and nothing of the library's
 * inference, which hostile bytes crash. */
inline std::vector<task::Task> tasks_without_inference(std::string_view bytes) {
  std::vector<task::Task> tasks;
  Result<onnx::ModelProto> model = onnx_reader::parse_model(bytes);
  std::vector<std::string> notices;
  if (!model || !onnx_reader::settle_operator_sets(*model, notices)) return tasks;
  if (!onnx_reader::flatten_graph(*model)) return tasks;
  if (!onnx_reader::set_dimensions(*model->mutable_graph(), {})) return tasks;
  if (!onnx_reader::sort_nodes(*model->mutable_graph())) return tasks;
  const onnx_reader::ModelShapes shapes = onnx_reader::ModelShapes::declared(model->graph());
  for (const auto& node : model->graph().node()) {
    std::ignore = onnx_reader::hidden_sums(model->graph(), node, shapes);
    if (!onnx_reader::may_be_layer(node)) continue;
    if (auto layer = onnx_reader::layer_task(model->graph(), node, shapes))
      tasks.push_back(std::move(layer->task));
  }
  onnx_reader::replace_changed_operators(*model);
  return tasks;
}

/** Converts a model's bytes for a graph by the shapes that it declares itself, and returns its constants. */
inline std::vector<measure::ModelValue> constants_without_inference(std::string_view bytes) {
  std::vector<measure::ModelValue> constants;
  Result<onnx::ModelProto> model = onnx_reader::parse_model(bytes);
  std::vector<std::string> notices;
  if (!model || !onnx_reader::settle_operator_sets(*model, notices)) return constants;
  if (!onnx_reader::flatten_graph(*model)) return constants;
  if (!onnx_reader::sort_nodes(*model->mutable_graph())) return constants;
  onnx_reader::UnsupportedNodes unsupported;
  onnx_reader::convert_operators(*model, unsupported);
  std::ignore = unsupported.status();
  onnx_reader::convert_with_shapes(*model, onnx_reader::ModelShapes::declared(model->graph()));
  for (const auto& tensor : model->graph().initializer())
    if (measure::ModelValue value; onnx_reader::set_constant(tensor, value)) constants.push_back(value);
  return constants;
}

}  // namespace kernelscape::testing
