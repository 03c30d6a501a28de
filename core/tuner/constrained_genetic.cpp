#include <algorithm>
#include <cmath>
#include <utility>

#include "core/tuner/constrained_search.h"
#include "core/tuner/feasible_values.h"
#include "core/tuner/genes.h"
#include "core/tuner/infeasible_ranking.h"
#include "core/tuner/typed_settings.h"

namespace kernelscape::tuner {
namespace {

struct StochasticSettings {
  GeneSettings genes = {};
  std::int64_t ranking_sweeps = 10;
  double ranking_probability = 0.45;

  static SettingsOf<StochasticSettings> table() {
    const std::string source = "Runarsson and Yao, stochastic ranking, as Heron's artifact has it";
    return SettingsOf<StochasticSettings>()
        .group(&StochasticSettings::genes, GeneSettings::table())
        .add("ranking_sweeps", &StochasticSettings::ranking_sweeps, 1, 10'000, "",
             "maximum number of sweeps of the bubble sort", source)
        .add("ranking_probability", &StochasticSettings::ranking_probability, 0, 1, "",
             "probability that two configurations that are not both feasible are compared by prediction",
             source);
  }
};

struct InfeasibilitySettings {
  GeneSettings genes = {};
  double infeasible_share = 0.2;
  double crossover_index = 15;
  double mutation_index = 20;
  double mutation_probability = 0.1;

  static SettingsOf<InfeasibilitySettings> table() {
    const std::string source = "Singh and others, IDEA, as Heron's artifact has it";
    return SettingsOf<InfeasibilitySettings>()
        .group(&InfeasibilitySettings::genes, GeneSettings::table())
        .add("infeasible_share", &InfeasibilitySettings::infeasible_share, 0, 1, "of a population",
             "share of infeasible configurations that is kept", source)
        .add("crossover_index", &InfeasibilitySettings::crossover_index, 0, 1000, "",
             "eta of simulated binary crossover: with larger values, children are nearer to their parents",
             source)
        .add("mutation_index", &InfeasibilitySettings::mutation_index, 0, 1000, "",
             "eta of polynomial mutation: with larger values, steps are smaller", source)
        .add("mutation_probability", &InfeasibilitySettings::mutation_probability, 0, 1, "",
             "probability that a gene of a child mutates", source);
  }
};

/**
 * Breeds children as plain genetic algorithms do, with two parents, one crossover point and one mutated gene;
 * children need not be members.
 */
class PlainBreeding : public Breeding {
 public:
  explicit PlainBreeding(const GeneSettings& settings) : values_(settings.feasible_samples) {}

  Status begin_round(const BreedingTools& tools) override { return values_.draw(tools); }

  Result<std::vector<space::Configuration>> breed(std::span<const Individual> parents, std::size_t count,
                                                  const BreedingTools& tools) override {
    std::vector<space::Configuration> children;
    for (std::size_t i = 0; i < count; ++i) {
      const space::Configuration& first = parents[tools.random.below(parents.size())].configuration;
      const space::Configuration& second = parents[tools.random.below(parents.size())].configuration;
      space::Configuration child = crossover(first, second, tools.random.below(values_.knobs()));
      values_.change_one(child, tools.random);
      tools.drawn.count(tools.space.space().contains(child));
      children.push_back(TRY(decoded(std::move(child), first, tools)));
    }
    return children;
  }

 protected:
  /** Returns the configuration that a child becomes. */
  virtual Result<space::Configuration> decoded(space::Configuration child,
                                               const space::Configuration& /*parent*/,
                                               const BreedingTools& /*tools*/) const {
    return child;
  }

 private:
  FeasibleValues values_;
};

/** Plain genetic search on the predictions: an infeasible child gets the lowest score, 0 in the artifact. */
class PenalisedBreeding final : public PlainBreeding {
 public:
  using PlainBreeding::PlainBreeding;

  std::vector<std::size_t> survivors(std::span<const Individual> pool, std::size_t count,
                                     base::Random& /*random*/) const override {
    return best_positions(scores_of(pool), count);
  }
  std::vector<std::size_t> parents(std::span<const Individual> population, std::size_t count,
                                   base::Random& random) const override {
    return draw_by_roulette(scores_of(population), count, random);
  }

