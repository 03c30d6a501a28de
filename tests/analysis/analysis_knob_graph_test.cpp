#include <QTest>
#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <set>

#include "core/analysis/landscape/knob_graph.h"
#include "core/base/random.h"
#include "tests/test_program.h"

namespace kernelscape::analysis_knob_graph_test {

namespace {

std::vector<space::KnobValue> numbers(std::int64_t count) {
  std::vector<space::KnobValue> values;
  for (std::int64_t i = 0; i < count; ++i) values.emplace_back(2 * i);
  return values;
}

std::vector<std::string> letters(std::size_t count) {
  std::vector<std::string> items;
  for (std::size_t i = 0; i < count; ++i) items.emplace_back(1, static_cast<char>('a' + i));
  return items;
}

space::Knob some_knob(base::Random& random) {
  switch (random.below(5)) {
    case 0:
      return *space::Knob::ordinal("step", numbers(1 + static_cast<std::int64_t>(random.below(60))));
    case 1:
      return *space::Knob::categorical("choice", numbers(1 + static_cast<std::int64_t>(random.below(40))));
    case 2:
      return *space::Knob::permutation("order", letters(1 + random.below(6)));
    default:
      return *space::Knob::factorization("tile", 1 + static_cast<std::int64_t>(random.below(256)),
                                         1 + static_cast<int>(random.below(4)));
  }
}

/** Some of a knob's values, so that its graph may fall apart. */
space::Knob some_restriction(const space::Knob& knob, base::Random& random) {
  std::vector<std::uint32_t> kept;
  for (std::uint32_t value = 0; value < knob.count(); ++value)
    if (random.below(3) > 0) kept.push_back(value);
  return kept.empty() ? knob : *knob.restricted(kept);
}

analysis::KnobGraph graph_of(const space::Knob& knob, std::uint32_t start,
                             std::size_t most = analysis::max_graph_values) {
  return analysis::make_knob_graph(knob, *analysis::KnobTopology::make(knob), start, most);
}

/** By relaxing every edge until nothing changes. */
std::vector<std::uint32_t> reference_distances(const space::Knob& knob, std::uint32_t start) {
  std::vector<std::uint32_t> distances(knob.count(), analysis::no_distance);
  distances[start] = 0;
  for (bool changed = true; changed;) {
    changed = false;
    for (std::uint32_t value = 0; value < knob.count(); ++value) {
      if (distances[value] == analysis::no_distance) continue;
      for (const std::uint32_t neighbour : knob.neighbours(value)) {
        if (distances[neighbour] <= distances[value] + 1) continue;
        distances[neighbour] = distances[value] + 1;
        changed = true;
      }
    }
  }
  return distances;
}

double apart(const analysis::KnobNode& a, const analysis::KnobNode& b) {
  return std::hypot(a.x - b.x, a.y - b.y);
}

/** Whether two edges without a common end cross. */
bool cross(const analysis::KnobGraph& graph, std::pair<std::size_t, std::size_t> a,
           std::pair<std::size_t, std::size_t> b) {
  if (a.first == b.first || a.first == b.second || a.second == b.first || a.second == b.second) return false;
  const auto side = [&](std::size_t from, std::size_t to, std::size_t point) {
    const analysis::KnobNode& p = graph.nodes[from];
    const analysis::KnobNode& q = graph.nodes[to];
    const analysis::KnobNode& r = graph.nodes[point];
    return (q.x - p.x) * (r.y - p.y) - (q.y - p.y) * (r.x - p.x);
  };
  return side(a.first, a.second, b.first) * side(a.first, a.second, b.second) < -1e-9 &&
         side(b.first, b.second, a.first) * side(b.first, b.second, a.second) < -1e-9;
}

std::size_t crossings(const analysis::KnobGraph& graph) {
  std::size_t count = 0;
  for (std::size_t a = 0; a < graph.edges.size(); ++a)
    for (std::size_t b = a + 1; b < graph.edges.size(); ++b)
      if (cross(graph, graph.edges[a], graph.edges[b])) ++count;
  return count;
}

}  // namespace

class KnobGraphTest : public QObject {
  Q_OBJECT

 private:
  base::Random random_{0};

 private slots:
  void initTestCase() {
    const std::uint64_t seed = std::random_device{}();
    qInfo("seed %llu", static_cast<unsigned long long>(seed));
    random_ = base::Random(seed);
  }

