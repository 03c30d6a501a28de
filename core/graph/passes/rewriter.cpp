#include "core/graph/passes/rewriter.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace kernelscape::graph::passes {

Node make_node(std::string name, std::string operation, std::vector<std::size_t> inputs,
               std::vector<std::size_t> outputs, std::map<std::string, Attribute> attributes) {
  return {.name = std::move(name),
          .operation = std::move(operation),
          .inputs = std::move(inputs),
          .outputs = std::move(outputs),
          .attributes = std::move(attributes),
          .epilogue = {}};
}

Rewriter::Rewriter(Graph graph)
    : graph_(std::move(graph)),
      alive_(graph_.nodes.size(), true),
      producers_(graph_.values.size(), absent),
      readers_(graph_.values.size()),
      is_output_(graph_.values.size(), false),
      origins_(graph_.nodes.size()) {
  for (const std::size_t output : graph_.outputs) is_output_[output] = true;
  for (std::size_t node = 0; node < graph_.nodes.size(); ++node) {
    connect(node);
    origins_[node] = {node};
  }
  for (const Value& value : graph_.values) names_.insert(value.name);
}

std::size_t Rewriter::producer(std::size_t value) const {
  return value == absent ? absent : producers_[value];
}

std::size_t Rewriter::producer(std::size_t value, std::string_view operation) const {
  const std::size_t found = producer(value);
  if (found == absent || node(found).operation != operation || node(found).outputs.size() != 1) return absent;
  return node(found).epilogue.empty() ? found : absent;
}

void Rewriter::connect(std::size_t node) {
  for (const std::size_t input : graph_.nodes[node].inputs)
    if (input != absent) readers_[input].push_back(node);
  for (const std::size_t output : graph_.nodes[node].outputs)
    if (output != absent) producers_[output] = node;
}

void Rewriter::disconnect(std::size_t node) {
  for (const std::size_t input : graph_.nodes[node].inputs) {
    if (input == absent) continue;
    std::vector<std::size_t>& readers = readers_[input];
    readers.erase(std::ranges::find(readers, node));
  }
  for (const std::size_t output : graph_.nodes[node].outputs)
    if (output != absent && producers_[output] == node) producers_[output] = absent;
}

void Rewriter::replace(std::size_t node, Node replacement) {
  disconnect(node);
  graph_.nodes[node] = std::move(replacement);
  connect(node);
  ++changes;
}

std::size_t Rewriter::add(Node node, std::size_t origin) {
  const std::size_t number = graph_.nodes.size();
  graph_.nodes.push_back(std::move(node));
  alive_.push_back(true);
  origins_.push_back(origin == absent ? std::vector<std::size_t>{} : std::vector(origins_[origin]));
  connect(number);
  ++changes;
  ++added;
  return number;
}

void Rewriter::remove(std::size_t node, std::size_t into) {
  disconnect(node);
  alive_[node] = false;
  removed.push_back(graph_.nodes[node].name);
  if (into != absent) merge_origin(node, into);
  ++changes;
}

void Rewriter::remove_unread(const std::vector<std::size_t>& values, std::size_t into) {
  std::vector<std::size_t> open = values;
  while (!open.empty()) {
    const std::size_t writer = producer(open.back());
    open.pop_back();
    if (writer == absent) continue;
    const std::vector<std::size_t>& outputs = graph_.nodes[writer].outputs;
    const bool needed = std::ranges::any_of(outputs, [&](std::size_t output) {
      return output != absent && (is_output_[output] || !readers_[output].empty());
    });
    if (needed) continue;
    const std::vector<std::size_t> inputs = graph_.nodes[writer].inputs;
    open.insert(open.end(), inputs.begin(), inputs.end());
    remove(writer, into);
  }
}

void Rewriter::merge_origin(std::size_t node, std::size_t into) {
  std::vector<std::size_t> both;
  std::ranges::set_union(origins_[node], origins_[into], std::back_inserter(both));
  origins_[into] = std::move(both);
}