 private:
  static std::vector<double> scores_of(std::span<const Individual> individuals) {
    // Predictions of kernels slower than a second are negative; no infeasible child is better than these.
    double least = 0;
    for (const Individual& individual : individuals) least = std::min(least, individual.prediction);
    std::vector<double> scores;
    for (const Individual& individual : individuals)
      scores.push_back(individual.member() ? individual.prediction : least);
    return scores;
  }
};

/** GA-1: stochastic ranking selects the survivors and the parents. */
class StochasticBreeding final : public PlainBreeding {
 public:
  explicit StochasticBreeding(const StochasticSettings& settings)
      : PlainBreeding(settings.genes), settings_(settings) {}

  std::vector<std::size_t> survivors(std::span<const Individual> pool, std::size_t count,
                                     base::Random& random) const override {
    return best(pool, count, random);
  }
  std::vector<std::size_t> parents(std::span<const Individual> population, std::size_t count,
                                   base::Random& random) const override {
    return best(population, count, random);
  }

 private:
  std::vector<std::size_t> best(std::span<const Individual> individuals, std::size_t count,
                                base::Random& random) const {
    std::vector<std::size_t> order =
        stochastic_ranking(individuals, settings_.ranking_sweeps, settings_.ranking_probability, random);
    order.resize(std::min(order.size(), count));
    return order;
  }

  StochasticSettings settings_;
};

/** GA-2: a child is a genotype; the individual is the solution that the solver finds from its values. */
class DecodedBreeding final : public PlainBreeding {
 public:
  using PlainBreeding::PlainBreeding;

 private:
  Result<space::Configuration> decoded(space::Configuration child, const space::Configuration& parent,
                                       const BreedingTools& tools) const override {
    if (tools.space.space().contains(child)) return child;
    const space::Solution solution = TRY(tools.space.solve({}, hints_of(child), tools.random));
    const auto* phenotype = std::get_if<space::Configuration>(&solution);
    return phenotype != nullptr ? *phenotype : parent;
  }
};

/**
 * GA-3: the infeasibility-driven evolutionary algorithm, IDEA. Genes are positions among the feasible values.
 */
class InfeasibilityBreeding final : public Breeding {
 public:
  explicit InfeasibilityBreeding(const InfeasibilitySettings& settings)
      : settings_(settings), values_(settings.genes.feasible_samples) {}

  Status begin_round(const BreedingTools& tools) override { return values_.draw(tools); }

  std::vector<std::size_t> survivors(std::span<const Individual> pool, std::size_t count,
                                     base::Random& /*random*/) const override {
    return infeasibility_driven_ranking(pool, count, settings_.infeasible_share);
  }

  /** Selects parents by binary tournaments on rank. */
  std::vector<std::size_t> parents(std::span<const Individual> population, std::size_t count,
                                   base::Random& random) const override {
    const std::vector<std::size_t> order =
        infeasibility_driven_ranking(population, population.size(), settings_.infeasible_share);
    std::vector<std::size_t> winners;
    while (winners.size() < count) {
      const std::size_t first = random.below(order.size());
      winners.push_back(order[std::min<std::size_t>(first, random.below(order.size()))]);
    }
    return winners;
  }

  Result<std::vector<space::Configuration>> breed(std::span<const Individual> parents, std::size_t count,
                                                  const BreedingTools& tools) override {
    std::vector<space::Configuration> children;
    while (children.size() < count) {
      const space::Configuration& father = parents[tools.random.below(parents.size())].configuration;
      const space::Configuration& mother = parents[tools.random.below(parents.size())].configuration;
      auto [first, second] = crossed(father, mother, tools.random);
      for (space::Configuration* child : {&first, &second}) {
        if (children.size() == count) break;
        mutate_places(*child, tools.random);
        tools.drawn.count(tools.space.space().contains(*child));
        children.push_back(std::move(*child));
      }
    }
    return children;
  }

  bool parents_compete() const override { return true; }

 private:
  /** Returns the position that a value has, or would have, among the feasible values. */
  double place_of(std::size_t knob, std::uint32_t index) const {
    const std::vector<std::uint32_t>& values = values_.of(knob);
    return static_cast<double>(std::ranges::lower_bound(values, index) - values.begin());
  }

