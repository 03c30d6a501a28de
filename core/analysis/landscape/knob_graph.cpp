#include "core/analysis/landscape/knob_graph.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <map>
#include <numbers>
#include <numeric>

#include "core/space/factorization.h"

namespace kernelscape::analysis {
namespace {

constexpr int ordering_sweeps = 12;
constexpr double full_turn = 2 * std::numbers::pi;

/** Returns the exponent of a prime in a positive number. */
double exponent(std::int64_t number, std::int64_t prime) {
  int times = 0;
  for (; number % prime == 0; number /= prime) ++times;
  return times;
}

KnobLayout layout_of(const space::Knob& knob) {
  if (knob.kind() == space::KnobKind::Ordinal) return KnobLayout::Line;
  if (knob.kind() == space::KnobKind::Categorical) return KnobLayout::Circle;
  if (knob.kind() == space::KnobKind::Permutation)
    return knob.element_count() == 3 ? KnobLayout::Barycentric : KnobLayout::Rings;
  const std::size_t primes = space::distinct_primes(knob.product()).size();
  if (knob.element_count() == 2 && primes == 1) return KnobLayout::Line;
  if (knob.element_count() == 2 && primes == 2) return KnobLayout::Grid;
  if (knob.element_count() == 3 && primes == 1) return KnobLayout::Barycentric;
  return KnobLayout::Rings;
}

/**
 * Returns the nearest values, whole distances at a time, or only the start if there are too many at the next
 * distance.
 */
std::vector<KnobNode> nearest_nodes(const KnobTopology& topology, std::uint32_t start, std::size_t most) {
  const std::vector<std::uint32_t> distances = topology.distances_from(start);
  std::map<std::uint32_t, std::size_t> counts;
  for (const std::uint32_t distance : distances) ++counts[distance];
  std::size_t fitting = 0;
  std::uint32_t last = 0;
  for (const auto& [distance, count] : counts) {
    if (fitting + count > std::max<std::size_t>(1, most)) break;
    fitting += count;
    last = distance;
  }
  std::vector<KnobNode> nodes;
  nodes.reserve(fitting);
  for (std::uint32_t value = 0; value < topology.count(); ++value)
    if (distances[value] <= last) nodes.push_back({value, distances[value], topology.degree(value), 0, 0});
  std::ranges::stable_sort(nodes, {}, &KnobNode::distance);
  return nodes;
}

void list_edges(const KnobTopology& topology, KnobGraph& graph) {
  graph.sparse = topology.complete() && graph.nodes.size() > max_complete_values;
  std::map<std::uint32_t, std::size_t> node_of;
  for (std::size_t node = 0; node < graph.nodes.size(); ++node) node_of[graph.nodes[node].value] = node;
  const std::size_t sources = graph.sparse ? 1 : graph.nodes.size();
  for (std::size_t from = 0; from < sources; ++from) {
    for (const std::uint32_t value : topology.neighbours(graph.nodes[from].value)) {
      const auto to = node_of.find(value);
      if (to != node_of.end() && to->second > from) graph.edges.emplace_back(from, to->second);
    }
  }
  std::ranges::sort(graph.edges);
}

/**
 * Uses three coordinates with a constant sum: the first one is largest at the top, the second left, the third
 * right.
 */
void place_barycentric(const space::Knob& knob, KnobGraph& graph) {
  const double row_height = std::numbers::sqrt3 / 2;
  const bool permutation = knob.kind() == space::KnobKind::Permutation;
  const std::int64_t prime = permutation ? 0 : space::distinct_primes(knob.product())[0];
  for (KnobNode& node : graph.nodes) {
    const auto coordinate = [&](int position) {
      const std::int64_t element = knob.element(node.value, position);
      return permutation ? static_cast<double>(element) : exponent(element, prime);
    };
    node.x = (coordinate(2) - coordinate(1)) / 2;
    node.y = -coordinate(0) * row_height;
  }
}

void place_line(const space::Knob& knob, KnobGraph& graph) {
  const bool ordinal = knob.kind() == space::KnobKind::Ordinal;
  const std::int64_t prime = ordinal ? 0 : space::distinct_primes(knob.product())[0];
  for (KnobNode& node : graph.nodes)
    node.x = ordinal ? static_cast<double>(node.value) : exponent(knob.element(node.value, 1), prime);
}

void place_grid(const space::Knob& knob, KnobGraph& graph) {
  const std::vector<std::int64_t> primes = space::distinct_primes(knob.product());
  for (KnobNode& node : graph.nodes) {
    node.x = exponent(knob.element(node.value, 1), primes[0]);
    node.y = exponent(knob.element(node.value, 1), primes[1]);
  }
}

/** Returns a point on a circle, clockwise from its top. @param turn 1: a full turn */
std::pair<double, double> on_circle(double radius, double turn) {
  return {radius * std::sin(full_turn * turn), -radius * std::cos(full_turn * turn)};
}

/** Returns the smallest radius at which this number of points on a circle are 1 apart. */
double min_radius(std::size_t points) {
  return points < 2 ? 0 : 0.5 / std::sin(std::numbers::pi / static_cast<double>(points));
}

/** Places values in their order, independently of the start, so that a value keeps its place. */
void place_circle(KnobGraph& graph) {
  std::vector<std::size_t> order(graph.nodes.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t node) { return graph.nodes[node].value; });
  const double radius = min_radius(order.size());
  for (std::size_t place = 0; place < order.size(); ++place) {
    KnobNode& node = graph.nodes[order[place]];
    std::tie(node.x, node.y) =
        on_circle(radius, static_cast<double>(place) / static_cast<double>(order.size()));
  }
}

/** Orders the nodes of each ring around the start. */
class RingOrder {
 public:
  explicit RingOrder(const KnobGraph& graph) : near_(graph.nodes.size()), directions_(graph.nodes.size()) {
    for (const auto& [first, second] : graph.edges) {
      near_[first].push_back(second);
      near_[second].push_back(first);
    }
    for (std::size_t node = 1; node < graph.nodes.size(); ++node) {
      if (node == 1 || graph.nodes[node].distance != graph.nodes[node - 1].distance) rings_.emplace_back();
      rings_.back().push_back(node);
    }
    for (const std::vector<std::size_t>& ring : rings_) spread(ring, 0);
    improve();
  }