bool Rewriter::bypass(std::size_t node, std::size_t same) {
  const std::size_t output = graph_.nodes[node].outputs.front();
  std::size_t from = output;
  std::size_t to = same;
  const std::size_t writer = producer(same);
  if (is_output_[output]) {
    if (writer == absent || is_output_[same]) return false;
    std::swap(from, to);
  }
  remove(node);
  if (is_output_[output]) {
    Node changed = graph_.nodes[writer];
    std::ranges::replace(changed.outputs, same, output);
    replace(writer, std::move(changed));
  }
  for (const std::size_t reader : std::vector(readers_[from])) {
    Node changed = graph_.nodes[reader];
    std::ranges::replace(changed.inputs, from, to);
    replace(reader, std::move(changed));
  }
  return true;
}

std::string Rewriter::unique_name(std::string name) {
  std::string unique = name;
  for (int number = 2; !names_.insert(unique).second; ++number) unique = fmt::format("{}#{}", name, number);
  return unique;
}

std::size_t Rewriter::add_value(std::string name, ElementType type, Shape shape) {
  producers_.push_back(absent);
  readers_.emplace_back();
  is_output_.push_back(false);
  return graph_.add({.name = unique_name(std::move(name)),
                     .type = type,
                     .shape = std::move(shape),
                     .constant = false,
                     .data = {}});
}

std::size_t Rewriter::add_constant(std::string name, ElementType type, Shape shape, ConstantData data) {
  const std::size_t value = add_value(std::move(name), type, std::move(shape));
  graph_.values[value].constant = true;
  graph_.values[value].data = std::move(data);
  return value;
}

void Rewriter::sort() {
  std::vector<std::size_t> order;
  std::vector<bool> seen(graph_.nodes.size(), false);
  std::vector<std::pair<std::size_t, std::size_t>>
      open;  // nodes on the path, and how many operands were followed
  for (std::size_t root = 0; root < graph_.nodes.size(); ++root) {
    if (!alive_[root] || seen[root]) continue;
    seen[root] = true;
    open.emplace_back(root, 0);
    while (!open.empty()) {
      const std::size_t node = open.back().first;
      if (open.back().second == graph_.nodes[node].inputs.size()) {
        order.push_back(node);
        open.pop_back();
        continue;
      }
      const std::size_t next = producer(graph_.nodes[node].inputs[open.back().second++]);
      if (next == absent || seen[next]) continue;
      seen[next] = true;
      open.emplace_back(next, 0);
    }
  }
  std::vector<Node> nodes;
  std::vector<std::vector<std::size_t>> origins;
  for (const std::size_t node : order) {
    nodes.push_back(std::move(graph_.nodes[node]));
    origins.push_back(std::move(origins_[node]));
  }
  graph_.nodes = std::move(nodes);
  origins_ = std::move(origins);
  alive_.assign(graph_.nodes.size(), true);
  std::ranges::fill(producers_, absent);
  for (std::vector<std::size_t>& readers : readers_) readers.clear();
  for (std::size_t node = 0; node < graph_.nodes.size(); ++node) connect(node);
}

Graph Rewriter::finish() {
  sort();
  std::vector<std::size_t> numbers(graph_.values.size(), absent);
  Graph result;
  result.name = graph_.name;
  result.notices = graph_.notices;
  const auto used = [&](std::size_t value) {
    return is_output_[value] || producers_[value] != absent || !readers_[value].empty() ||
           std::ranges::find(graph_.inputs, value) != graph_.inputs.end();
  };
  for (std::size_t value = 0; value < graph_.values.size(); ++value)
    if (used(value)) numbers[value] = result.add(std::move(graph_.values[value]));
  const auto renumber = [&](std::vector<std::size_t>& values) {
    for (std::size_t& value : values)
      if (value != absent) value = numbers[value];
  };
  result.nodes = std::move(graph_.nodes);
  for (Node& node : result.nodes) {
    renumber(node.inputs);
    renumber(node.outputs);
  }
  result.inputs = std::move(graph_.inputs);
  result.outputs = std::move(graph_.outputs);
  renumber(result.inputs);
  renumber(result.outputs);
  return result;
}

}  // namespace kernelscape::graph::passes
