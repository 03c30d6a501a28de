#include <QTest>
#include <cmath>
#include <map>
#include <numeric>
#include <random>

#include "core/analysis/landscape/neighbourhood.h"
#include "core/analysis/landscape/random_walk.h"
#include "core/base/random.h"
#include "core/space/topology.h"
#include "tests/test_program.h"

namespace kernelscape::analysis_neighbourhood_test {

namespace {

std::uint64_t printed_seed() {
  const std::uint64_t seed = std::random_device{}();
  qInfo("seed %llu", static_cast<unsigned long long>(seed));
  return seed;
}

std::vector<space::KnobValue> numbers(std::int64_t count) {
  std::vector<space::KnobValue> values;
  for (std::int64_t i = 0; i < count; ++i) values.emplace_back(2 * i);
  return values;
}

/** Solves P (I - q W) = (1 - q) e_start, whose solution is the sum over all steps, by elimination with
 * pivots. */
std::vector<double> reference_walk(const space::Knob& knob, std::uint32_t start, double q) {
  const std::size_t n = knob.count();
  std::vector<std::vector<double>> system(
      n, std::vector<double>(n + 1));  // the transposed matrix and the right side
  for (std::uint32_t u = 0; u < n; ++u) {
    system[u][u] += 1;
    const auto near = knob.neighbours(u);
    if (near.empty()) system[u][u] -= q;
    for (const std::uint32_t v : near) system[v][u] -= q / static_cast<double>(near.size());
  }
  system[start][n] = 1 - q;
  for (std::size_t i = 0; i < n; ++i) {
    std::size_t pivot = i;
    for (std::size_t row = i; row < n; ++row)
      if (std::fabs(system[row][i]) > std::fabs(system[pivot][i])) pivot = row;
    std::swap(system[i], system[pivot]);
    for (std::size_t row = 0; row < n; ++row) {
      if (row == i) continue;
      const double factor = system[row][i] / system[i][i];
      for (std::size_t column = i; column <= n; ++column) system[row][column] -= factor * system[i][column];
    }
  }
  std::vector<double> solution;
  for (std::size_t i = 0; i < n; ++i) solution.push_back(system[i][n] / system[i][i]);
  return solution;
}

space::Knob some_knob(base::Random& random) {
  switch (random.below(6)) {
    case 0:
      return *space::Knob::factorization("tile", 1 + static_cast<std::int64_t>(random.below(72)),
                                         1 + static_cast<int>(random.below(4)));
    case 1:
      return *space::Knob::factorization("bounded", 96, 3, 8);
    case 2:
      return *space::Knob::ordinal("step", numbers(1 + static_cast<std::int64_t>(random.below(30))));
    case 3:
      return *space::Knob::categorical("choice", numbers(1 + static_cast<std::int64_t>(random.below(30))));
    case 4:
      return *space::Knob::factorization("restricted", 64, 3)
                  ->restricted({0, 3, 4, 9, 20, 27});  // not connected
    default:
      return *space::Knob::permutation("order", {"a", "b", "c", "d"});
  }
}

}  // namespace

class AnalysisNeighbourhoodTest : public QObject {
  Q_OBJECT

 private slots:
  void walks_solve_their_equation() {
    base::Random random(printed_seed());
    for (int i = 0; i < 60; ++i) {
      const space::Knob knob = some_knob(random);
      const auto start = static_cast<std::uint32_t>(random.below(knob.count()));
      const double q = 0.99 * random.uniform();
      const auto walk = analysis::walk_distribution(knob, start, q);
      QVERIFY(walk);
      const std::vector<double> expected = reference_walk(knob, start, q);
      QCOMPARE(walk->size(), expected.size());
      for (std::size_t value = 0; value < expected.size(); ++value)
        QVERIFY2(std::fabs((*walk)[value] - expected[value]) < 1e-10, knob.name().c_str());
      QVERIFY(std::fabs(std::accumulate(walk->begin(), walk->end(), 0.0) - 1) < 1e-12);
    }
  }