  void a_topology_is_that_of_its_knob() {
    for (int round = 0; round < 60; ++round) {
      const space::Knob knob = some_restriction(some_knob(random_), random_);
      const analysis::KnobTopology topology = *analysis::KnobTopology::make(knob);
      QCOMPARE(topology.count(), knob.count());
      for (std::uint32_t value = 0; value < knob.count(); ++value) {
        QCOMPARE(topology.neighbours(value), knob.neighbours(value));
        QCOMPARE(std::size_t{topology.degree(value)}, knob.neighbours(value).size());
      }
      const auto start = static_cast<std::uint32_t>(random_.below(knob.count()));
      QCOMPARE(topology.distances_from(start), reference_distances(knob, start));
      QCOMPARE(*topology.walk_from(start, 0.6), *analysis::walk_distribution(knob, start, 0.6));
    }
  }

  void a_walk_that_nobody_waits_for_ends() {
    const analysis::KnobTopology topology =
        *analysis::KnobTopology::make(*space::Knob::ordinal("step", numbers(50)));
    int asked = 0;
    QVERIFY(topology.walk_from(0, 0.99, [&asked] { return ++asked < 3; }).has_value());
    QCOMPARE(asked, 3);
  }

  void edges_are_the_moves_between_the_nodes() {
    for (int round = 0; round < 60; ++round) {
      const space::Knob knob = some_restriction(some_knob(random_), random_);
      const auto start = static_cast<std::uint32_t>(random_.below(knob.count()));
      const analysis::KnobGraph graph = graph_of(knob, start, 1 + random_.below(200));
      QCOMPARE(graph.nodes.size() + graph.further, std::size_t{knob.count()});
      std::set<std::pair<std::size_t, std::size_t>> expected;
      for (std::size_t node = 0; node < graph.nodes.size(); ++node) {
        for (const std::uint32_t neighbour : knob.neighbours(graph.nodes[node].value)) {
          const std::size_t other = graph.node_of(neighbour);
          if (other == graph.nodes.size() || (graph.sparse && node != 0 && other != 0)) continue;
          expected.insert(std::minmax(node, other));
        }
      }
      QCOMPARE(graph.edges, (std::vector(expected.begin(), expected.end())));
      for (std::size_t node = 0; node < graph.nodes.size(); ++node) {
        std::vector<std::size_t> near;
        for (const std::uint32_t neighbour : knob.neighbours(graph.nodes[node].value))
          if (graph.node_of(neighbour) < graph.nodes.size()) near.push_back(graph.node_of(neighbour));
        std::ranges::sort(near);
        QCOMPARE(graph.neighbours(node), near);
      }
    }
  }

  void nodes_are_the_nearest_values_and_far_enough_apart() {
    for (int round = 0; round < 80; ++round) {
      const space::Knob knob = some_restriction(some_knob(random_), random_);
      const auto start = static_cast<std::uint32_t>(random_.below(knob.count()));
      const std::size_t most = 1 + random_.below(300);
      const analysis::KnobGraph graph = graph_of(knob, start, most);
      QVERIFY(graph.nodes.size() <= most);
      QCOMPARE(graph.nodes[0].value, start);
      const auto distances = reference_distances(knob, start);
      std::set<std::uint32_t> drawn;
      for (const analysis::KnobNode& node : graph.nodes) {
        QCOMPARE(node.distance, distances[node.value]);
        QCOMPARE(std::size_t{node.degree}, knob.neighbours(node.value).size());
        QVERIFY(drawn.insert(node.value).second);
      }
      // A distance is there as a whole or not at all, and no nearer one is left out.
      std::uint32_t last = 0;
      for (const analysis::KnobNode& node : graph.nodes) last = std::max(last, node.distance);
      for (std::uint32_t value = 0; value < knob.count(); ++value)
        QCOMPARE(drawn.contains(value), distances[value] <= last);
      for (std::size_t a = 0; a < graph.nodes.size(); ++a)
        for (std::size_t b = a + 1; b < graph.nodes.size(); ++b)
          QVERIFY(apart(graph.nodes[a], graph.nodes[b]) > 1 - 1e-9);
    }
  }

  void powers_of_a_prime_in_three_factors_form_the_triangle_of_the_paper() {
    const space::Knob knob = *space::Knob::factorization("tile", 8, 3);
    const std::uint32_t start = *knob.find({8, 1, 1});
    const analysis::KnobGraph graph = graph_of(knob, start);
    QCOMPARE(graph.layout, analysis::KnobLayout::Barycentric);
    QCOMPARE(graph.nodes.size(), std::size_t{10});
    QCOMPARE(graph.edges.size(), std::size_t{18});
    for (const auto& [first, second] : graph.edges)
      QVERIFY(std::fabs(apart(graph.nodes[first], graph.nodes[second]) - 1) < 1e-9);
    QCOMPARE(crossings(graph), std::size_t{0});
    const auto at = [&](std::vector<std::int64_t> factors) {
      return graph.nodes[graph.node_of(*knob.find(factors))];
    };
    for (const auto& corners : {std::vector<std::int64_t>{1, 8, 1}, std::vector<std::int64_t>{1, 1, 8}})
      QVERIFY(std::fabs(apart(at({8, 1, 1}), at(corners)) - 3) < 1e-9);
    // All three factors change by one step from the middle.
    QVERIFY(std::fabs(apart(at({2, 2, 2}), at({4, 1, 2})) - 1) < 1e-9);
    QCOMPARE(at({2, 2, 2}).degree, 6U);
    QCOMPARE(at({8, 1, 1}).degree, 2U);
  }

