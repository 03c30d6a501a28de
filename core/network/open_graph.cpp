#include "core/network/open_graph.h"

#include <fmt/format.h>

#include <utility>

#include "core/base/read_file.h"
#include "core/network/model_constants.h"
#include "core/network/model_without_weights.h"
#include "core/network/model_worker.h"

namespace kernelscape::network {
namespace {

constexpr auto element_types = static_cast<std::uint8_t>(graph::ElementType::Bool) + 1;

/** Returns positions of values. Positions of no value become `absent`, which validate() refuses for results.
 */
std::vector<std::size_t> positions_of(const std::vector<std::int64_t>& reported) {
  std::vector<std::size_t> positions;
  for (const std::int64_t position : reported)
    positions.push_back(position < 0 ? graph::absent : static_cast<std::size_t>(position));
  return positions;
}

graph::Attribute attribute_of(measure::ModelAttribute& reported) {
  if (reported.integer) return *reported.integer;
  if (reported.number) return *reported.number;
  if (reported.text) return std::move(*reported.text);
  if (reported.integers) return std::move(*reported.integers);
  if (reported.numbers) return std::move(*reported.numbers);
  return reported.texts ? std::move(*reported.texts) : std::vector<std::string>();
}

graph::Node node_of(measure::ModelNode& reported) {
  graph::Node node{.name = std::move(reported.name),
                   .operation = std::move(reported.operation),
                   .inputs = positions_of(reported.inputs),
                   .outputs = positions_of(reported.outputs),
                   .attributes = {},
                   .epilogue = {}};
  for (measure::ModelAttribute& attribute : reported.attributes)
    node.attributes.emplace(attribute.name, attribute_of(attribute));
  return node;
}

/** Makes the graph of a worker's report, which is untrusted and may contain anything. */
Result<graph::Graph> graph_of(measure::ModelReply reply, const std::filesystem::path& path,
                              const CutModel& cut, ExternalData external) {
  graph::Graph graph;
  graph.name = reply.name.empty() ? path.stem().string() : std::move(reply.name);
  graph.notices = std::move(reply.notices);
  ModelConstants constants(path, cut, external);
  for (measure::ModelValue& reported : reply.graph.values) {
    if (reported.type >= element_types)
      return fail(ErrorCode::Internal, "the worker reports a value of an unknown type");
    graph::Value value{.name = reported.name,
                       .type = static_cast<graph::ElementType>(reported.type),
                       .shape = std::move(reported.shape)};
    TRY(constants.set(reported, value));
    graph.add(std::move(value));
  }
  for (measure::ModelNode& node : reply.graph.nodes) graph.nodes.push_back(node_of(node));
  graph.inputs = positions_of(reply.graph.inputs);
  graph.outputs = positions_of(reply.graph.outputs);
  TRY(graph::validate(graph));
  return graph;
}

}  // namespace

Result<graph::Graph> open_graph(const std::filesystem::path& path,
                                const std::vector<measure::ModelDimension>& dimensions,
                                const measure::Interruption& interruption, ExternalData external) {
  const std::filesystem::path absolute = TRY(base::absolute_path(path));
  CutModel model = TRY(read_model_without_weights(absolute));
  const measure::ModelRequest request{std::move(model.bytes), dimensions, true};
  Result<measure::ModelReply> reply = read_in_worker(request, interruption);
  if (!reply) return of_file(path, reply.error());
  Result<graph::Graph> graph = graph_of(std::move(*reply), absolute, model, external);
  if (!graph) return of_file(path, graph.error());
  return graph;
}

}  // namespace kernelscape::network