  const std::vector<std::vector<std::size_t>>& rings() const { return rings_; }
  /** Returns the direction of a node on its ring, as a complex number of modulus 1; 0 for the start. */
  std::complex<double> direction(std::size_t node) const { return directions_[node]; }

 private:
  /** Turns each ring towards its neighbours, alternating outwards and inwards, and keeps the best result. */
  void improve() {
    auto best = directions_;
    double least = strain();
    for (int sweep = 0; sweep < ordering_sweeps; ++sweep) {
      for (std::size_t step = 0; step < rings_.size(); ++step)
        turn(rings_[sweep % 2 == 0 ? step : rings_.size() - 1 - step]);
      if (const double now = strain(); now < least - 1e-9) {
        least = now;
        best = directions_;
      }
    }
    directions_ = best;
  }

  /** Places nodes at equal steps around the circle, the first at `turn`. */
  void spread(const std::vector<std::size_t>& order, double turn) {
    for (std::size_t place = 0; place < order.size(); ++place)
      directions_[order[place]] = std::polar(
          1.0, full_turn * (turn + static_cast<double>(place) / static_cast<double>(order.size())));
  }

  void turn(const std::vector<std::size_t>& ring) {
    std::map<std::size_t, double> wanted;
    for (const std::size_t node : ring) {
      std::complex<double> sum;
      for (const std::size_t other : near_[node]) sum += directions_[other];
      // Neighbours on all sides give no direction; the node then keeps its place.
      const double angle = std::arg(std::abs(sum) > 1e-6 ? sum : directions_[node]);
      wanted[node] = angle < 0 ? angle + full_turn : angle;
    }
    std::vector<std::size_t> order = ring;
    std::ranges::stable_sort(order, {}, [&](std::size_t node) { return std::round(wanted[node] * 1e6); });
    std::complex<double> shift;
    for (std::size_t place = 0; place < order.size(); ++place)
      shift += std::polar(1.0, wanted[order[place]] - full_turn * static_cast<double>(place) /
                                                          static_cast<double>(order.size()));
    spread(order, std::abs(shift) > 1e-6 ? std::arg(shift) / full_turn : 0);
  }

