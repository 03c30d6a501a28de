#include <cmath>

#include "core/tuner/diversity.h"
#include "core/tuner/genes.h"
#include "tests/test_program.h"
#include "tests/tuner/tuner_fixture.h"

namespace kernelscape::tuner_genes_test {
using namespace kernelscape::tuner_fixture;

class TunerGenesTest : public QObject {
  Q_OBJECT

 private slots:
  void crossover_by_hand() {
    const space::Configuration first{{1, 2, 3, 4}};
    const space::Configuration second{{5, 6, 7, 8}};
    QVERIFY((tuner::crossover(first, second, 0) == space::Configuration{{5, 6, 7, 8}}));
    QVERIFY((tuner::crossover(first, second, 1) == space::Configuration{{1, 6, 7, 8}}));
    QVERIFY((tuner::crossover(first, second, 3) == space::Configuration{{1, 2, 3, 8}}));
  }

  void roulette_by_hand() {
    // Slots of width 1, 0, 3, 6 on a wheel of 10: the same draw tells which one it hits.
    const std::vector<double> weights{1, 0, 3, 6};
    base::Random random(printed_seed());
    base::Random same = random;
    for (int i = 0; i < 1000; ++i) {
      const double hit = same.uniform() * 10;
      const std::size_t expected = hit < 1 ? 0 : hit < 4 ? 2 : 3;
      QCOMPARE(random.weighted(weights), expected);
    }
  }

  void distinct_pairs_have_the_probabilities_of_drawing_without_replacement() {
    const std::vector<double> weights{1, 2, 3, 4};
    base::Random random(printed_seed());
    std::map<std::pair<std::size_t, std::size_t>, double> counts;
    constexpr int draws = 200'000;
    for (int i = 0; i < draws; ++i) counts[tuner::draw_distinct_pair(weights, random)] += 1;
    QCOMPARE(counts.size(), std::size_t{12});
    for (const auto& [pair, count] : counts) {
      const double expected = weights[pair.first] / 10 * weights[pair.second] / (10 - weights[pair.first]);
      const double deviation = std::sqrt(expected * (1 - expected) / draws);
      QVERIFY(std::abs(count / draws - expected) < 6 * deviation);
    }
  }

  void distinct_pairs_without_fitness() {
    base::Random random(printed_seed());
    for (int i = 0; i < 100; ++i) {
      const auto [first, second] = tuner::draw_distinct_pair(std::vector<double>{0, 0, 5}, random);
      QCOMPARE(first, std::size_t{2});
      QVERIFY(second < 2);
    }
  }

  void mutation_changes_all_or_nothing_at_the_ends() {
    const auto spread = knobs({1000, 1000, 1000, 1});
    base::Random random(printed_seed());
    space::Configuration configuration{{999, 999, 999, 0}};
    tuner::mutate(configuration, spread, 0, random);
    QVERIFY((configuration == space::Configuration{{999, 999, 999, 0}}));
    int kept = 0;
    for (int i = 0; i < 1000; ++i) {
      space::Configuration mutated = configuration;
      tuner::mutate(mutated, spread, 1, random);
      for (std::size_t gene = 0; gene < 3; ++gene) kept += mutated.indices[gene] == 999 ? 1 : 0;
    }
    QVERIFY(kept < 30);  // 3 expected
  }

  void mutation_to_others_never_gives_the_same_value() {
    const auto small = knobs({2, 1, 4});
    base::Random random(printed_seed());
    space::Configuration configuration{{1, 0, 2}};
    tuner::mutate_to_others(configuration, small, 0, random);
    QVERIFY((configuration == space::Configuration{{1, 0, 2}}));
    std::set<std::vector<std::uint32_t>> reached;
    for (int i = 0; i < 1000; ++i) {
      space::Configuration mutated = configuration;
      tuner::mutate_to_others(mutated, small, 1, random);
      reached.insert(mutated.indices);
    }
    QVERIFY((reached == std::set<std::vector<std::uint32_t>>{{0, 0, 0}, {0, 0, 1}, {0, 0, 3}}));
  }

  void random_walk_changes_exactly_one_gene() {
    const auto small = knobs({3, 1, 2});
    base::Random random(printed_seed());
    std::set<std::vector<std::uint32_t>> reached;
    for (int i = 0; i < 500; ++i) reached.insert(tuner::random_walk({{1, 0, 0}}, small, random).indices);
    QVERIFY((reached == std::set<std::vector<std::uint32_t>>{{0, 0, 0}, {2, 0, 0}, {1, 0, 1}}));
    QVERIFY((tuner::random_walk({{0, 0}}, knobs({1, 1}), random) == space::Configuration{{0, 0}}));
  }

  void best_positions_keep_the_order_of_equals() {
    QCOMPARE(tuner::best_positions(std::vector<double>{1, 5, 5, 0, 9}, 3),
             (std::vector<std::size_t>{4, 1, 2}));
    QCOMPARE(tuner::best_positions(std::vector<double>{1, 1}, 9), (std::vector<std::size_t>{0, 1}));
  }

  void submodular_pick_by_hand() {
    // The first brings 2 new values, as all do: the first of equals. Then {1,1} brings 2, the others at
    // most 1. Then {0,2}, {2,0} and {0,1} bring 1, 1, 0: {0,2} first, then {2,0}, and {0,1} with nothing new.
    const std::vector<space::Configuration> candidates{{{0, 0}}, {{0, 1}}, {{0, 2}}, {{1, 1}}, {{2, 0}}};
    QCOMPARE(tuner::submodular_pick(candidates, 5), (std::vector<std::size_t>{0, 3, 2, 4, 1}));
    QCOMPARE(tuner::submodular_pick(candidates, 2), (std::vector<std::size_t>{0, 3}));
    QCOMPARE(tuner::submodular_pick(candidates, 9).size(), std::size_t{5});
  }
};

KERNELSCAPE_PLAIN_TEST(TunerGenesTest)

}  // namespace kernelscape::tuner_genes_test
#include "tuner_genes_test.moc"