  std::uint32_t value_at(std::size_t knob, double place) const {
    const std::vector<std::uint32_t>& values = values_.of(knob);
    const double last = static_cast<double>(values.size() - 1);
    return values[static_cast<std::size_t>(std::clamp(std::round(place), 0.0, last))];
  }

  /**
   * Applies simulated binary crossover (Deb and Agrawal) to each gene with probability 1/2. Which child is
   * nearer to which parent is random, as in NSGA-II's program.
   */
  std::pair<space::Configuration, space::Configuration> crossed(const space::Configuration& first,
                                                                const space::Configuration& second,
                                                                base::Random& random) const {
    std::pair<space::Configuration, space::Configuration> children(first, second);
    for (std::size_t knob = 0; knob < values_.knobs(); ++knob) {
      if (values_.of(knob).empty() || first.indices[knob] == second.indices[knob] || !random.chance(0.5))
        continue;
      const double spread = simulated_binary_spread(settings_.crossover_index, random.uniform());
      const double a = place_of(knob, first.indices[knob]);
      const double b = place_of(knob, second.indices[knob]);
      children.first.indices[knob] = value_at(knob, 0.5 * ((1 + spread) * a + (1 - spread) * b));
      children.second.indices[knob] = value_at(knob, 0.5 * ((1 - spread) * a + (1 + spread) * b));
      if (random.chance(0.5)) std::swap(children.first.indices[knob], children.second.indices[knob]);
    }
    return children;
  }

  /** Applies polynomial mutation (Deb and Goyal). */
  void mutate_places(space::Configuration& child, base::Random& random) const {
    for (std::size_t knob = 0; knob < values_.knobs(); ++knob) {
      if (values_.of(knob).empty() || !random.chance(settings_.mutation_probability)) continue;
      const double range = static_cast<double>(values_.of(knob).size() - 1);
      const double step = polynomial_step(settings_.mutation_index, random.uniform()) * range;
      child.indices[knob] = value_at(knob, place_of(knob, child.indices[knob]) + step);
    }
  }

  InfeasibilitySettings settings_;
  FeasibleValues values_;
};

template <typename Strategy, typename Settings>
std::unique_ptr<Breeding> make_breeding(const SettingValues& values) {
  return std::make_unique<Strategy>(read_settings<Settings>(values));
}

}  // namespace

Declaration heron_ga_tuner() {
  return constrained_search_tuner(
      {.name = "heron-ga",
       .summary = "plain genetic algorithm on heron's cost model, for comparison with heron",
       .source = "Heron, section 7.4, GA, as Heron's artifact has it",
       .drawn = "children of heron-ga, including infeasible ones",
       .settings = settings_of<GeneSettings>().declarations(),
       .make_breeding = make_breeding<PenalisedBreeding, GeneSettings>});
}

Declaration ga_1_tuner() {
  return constrained_search_tuner(
      {.name = "ga-1",
       .summary = "genetic algorithm with stochastic ranking, for comparison with heron",
       .source = "Heron, section 7.4, GA-1",
       .drawn = "children of ga-1, including infeasible ones",
       .settings = settings_of<StochasticSettings>().declarations(),
       .make_breeding = make_breeding<StochasticBreeding, StochasticSettings>});
}

Declaration ga_2_tuner() {
  return constrained_search_tuner(
      {.name = "ga-2",
       .summary = "genetic algorithm whose children are repaired by a solver, for comparison with heron",
       .source = "Heron, section 7.4, GA-2",
       .drawn = "children of ga-2 before its solver repairs them",
       .settings = settings_of<GeneSettings>().declarations(),
       .make_breeding = make_breeding<DecodedBreeding, GeneSettings>});
}

Declaration ga_3_tuner() {
  return constrained_search_tuner(
      {.name = "ga-3",
       .summary = "infeasibility-driven evolutionary algorithm, for comparison with heron",
       .source = "Heron, section 7.4, GA-3",
       .drawn = "children of ga-3, including infeasible ones",
       .settings = settings_of<InfeasibilitySettings>().declarations(),
       .make_breeding = make_breeding<InfeasibilityBreeding, InfeasibilitySettings>});
}

}  // namespace kernelscape::tuner
