#include <cmath>
#include <functional>
#include <limits>
#include <ranges>

#include "tests/test_program.h"
#include "tests/tuner/tuner_fixture.h"

namespace kernelscape::tuner_nose_test {
using namespace kernelscape::tuner_fixture;

namespace {

/** Equations 1 to 4 of the paper over value indices, k = 9, ties to the earlier trial. */
double reference_estimate(const std::vector<trial::Observation>& observed,
                          const space::Configuration& configuration) {
  std::vector<std::pair<double, double>> neighbours;  // distance, fitness
  for (const trial::Observation& observation : observed) {
    double distance = 0;
    for (std::size_t knob = 0; knob < configuration.indices.size(); ++knob) {
      const double x = configuration.indices[knob];
      const double z = observation.configuration.indices[knob];
      if (x + z > 0) distance += std::abs(x - z) / (x + z);
    }
    neighbours.emplace_back(distance, observation.fitness);
  }
  std::ranges::stable_sort(neighbours, {}, &std::pair<double, double>::first);
  neighbours.resize(std::min<std::size_t>(9, neighbours.size()));
  double weights = 0;
  double sum = 0;
  for (const auto& [distance, fitness] : neighbours) {
    weights += 1 / distance;
    sum += fitness / distance;
  }
  return sum / weights;
}

/** Every proposal of a run, whole. */
struct Proposals {
  std::vector<std::vector<space::Configuration>> candidates;
  std::vector<std::vector<std::vector<trial::SeriesValue>>> series;
  std::vector<trial::Observation> observed;
};

/** The value indices as features: what the search is by default. */
class IndexFeatures final : public space::FeatureExtractor {
 public:
  explicit IndexFeatures(std::size_t knobs) : names_(knobs, "index") {}
  std::string name() const override { return "index"; }
  int version() const override { return 1; }
  const std::vector<std::string>& names() const override { return names_; }
  void write(const space::Configuration& configuration, std::span<float> row) const override {
    std::ranges::transform(configuration.indices, row.begin(),
                           [](std::uint32_t index) { return static_cast<float>(index); });
  }

 private:
  std::vector<std::string> names_;
};

Proposals run(tuner::Tuner& tuner, std::size_t batches, std::size_t n) {
  Proposals run;
  for (std::size_t batch = 0; batch < batches; ++batch) {
    run.candidates.push_back(propose(tuner, n));
    run.series.emplace_back();
    for (std::size_t i = 0; i < run.candidates.back().size(); ++i)
      run.series.back().push_back(tuner.series(i));
    const auto observations = measure(run.candidates.back(), rough_fitness);
    tuner.observe(observations);
    run.observed.insert(run.observed.end(), observations.begin(), observations.end());
  }
  return run;
}

}  // namespace

class TunerNoseTest : public QObject {
  Q_OBJECT

 private slots:
  void generations_have_the_sizes_of_the_paper() {
    const auto tuner = make_tuner("nose", make_context("nose", plain_space({30, 30, 30}), printed_seed()));
    const Proposals whole = run(*tuner, 4, 1000);
    std::vector<std::size_t> sizes;
    for (const auto& candidates : whole.candidates) sizes.push_back(candidates.size());
    QCOMPARE(sizes, (std::vector<std::size_t>{100, 30, 30, 30}));

    const auto pieces = make_tuner("nose", make_context("nose", plain_space({30, 30, 30}), printed_seed()));
    sizes.clear();
    for (const auto& candidates : run(*pieces, 6, 30).candidates) sizes.push_back(candidates.size());
    QCOMPARE(sizes, (std::vector<std::size_t>{30, 30, 30, 10, 30, 30}));
  }

  void pieces_do_not_change_the_search() {
    const std::uint64_t seed = printed_seed();
    const space::SearchSpace space = plain_space({30, 30, 30});
    const auto run_in = [&](std::size_t n) {
      return run_tuner(*make_tuner("nose", make_context("nose", space, seed)), rough_fitness, 250, always(n));
    };
    QVERIFY(run_in(30) == run_in(7));
  }

