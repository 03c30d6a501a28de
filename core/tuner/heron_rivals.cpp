#include <algorithm>
#include <cmath>
#include <utility>

#include "core/tuner/constrained_search.h"
#include "core/tuner/feasible_values.h"
#include "core/tuner/typed_settings.h"

namespace kernelscape::tuner {
namespace {

/** RAND: every generation consists of new random solutions, whatever their predictions are. */
class RandomBreeding final : public Breeding {
 public:
  Result<std::vector<space::Configuration>> breed(std::span<const Individual> /*parents*/, std::size_t count,
                                                  const BreedingTools& tools) override {
    std::vector<space::Configuration> solutions;
    for (std::size_t i = 0; i < count; ++i) {
      const space::Solution solution = TRY(tools.space.solve({}, {}, tools.random));
      const auto* member = std::get_if<space::Configuration>(&solution);
      tools.drawn.count(member != nullptr);
      if (member == nullptr) break;  // each further call would take as long to give up
      solutions.push_back(*member);
    }
    return solutions;
  }
};

/** How a chain decides on a neighbour with a lower prediction. */
enum class Acceptance : std::uint8_t { Greedy, Annealing };

struct WalkSettings {
  GeneSettings genes = {};
  Acceptance acceptance = Acceptance::Greedy;
  double temperature = 0.6;
  std::int64_t cooling_steps = 160;

  static SettingsOf<WalkSettings> table() {
    return SettingsOf<WalkSettings>()
        .group(&WalkSettings::genes, GeneSettings::table())
        .choice("acceptance", &WalkSettings::acceptance,
                {{"greedy", Acceptance::Greedy}, {"annealing", Acceptance::Annealing}},
                "neighbours that a chain moves to: those with a better prediction, or also worse ones with "
                "the probability exp(difference / temperature)",
                "Heron's artifact, which computes that probability and then overwrites it")
        .add("temperature", &WalkSettings::temperature, 0, 1e6, "predictions",
             "temperature before the first step; it falls linearly to 0. Used by annealing alone",
             "Heron's artifact")
        .add("cooling_steps", &WalkSettings::cooling_steps, 1, 1'000'000'000, "generations",
             "number of generations after which the temperature is 0",
             "Heron's artifact: 5 in each round of 32 trials, here those of 1,000 trials");
  }
};

/** SA: each individual is a chain that moves one knob at a time over the predictions. */
class WalkBreeding final : public Breeding {
 public:
  explicit WalkBreeding(const WalkSettings& settings)
      : settings_(settings), values_(settings.genes.feasible_samples) {}

  Status begin_round(const BreedingTools& tools) override {
    chains_.clear();
    return values_.draw(tools);
  }

  /** Returns all individuals: each is the beginning of a chain. */
  std::vector<std::size_t> parents(std::span<const Individual> population, std::size_t /*count*/,
                                   base::Random& /*random*/) const override {
    std::vector<std::size_t> all(population.size());
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
    return all;
  }

  /** Moves each chain by one step and returns where the chains are. */
  Result<std::vector<space::Configuration>> breed(std::span<const Individual> parents, std::size_t count,
                                                  const BreedingTools& tools) override {
    // The first generation of a round begins the chains; later ones continue them.
    if (chains_.empty()) chains_.assign(parents.begin(), parents.begin() + chains_of(parents, count));
    std::vector<space::Configuration> neighbours;
    for (const Individual& chain : chains_) {
      neighbours.push_back(chain.configuration);
      values_.change_one(neighbours.back(), tools.random);
    }
    const std::vector<double> predictions = TRY(tools.model.predict(neighbours));
    std::vector<space::Configuration> places;
    for (std::size_t i = 0; i < chains_.size(); ++i) {
      const bool member = tools.space.space().contains(neighbours[i]);
      tools.drawn.count(member);
      if (member && accepts(predictions[i] - chains_[i].prediction, tools.random))
        chains_[i] = {std::move(neighbours[i]), predictions[i]};
      places.push_back(chains_[i].configuration);
    }
    ++steps_;
    return places;
  }

 private:
  static std::ptrdiff_t chains_of(std::span<const Individual> parents, std::size_t count) {
    return static_cast<std::ptrdiff_t>(std::min(parents.size(), count));
  }

  bool accepts(double change, base::Random& random) const {
    if (settings_.acceptance == Acceptance::Greedy) return change > 0;
    const double left = 1 - static_cast<double>(steps_) / static_cast<double>(settings_.cooling_steps);
    const double temperature = settings_.temperature * std::max(0.0, left);
    return change > 0 || (temperature > 0 && random.chance(std::exp(change / temperature)));
  }

  WalkSettings settings_;
  FeasibleValues values_;
  std::vector<Individual> chains_;  ///< of the round
  std::int64_t steps_ = 0;          ///< generations so far
};

}  // namespace

Declaration heron_rand_tuner() {
  return constrained_search_tuner(
      {.name = "heron-rand",
       .summary = "random solutions ranked by heron's cost model, for comparison with heron",
       .source = "Heron, section 7.4, RAND, as Heron's artifact has it",
       .drawn = "random solutions of heron-rand, as its solver finds them",
       .make_breeding = [](const SettingValues& /*values*/) -> std::unique_ptr<Breeding> {
         return std::make_unique<RandomBreeding>();
       }});
}

Declaration heron_sa_tuner() {
  return constrained_search_tuner(
      {.name = "heron-sa",
       .summary = "simulated annealing on heron's cost model, for comparison with heron",
       .source = "Heron, section 7.4, SA, as Heron's artifact has it",
       .drawn = "neighbours to which chains of heron-sa may move",
       .settings = settings_of<WalkSettings>().declarations(),
       .make_breeding = [](const SettingValues& values) -> std::unique_ptr<Breeding> {
         return std::make_unique<WalkBreeding>(read_settings<WalkSettings>(values));
       }});
}

}  // namespace kernelscape::tuner