  /** Returns how much the directions of neighbours differ, over all edges. */
  double strain() const {
    double sum = 0;
    for (std::size_t node = 1; node < near_.size(); ++node)
      for (const std::size_t other : near_[node])
        if (other > node) sum += std::norm(directions_[node] - directions_[other]);
    return sum;
  }

  std::vector<std::vector<std::size_t>> near_;
  std::vector<std::complex<double>> directions_;
  std::vector<std::vector<std::size_t>> rings_;
};

void place_rings(KnobGraph& graph) {
  const RingOrder order(graph);
  double radius = 0;
  for (const std::vector<std::size_t>& ring : order.rings()) {
    radius = std::max(radius + 1, min_radius(ring.size()));
    for (const std::size_t node : ring) {
      graph.nodes[node].x = radius * order.direction(node).imag();
      graph.nodes[node].y = -radius * order.direction(node).real();
    }
  }
}

}  // namespace

std::size_t KnobGraph::node_of(std::uint32_t value) const {
  return static_cast<std::size_t>(std::ranges::find(nodes, value, &KnobNode::value) - nodes.begin());
}

std::vector<std::size_t> KnobGraph::neighbours(std::size_t node) const {
  std::vector<std::size_t> near;
  if (sparse) {
    for (std::size_t other = 0; other < nodes.size(); ++other)
      if (other != node) near.push_back(other);
    return near;
  }
  for (const auto& [first, second] : edges) {
    if (second == node) near.push_back(first);
    if (first == node) near.push_back(second);
  }
  return near;
}

KnobGraph make_knob_graph(const space::Knob& knob, const KnobTopology& topology, std::uint32_t start,
                          std::size_t max_values) {
  KnobGraph graph;
  graph.layout = layout_of(knob);
  const std::size_t most =
      graph.layout == KnobLayout::Line ? std::min(max_values, max_line_values) : max_values;
  graph.nodes = nearest_nodes(topology, start, most);
  graph.further = knob.count() - graph.nodes.size();
  list_edges(topology, graph);
  switch (graph.layout) {
    case KnobLayout::Line:
      place_line(knob, graph);
      break;
    case KnobLayout::Grid:
      place_grid(knob, graph);
      break;
    case KnobLayout::Barycentric:
      place_barycentric(knob, graph);
      break;
    case KnobLayout::Circle:
      place_circle(graph);
      break;
    case KnobLayout::Rings:
      place_rings(graph);
      break;
  }
  return graph;
}

std::vector<DistanceMass> mass_by_distance(const std::vector<std::uint32_t>& distances,
                                           const std::vector<double>& probabilities,
                                           const std::vector<char>& members) {
  std::map<std::uint32_t, DistanceMass> masses;
  for (std::size_t value = 0; value < distances.size(); ++value) {
    DistanceMass& mass = masses[distances[value]];
    mass.distance = distances[value];
    ++mass.values;
    mass.probability += probabilities[value];
    if (!members.empty() && members[value] == 0) continue;
    ++mass.members;
    mass.members_probability += probabilities[value];
  }
  std::vector<DistanceMass> ascending;
  for (const auto& [distance, mass] : masses) ascending.push_back(mass);
  return ascending;
}

}  // namespace kernelscape::analysis