  void walks_by_hand() {
    // 0 - 2 - 4: from the middle after t steps all is in the middle for even t, halves at the ends for odd t.
    const space::Knob line = *space::Knob::ordinal("step", numbers(3));
    const auto walk = analysis::walk_distribution(line, 1, 0.5);
    QVERIFY(std::fabs((*walk)[1] - 2.0 / 3) < 1e-12);  // (1 - q) / (1 - q^2)
    QVERIFY(std::fabs((*walk)[0] - 1.0 / 6) < 1e-12);
    QCOMPARE(*analysis::walk_distribution(line, 0, 0), (std::vector<double>{1, 0, 0}));
    QVERIFY(std::fabs(analysis::walk_distribution(*space::Knob::ordinal("one", numbers(1)), 0, 0.9)->at(0) -
                      1) < 1e-12);
    QCOMPARE(*analysis::walk_distribution(*space::Knob::categorical("one", numbers(1)), 0, 0.9),
             std::vector<double>{1});
  }

  void the_papers_figure_2() {
    // C = 8 in three factors from (8, 1, 1): of the values at distance two (2, 2, 2) is likeliest, larger q
    // spreads.
    const space::Knob tile = *space::Knob::factorization("tile", 8, 3);
    const auto at = [&](const std::vector<double>& walk, std::vector<std::int64_t> value) {
      return walk[*tile.find(value)];
    };
    const std::uint32_t start = *tile.find({8, 1, 1});
    const auto narrow = *analysis::walk_distribution(tile, start, 0.5);
    const auto wide = *analysis::walk_distribution(tile, start, 0.7);
    QVERIFY(at(narrow, {2, 2, 2}) > at(narrow, {2, 1, 4}));
    QVERIFY(std::fabs(at(narrow, {2, 1, 4}) - at(narrow, {2, 4, 1})) < 1e-15);
    QVERIFY(at(narrow, {8, 1, 1}) > at(narrow, {4, 2, 1}));
    QVERIFY(at(wide, {1, 1, 8}) > at(narrow, {1, 1, 8}));
    QVERIFY(at(wide, {8, 1, 1}) < at(narrow, {8, 1, 1}));
  }

  void walks_as_they_are_walked() {
    base::Random random(21);
    const space::Knob tile = *space::Knob::factorization("tile", 12, 3);
    const double q = 0.6;
    const std::uint32_t start = 7;
    std::vector<double> ends(tile.count());
    constexpr int walks = 40'000;
    for (int i = 0; i < walks; ++i) {
      std::uint32_t value = start;
      while (random.chance(q)) {
        const auto near = tile.neighbours(value);
        value = near[random.below(near.size())];
      }
      ends[value] += 1.0 / walks;
    }
    const auto walk = analysis::walk_distribution(tile, start, q);
    for (std::size_t value = 0; value < ends.size(); ++value) {
      const double deviation = std::sqrt((*walk)[value] * (1 - (*walk)[value]) / walks);
      QVERIFY(std::fabs(ends[value] - (*walk)[value]) < 5 * deviation);
    }
  }