  void elite_is_best_by_an_estimate_over_all_trials() {
    const auto tuner = make_tuner("nose", make_context("nose", plain_space({9, 25, 2, 14}), printed_seed()));
    const Proposals proposals = run(*tuner, 12, 100);
    std::vector<trial::Observation> known;
    for (std::size_t batch = 0; batch < proposals.candidates.size(); ++batch) {
      double previous = std::numeric_limits<double>::infinity();
      for (std::size_t i = 0; i < proposals.candidates[batch].size(); ++i) {
        const auto& series = proposals.series[batch][i];
        QCOMPARE(series.empty(), batch == 0);
        if (series.empty()) continue;
        QCOMPARE(series[0].series, std::string("estimated_fitness"));
        QCOMPARE(series[0].value, reference_estimate(known, proposals.candidates[batch][i]));
        QVERIFY(series[0].value <= previous);
        previous = series[0].value;
      }
      for (const space::Configuration& candidate : proposals.candidates[batch]) {
        known.push_back(measure({candidate}, rough_fitness).front());
      }
    }
  }

  void offspring_without_mutation_are_crossovers_of_the_population() {
    const auto tuner =
        make_tuner("nose", make_context("nose", plain_space({200, 200, 200, 200, 200, 200}), printed_seed(),
                                        {{"population", "10"},
                                         {"elite_ratio", "1.5"},
                                         {"mutation_probability", "0"},
                                         {"distinct_parents", "true"}}));
    const std::vector<space::Configuration> parents = run(*tuner, 1, 10).candidates.front();
    const std::vector<space::Configuration> children = propose(*tuner, 15);
    QCOMPARE(children.size(), std::size_t{15});
    int unchanged = 0;
    for (const space::Configuration& child : children) {
      // A child that was known already has a gene drawn anew.
      const std::size_t beyond = genes_beyond_crossover(child, parents);
      QVERIFY(beyond <= 1);
      unchanged += beyond == 0 ? 1 : 0;
    }
    QVERIFY(unchanged > 0);
  }

  void the_worst_are_no_parents() {
    // 10 parents of 40 measured; only the 10 best of the first generation and its first offspring breed the
    // second.
    const auto tuner =
        make_tuner("nose", make_context("nose", plain_space({200, 200, 200, 200, 200, 200}), printed_seed(),
                                        {{"population", "10"},
                                         {"offspring_ratio", "3"},
                                         {"elite_ratio", "3"},
                                         {"mutation_probability", "0"},
                                         {"distinct_parents", "true"}}));
    std::vector<trial::Observation> known = run(*tuner, 2, 30).observed;
    QCOMPARE(known.size(), std::size_t{40});
    std::ranges::stable_sort(known, std::greater{}, &trial::Observation::fitness);
    std::vector<space::Configuration> survivors;
    for (const trial::Observation& observation : known | std::views::take(10))
      survivors.push_back(observation.configuration);
    // Two genes were drawn anew where the first new one led to a known child again.
    for (const space::Configuration& child : propose(*tuner, 30))
      QVERIFY(genes_beyond_crossover(child, survivors) <= 2);
  }

  void coordinates_are_indices_or_values() {
    const space::SearchSpace space =
        *space::SearchSpace::make({*space::Knob::factorization("tile", 1 << 10, 3)});
    const auto by_index = make_tuner("nose", make_context("nose", space, 5, {{"population", "20"}}));
    const auto by_value =
        make_tuner("nose", make_context("nose", space, 5, {{"population", "20"}, {"coordinates", "value"}}));
    QVERIFY(run(*by_index, 4, 20).candidates != run(*by_value, 4, 20).candidates);
  }

  void coordinates_are_features_of_the_loop_nest() {
    const space::SearchSpace space = plain_space({9, 25, 2, 14});
    const std::uint64_t seed = printed_seed();
    const auto by_index = make_tuner("nose", make_context("nose", space, seed, {{"population", "20"}}));
    const auto expected = run(*by_index, 6, 20).candidates;
    for (const char* choice : {"itervar", "curve"}) {
      tuner::Context context =
          make_context("nose", space, seed, {{"population", "20"}, {"coordinates", choice}});
      const auto missing = (*tuner::find_tuner("nose"))->make(context);
      QVERIFY(!missing);
      QVERIFY(missing.error().message.contains(choice));
      QVERIFY(missing.error().hint.contains("coordinates"));
      // What was not chosen differs from what was.
      const auto indices = std::make_shared<IndexFeatures>(4);
      const auto others = std::make_shared<space::KnobFeatures>(plain_space({1}));
      const bool curve = choice == std::string("curve");
      context.features = {.knob = others, .itervar = indices, .curve = others};
      if (curve) std::swap(context.features.itervar, context.features.curve);
      QVERIFY(run(*make_tuner("nose", context), 6, 20).candidates == expected);
    }
  }
};

KERNELSCAPE_PLAIN_TEST(TunerNoseTest)

}  // namespace kernelscape::tuner_nose_test
#include "tuner_nose_test.moc"
