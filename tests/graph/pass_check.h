#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

#include "core/graph/optimise.h"
#include "tests/graph/graph_builder.h"

namespace kernelscape::testing {

/** Returns the operators of a graph in their order with their epilogues: "Conv+bias+relu MaxPool". */
inline std::string operators_of(const graph::Graph& graph) {
  std::string text;
  for (const graph::Node& node : graph.nodes)
    text += (text.empty() ? "" : " ") + node.operation + task::to_string(node.epilogue);
  return text;
}

/** Makes a value an output, optimises the graph and returns its operators; or what is wrong. */
inline std::string optimised(GraphBuilder& builder, const std::vector<std::size_t>& outputs) {
  builder.graph.outputs = outputs;
  graph::Graph graph = builder.graph;
  const auto report = graph::optimise(graph);
  if (!report) return describe(report.error());
  if (report->nodes.size() != graph.nodes.size()) return "the report has another number of nodes";
  const auto before = graph::interpret(builder.graph, builder.inputs);
  if (!before) return describe(before.error());
  const auto after = graph::interpret(graph, builder.inputs);
  if (!after) return describe(after.error());
  const double difference = largest_difference(*before, *after);
  if (!(difference <= 1e-9)) return fmt::format("outputs differ by {}", difference);
  return operators_of(graph);
}

}  // namespace kernelscape::testing