  void the_walks_of_figure_2() {
    const space::Knob knob = *space::Knob::factorization("tile", 8, 3);
    const analysis::KnobTopology topology = *analysis::KnobTopology::make(knob);
    const std::uint32_t start = *knob.find({8, 1, 1});
    const auto distances = topology.distances_from(start);
    double stays = 1;
    for (const double q : {0.5, 0.7}) {
      const auto walk = *topology.walk_from(start, q);
      const auto at = [&](std::vector<std::int64_t> factors) { return walk[*knob.find(factors)]; };
      for (const auto& far : {std::vector<std::int64_t>{2, 1, 4}, std::vector<std::int64_t>{2, 4, 1}}) {
        QCOMPARE(distances[*knob.find(far)], distances[*knob.find({2, 2, 2})]);
        QVERIFY(at({2, 2, 2}) > at(far));
      }
      // The mean of a value falls with every move, and the wider walk stays less.
      const auto masses = analysis::mass_by_distance(distances, walk, {});
      QCOMPARE(masses.size(), std::size_t{4});
      double all = 0;
      for (std::size_t distance = 0; distance < masses.size(); ++distance) {
        QCOMPARE(masses[distance].values, distance + 1);
        all += masses[distance].probability;
        if (distance == 0) continue;
        QVERIFY(masses[distance].probability / static_cast<double>(masses[distance].values) <
                masses[distance - 1].probability / static_cast<double>(masses[distance - 1].values));
      }
      QVERIFY(std::fabs(all - 1) < 1e-9);
      QVERIFY(masses[0].probability < stays);
      stays = masses[0].probability;
    }
  }

  void lattices_and_lines_are_flat() {
    const std::vector<std::pair<space::Knob, analysis::KnobLayout>> knobs = {
        {*space::Knob::ordinal("step", numbers(5)), analysis::KnobLayout::Line},
        {*space::Knob::factorization("tile", 64, 2), analysis::KnobLayout::Line},
        {*space::Knob::factorization("tile", 72, 2), analysis::KnobLayout::Grid},
        {*space::Knob::factorization("tile", 81, 3), analysis::KnobLayout::Barycentric},
        {*space::Knob::factorization("tile", 1024, 3), analysis::KnobLayout::Barycentric}};
    for (const auto& [knob, layout] : knobs) {
      const analysis::KnobGraph graph =
          graph_of(knob, static_cast<std::uint32_t>(random_.below(knob.count())));
      QCOMPARE(graph.layout, layout);
      QCOMPARE(crossings(graph), std::size_t{0});
      for (const auto& [first, second] : graph.edges)
        QVERIFY(std::fabs(apart(graph.nodes[first], graph.nodes[second]) - 1) < 1e-9);
    }
  }

  void orders_of_three_are_a_hexagon_with_its_diagonals() {
    const analysis::KnobGraph graph = graph_of(*space::Knob::permutation("order", letters(3)), 4);
    QCOMPARE(graph.layout, analysis::KnobLayout::Barycentric);
    std::map<int, int> lengths;
    for (const auto& [first, second] : graph.edges)
      ++lengths[static_cast<int>(std::lround(1e6 * apart(graph.nodes[first], graph.nodes[second])))];
    QCOMPARE(lengths, (std::map<int, int>{{1'000'000, 6}, {2'000'000, 3}}));
  }

