#include "core/analysis/landscape/constraint_net.h"

#include <algorithm>

namespace kernelscape::analysis {
namespace {

/** Adds elements by knob and position, and in between the knobs without elements. */
void add_rim(std::size_t knob_count, const space::ConstraintSystem& system, ConstraintNet& net) {
  std::vector<space::VariableId> elements;
  for (space::VariableId id = 0; id < system.variables().size(); ++id)
    if (system.variables()[id].element) elements.push_back(id);
  std::ranges::stable_sort(elements, {}, [&](space::VariableId id) {
    const space::KnobElement& element = *system.variables()[id].element;
    return std::pair(element.knob, element.position);
  });
  auto next = elements.begin();
  for (std::uint32_t knob = 0; knob < knob_count; ++knob) {
    const std::size_t before = net.nodes.size();
    for (; next != elements.end() && system.variables()[*next].element->knob == knob; ++next) {
      net.of_variable[*next] = net.nodes.size();
      net.nodes.push_back({.variable = *next, .knob = knob});
    }
    if (net.nodes.size() == before) net.nodes.push_back({.knob = knob});
  }
  net.rim = net.nodes.size();
}

void add_inside(const space::ConstraintSystem& system, std::size_t none, ConstraintNet& net) {
  for (std::size_t constraint = 0; constraint < system.constraints().size(); ++constraint) {
    ConstraintNode node{.constraint = constraint};
    if (system.defines(constraint)) {
      node.variable = space::left_side(system.constraints()[constraint]);
      net.of_variable[*node.variable] = net.nodes.size();
    }
    net.of_constraint.push_back(net.nodes.size());
    net.nodes.push_back(std::move(node));
  }
  for (space::VariableId id = 0; id < system.variables().size(); ++id) {
    if (net.of_variable[id] != none || system.variables()[id].constant) continue;
    net.of_variable[id] = net.nodes.size();
    net.nodes.push_back({.variable = id});
  }
}

void join_nodes(ConstraintNet& net, std::size_t first, std::size_t second) {
  if (first == second) return;
  net.nodes[first].neighbours.push_back(second);
  net.nodes[second].neighbours.push_back(first);
}

}  // namespace

std::vector<std::pair<std::size_t, std::size_t>> ConstraintNet::edges() const {
  std::vector<std::pair<std::size_t, std::size_t>> all;
  for (std::size_t node = 0; node < nodes.size(); ++node)
    for (const std::size_t other : nodes[node].neighbours)
      if (node < other) all.emplace_back(node, other);
  return all;
}

ConstraintNet make_constraint_net(std::size_t knob_count, const space::ConstraintSystem& system) {
  constexpr std::size_t none = SIZE_MAX;
  ConstraintNet net;
  net.of_variable.assign(system.variables().size(), none);
  add_rim(knob_count, system, net);
  add_inside(system, none, net);
  for (std::size_t& node : net.of_variable) node = std::min(node, net.nodes.size());
  for (std::size_t constraint = 0; constraint < system.constraints().size(); ++constraint) {
    std::vector<space::VariableId> named = space::operands(system.constraints()[constraint]);
    if (const auto left = space::left_side(system.constraints()[constraint])) named.push_back(*left);
    for (const space::VariableId id : named)
      if (net.of_variable[id] < net.nodes.size())
        join_nodes(net, net.of_constraint[constraint], net.of_variable[id]);
  }
  for (ConstraintNode& node : net.nodes) {
    std::ranges::sort(node.neighbours);
    const auto [first, last] = std::ranges::unique(node.neighbours);
    node.neighbours.erase(first, last);
  }
  return net;
}

}  // namespace kernelscape::analysis
