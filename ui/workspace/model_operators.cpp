#include "ui/workspace/model_operators.h"

#include <QCoreApplication>
#include <QFileInfo>
#include <utility>

#include "core/exchange/model/operators.h"
#include "core/graph/layer_task.h"
#include "core/graph/optimise.h"
#include "core/network/open_graph.h"
#include "core/study/model_export.h"
#include "core/task/checks.h"

namespace kernelscape::workspace {
namespace {

/** Returns "f32 1x64x56x56"; the shape of a scalar is empty. */
QString tensor_text(const graph::Value& value) {
  const std::string type = graph::to_string(value.type);
  return QString::fromStdString(value.shape.empty() ? type : type + ' ' + task::shape_text(value.shape));
}

QString results_text(const graph::Graph& graph, const graph::Node& node) {
  QStringList results;
  for (const std::size_t output : node.outputs)
    if (output != graph::absent) results.append(tensor_text(graph.values[output]));
  return results.join(QStringLiteral(", "));
}

ModelOperator operator_of(const graph::Graph& graph, const graph::Node& node,
                          const std::vector<graph::ModelNode>& origins) {
  ModelOperator made{.name = QString::fromStdString(node.name),
                     .operation = QString::fromStdString(node.operation),
                     .result = results_text(graph, node),
                     .epilogue = QString::fromStdString(task::to_string(node.epilogue)),
                     .nodes = {}};
  for (const graph::ModelNode& origin : origins)
    made.nodes.append(QStringLiteral("%1 (%2)").arg(QString::fromStdString(origin.name),
                                                    QString::fromStdString(origin.operation)));
  if (exchange::find_operator(node.operation) == nullptr) {
    made.obstacle = QCoreApplication::translate("ModelOperators", "a model's library has no such operator");
  } else if (graph::is_layer(node)) {
    const Result<graph::LayerTask> layer = graph::layer_task(graph, node);
    if (layer) {
      made.task = layer->task.text;
    } else {
      made.obstacle = QString::fromStdString(layer.error().message);
    }
  }
  return made;
}

}  // namespace

ModelStamp stamp_of(const study::ModelSource& model) {
  const QFileInfo file(QString::fromStdString(model.file));
  if (!file.isFile()) return {};
  return {true, file.lastModified(), file.size()};
}

Result<ModelOperators> read_model_operators(const study::ModelSource& model, const JobControl& control) {
  const measure::Interruption interruption{.requested = [&control] { return !control.proceed(); }};
  graph::Graph graph = TRY(network::open_graph(model.file, study::dimensions_of(model), interruption));
  ModelOperators read;
  read.model_nodes = graph.nodes.size();
  for (const std::string& notice : graph.notices) read.notices.append(QString::fromStdString(notice));
  const graph::OptimisationReport report = TRY(graph::optimise(graph));
  for (std::size_t i = 0; i < graph.nodes.size(); ++i)
    read.operators.push_back(operator_of(graph, graph.nodes[i], report.nodes[i]));
  return read;
}

}  // namespace kernelscape::workspace