  void rings_are_distances_around_the_start() {
    const std::vector<space::Knob> knobs = {
        *space::Knob::permutation("order", letters(4)), *space::Knob::permutation("order", letters(5)),
        *space::Knob::factorization("tile", 64, 4), *space::Knob::factorization("tile", 60, 3)};
    for (const space::Knob& knob : knobs) {
      const analysis::KnobGraph graph =
          graph_of(knob, static_cast<std::uint32_t>(random_.below(knob.count())));
      QCOMPARE(graph.layout, analysis::KnobLayout::Rings);
      std::map<std::uint32_t, double> radii;
      for (const analysis::KnobNode& node : graph.nodes) {
        const double radius = std::hypot(node.x, node.y);
        const auto [found, fresh] = radii.emplace(node.distance, radius);
        if (!fresh) QVERIFY(std::fabs(found->second - radius) < 1e-9);
      }
      double inner = -1;
      for (const auto& [distance, radius] : radii) {
        QVERIFY(radius >= inner + 1 - 1e-9);
        inner = radius;
      }
      // The same call draws the same picture.
      const analysis::KnobGraph again = graph_of(knob, graph.nodes[0].value);
      for (std::size_t node = 0; node < graph.nodes.size(); ++node) {
        QCOMPARE(again.nodes[node].x, graph.nodes[node].x);
        QCOMPARE(again.nodes[node].y, graph.nodes[node].y);
      }
    }
  }

  void rings_are_ordered_to_cross_less() {
    // Against the same rings in the order of the values, equally spaced from the top.
    for (const space::Knob& knob :
         {*space::Knob::factorization("tile", 64, 4), *space::Knob::factorization("tile", 128, 4),
          *space::Knob::factorization("tile", 60, 3), *space::Knob::permutation("order", letters(4))}) {
      const analysis::KnobGraph graph = graph_of(knob, 0);
      analysis::KnobGraph plain = graph;
      for (std::size_t first = 0; first < plain.nodes.size();) {
        std::size_t last = first;
        while (last < plain.nodes.size() && plain.nodes[last].distance == plain.nodes[first].distance) ++last;
        for (std::size_t node = first; node < last; ++node) {
          const double radius = std::hypot(plain.nodes[node].x, plain.nodes[node].y);
          const double angle =
              6.283185307179586 * static_cast<double>(node - first) / static_cast<double>(last - first);
          plain.nodes[node].x = radius * std::sin(angle);
          plain.nodes[node].y = -radius * std::cos(angle);
        }
        first = last;
      }
      const std::size_t ordered = crossings(graph);
      const std::size_t unordered = crossings(plain);
      QVERIFY2(ordered <= unordered,
               qPrintable(QStringLiteral("%1: %2 > %3")
                              .arg(QString::fromStdString(knob.describe(0)), QString::number(ordered),
                                   QString::number(unordered))));
    }
  }

  void large_complete_graphs_list_the_moves_of_the_start() {
    const analysis::KnobGraph small = graph_of(*space::Knob::categorical("choice", numbers(6)), 2);
    QVERIFY(!small.sparse);
    QCOMPARE(small.edges.size(), std::size_t{15});
    const analysis::KnobGraph large = graph_of(*space::Knob::categorical("choice", numbers(100)), 2);
    QVERIFY(large.sparse);
    QCOMPARE(large.edges.size(), std::size_t{99});
    // A value keeps its place whichever the start is.
    const analysis::KnobGraph other = graph_of(*space::Knob::categorical("choice", numbers(100)), 57);
    for (std::uint32_t value = 0; value < 100; ++value)
      QVERIFY(apart(large.nodes[large.node_of(value)], other.nodes[other.node_of(value)]) < 1e-9);
    // Too many to be drawn: the start alone.
    const analysis::KnobGraph huge = graph_of(*space::Knob::categorical("choice", numbers(30'000)), 2);
    QCOMPARE(huge.nodes.size(), std::size_t{1});
    QCOMPARE(huge.further, std::size_t{29'999});
  }

  void mass_is_summed_by_distance_and_membership() {
    const std::vector<std::uint32_t> distances = {1, 0, 1, analysis::no_distance, 2};
    const std::vector<double> probabilities = {0.2, 0.5, 0.1, 0, 0.2};
    const auto masses = analysis::mass_by_distance(distances, probabilities, {1, 1, 0, 1, 0});
    QCOMPARE(masses.size(), std::size_t{4});
    QCOMPARE(masses[1].distance, 1U);
    QCOMPARE(masses[1].values, std::size_t{2});
    QVERIFY(std::fabs(masses[1].probability - 0.3) < 1e-12);
    QCOMPARE(masses[1].members, std::size_t{1});
    QVERIFY(std::fabs(masses[1].members_probability - 0.2) < 1e-12);
    QCOMPARE(masses[2].members, std::size_t{0});
    QCOMPARE(masses[3].distance, analysis::no_distance);
    for (const analysis::DistanceMass& mass : analysis::mass_by_distance(distances, probabilities, {})) {
      QCOMPARE(mass.members, mass.values);
      QCOMPARE(mass.members_probability, mass.probability);
    }
  }
};

KERNELSCAPE_PLAIN_TEST(KnobGraphTest)

}  // namespace kernelscape::analysis_knob_graph_test
#include "analysis_knob_graph_test.moc"