  void large_knobs_are_refused_but_for_categories() {
    const space::Knob line = *space::Knob::ordinal("step", numbers(20'001));
    const auto refused = analysis::walk_distribution(line, 5, 0.5);
    QVERIFY(!refused && refused.error().message.find("\"step\" has 20001 values") != std::string::npos);
    QVERIFY(analysis::walk_distribution(*space::Knob::ordinal("step", numbers(20'000)), 5, 0.5));
    const auto choice =
        analysis::walk_distribution(*space::Knob::categorical("choice", numbers(100'000)), 5, 0.5);
    QVERIFY(choice && std::fabs(std::accumulate(choice->begin(), choice->end(), 0.0) - 1) < 1e-9);
    const space::Knob small = *space::Knob::ordinal("step", numbers(3));
    for (const double q : {-0.1, 0.995, 1.0, std::nan("")})
      QVERIFY(!analysis::walk_distribution(small, 0, q));
    QVERIFY(!analysis::walk_distribution(small, 3, 0.5));
  }

  void a_mutation_walks_every_knob() {
    base::Random random(printed_seed());
    const space::SearchSpace space = *space::SearchSpace::make(
        {*space::Knob::factorization("tile", 16, 3), *space::Knob::ordinal("step", numbers(4)),
         *space::Knob::categorical("choice", numbers(3))});
    const space::Configuration start = space.at(random.below(180));
    const double q = random.uniform() * 0.9;
    const auto mutation = analysis::MutationDistribution::make(space, start, q);
    QVERIFY(mutation);
    double sum = 0;
    double unchanged_tile = 0;
    for (std::uint64_t index = 0; index < 180; ++index) {
      const space::Configuration configuration = space.at(index);
      const double probability = mutation->probability(configuration);
      sum += probability;
      if (configuration.indices[0] == start.indices[0]) unchanged_tile += probability;
    }
    QVERIFY(std::fabs(sum - 1) < 1e-12);
    const auto tile = *analysis::walk_distribution(space.knobs()[0], start.indices[0], q);
    QVERIFY(std::fabs(unchanged_tile - tile[start.indices[0]]) < 1e-12);
    const auto step = *analysis::walk_distribution(space.knobs()[1], start.indices[1], q);
    const auto choice = *analysis::walk_distribution(space.knobs()[2], start.indices[2], q);
    QVERIFY(std::fabs(mutation->probability({{3, 2, 1}}) - tile[3] * step[2] * choice[1]) < 1e-15);
    QVERIFY(!analysis::MutationDistribution::make(space, {{1, 2}}, q));
    QVERIFY(!analysis::MutationDistribution::make(space, {{1, 9, 0}}, q));
  }

  void moves_are_the_neighbours_with_their_names() {
    std::vector<space::Knob> knobs{*space::Knob::factorization("tile_oc", 12, 3),
                                   *space::Knob::ordinal("unroll", numbers(3)),
                                   *space::Knob::categorical("axis", numbers(3)),
                                   *space::Knob::permutation("order", {"ic", "oh", "ow"})};
    space::ConstraintSystem system;
    system.add(
        {space::LeConstraint{system.add_element("tile_oc.2", 0, 2), system.add_constant("most", 3)}, ""});
    const space::SearchSpace space = *space::SearchSpace::make(knobs, system);
    const auto start =
        space.configuration_from_json(R"({"tile_oc":[2,3,2],"unroll":2,"axis":0,"order":["oh","ic","ow"]})");
    QVERIFY(start);
    const auto only =
        space.configuration_from_json(R"({"tile_oc":[2,3,2],"unroll":4,"axis":0,"order":["oh","ic","ow"]})");
    const auto moves =
        analysis::neighbour_moves(space, *start, [&](const space::Configuration& configuration) {
          return configuration == *only ? std::optional<std::int64_t>(17) : std::nullopt;
        });
    std::vector<space::Configuration> configurations;
    std::map<std::string, int> texts;
    for (const analysis::NeighbourMove& move : moves) {
      configurations.push_back(move.configuration);
      ++texts[move.text];
      QCOMPARE(move.row.value_or(-1), move.configuration == *only ? 17 : -1);
      for (std::size_t knob = 0; knob < 4; ++knob)
        QCOMPARE(move.configuration.indices[knob] != start->indices[knob], knob == move.knob);
    }
    QCOMPARE(configurations, space::neighbours(space, *start));
    // From tile_oc[1] to [2] a 3 would make 6, to which the bound of 3 objects, and so does it to a second 2.
    const std::map<std::string, int> expected{{"prime 2 from tile_oc[0] to tile_oc[1]", 1},
                                              {"prime 3 from tile_oc[1] to tile_oc[0]", 1},
                                              {"prime 2 from tile_oc[2] to tile_oc[0]", 1},
                                              {"prime 2 from tile_oc[2] to tile_oc[1]", 1},
                                              {"next value", 1},
                                              {"previous value", 1},
                                              {"other value", 2},
                                              {"swap oh and ic", 1},
                                              {"swap oh and ow", 1},
                                              {"swap ic and ow", 1}};
    QCOMPARE(texts, expected);
    QVERIFY(analysis::neighbour_moves(space, *start, {}).size() == moves.size());
  }
};

KERNELSCAPE_PLAIN_TEST(AnalysisNeighbourhoodTest)

}  // namespace kernelscape::analysis_neighbourhood_test
#include "analysis_neighbourhood_test.moc"
