#include "app/command_line/network_graph.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>
#include <string>
#include <variant>
#include <vector>

#include "app/command_line/command.h"
#include "app/command_line/console.h"
#include "app/command_line/json_output.h"
#include "core/base/numbers.h"
#include "core/network/open_graph.h"
#include "core/network/open_network.h"

namespace kernelscape::command_line {
namespace {

using nlohmann::json;

/** Returns "f32 1x3x224x224", or "f32" for a scalar. */
std::string tensor_text(const graph::Value& value) {
  const std::string type = graph::to_string(value.type);
  return value.shape.empty() ? type : fmt::format("{} {}", type, fmt::join(value.shape, "x"));
}

/** Returns the operands of a node as tensor_text(), with "-" for an absent one. */
std::string tensors_text(const graph::Graph& graph, const std::vector<std::size_t>& numbers) {
  std::vector<std::string> texts;
  for (const std::size_t number : numbers) {
    texts.push_back(number == graph::absent ? "-" : tensor_text(graph.values[number]));
    if (number != graph::absent && graph.values[number].constant) texts.back() += " constant";
  }
  return fmt::format("{}", fmt::join(texts, ", "));
}

std::string attributes_text(const graph::Node& node) {
  std::vector<std::string> texts;
  for (const auto& [name, attribute] : node.attributes)
    texts.push_back(name + "=" +
                    std::visit(
                        [](const auto& value) {
                          if constexpr (requires { value.push_back({}); } && !requires { value.c_str(); })
                            return fmt::format("{}", fmt::join(value, ","));
                          else
                            return fmt::format("{}", value);
                        },
                        attribute));
  return fmt::format("{}", fmt::join(texts, " "));
}

json tensor_object(const graph::Value& value) {
  return {{"name", value.name},
          {"type", graph::to_string(value.type)},
          {"shape", value.shape},
          {"constant", value.constant}};
}

json tensor_objects(const graph::Graph& graph, const std::vector<std::size_t>& numbers) {
  json objects = json::array();
  for (const std::size_t number : numbers)
    objects.push_back(number == graph::absent ? json() : tensor_object(graph.values[number]));
  return objects;
}

struct ConstantTotals {
  std::size_t count = 0;
  double bytes = 0;
};
ConstantTotals constants_of(const graph::Graph& graph) {
  ConstantTotals totals;
  for (const graph::Value& value : graph.values) {
    if (!value.constant) continue;
    ++totals.count;
    totals.bytes += static_cast<double>(graph::element_count(value.shape) * graph::bytes_of(value.type));
  }
  return totals;
}

void print_graph_events(const graph::Graph& graph) {
  for (const graph::Node& node : graph.nodes) {
    json attributes = json::object();
    for (const auto& [name, attribute] : node.attributes)
      attributes[name] = std::visit([](const auto& value) { return json(value); }, attribute);
    print_json_line({{"event", "node"},
                     {"network", graph.name},
                     {"name", node.name},
                     {"operator", node.operation},
                     {"inputs", tensor_objects(graph, node.inputs)},
                     {"outputs", tensor_objects(graph, node.outputs)},
                     {"attributes", std::move(attributes)}});
  }
  const ConstantTotals constants = constants_of(graph);
  print_json_line({{"event", "graph"},
                   {"network", graph.name},
                   {"nodes", graph.nodes.size()},
                   {"constants", constants.count},
                   {"constant_bytes", constants.bytes},
                   {"inputs", tensor_objects(graph, graph.inputs)},
                   {"outputs", tensor_objects(graph, graph.outputs)},
                   {"notices", graph.notices}});
}

void print_graph_table(const graph::Graph& graph) {
  TextTable table({"node", "operator", "inputs", "outputs", "attributes"});
  for (const graph::Node& node : graph.nodes)
    table.add({node.name, node.operation, tensors_text(graph, node.inputs), tensors_text(graph, node.outputs),
               attributes_text(node)});
  const ConstantTotals constants = constants_of(graph);
  print("{}: reads {}, gives {}\n\n{}\n{} nodes, {} constants of {}\n", message_text(graph.name),
        tensors_text(graph, graph.inputs), tensors_text(graph, graph.outputs), table.text(),
        graph.nodes.size(), constants.count, base::bytes_text(constants.bytes));
}

}  // namespace

Result<int> print_graph(const NetworkChoice& choice, const GraphArguments& arguments) {
  const std::vector<measure::ModelDimension> dimensions = TRY(parse_dimensions(choice));
  const graph::Graph graph =
      TRY(network::open_graph(choice.name, dimensions, {},
                              arguments.external_data_anywhere ? network::ExternalData::Anywhere
                                                               : network::ExternalData::InModelFolder));
  if (arguments.json) {
    print_graph_events(graph);
    return exit_done;
  }
  print_graph_table(graph);
  for (const std::string& notice : graph.notices) print_note(notice);
  return exit_done;
}

}  // namespace kernelscape::command_line
