#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include "core/tuner/knob_cube.h"
#include "core/tuner/measured_rounds.h"
#include "core/tuner/typed_settings.h"

namespace kernelscape::tuner {
namespace {

/** How a mutant is made of other individuals (Storn and Price, and SciPy's names). */
enum class MutantOrigin : std::uint8_t { RandomToBest, Random, Best };

/// A mutant is made of three individuals besides its parent.
constexpr std::size_t min_population = 4;

struct DifferentialEvolutionSettings {
  MutantOrigin method = MutantOrigin::RandomToBest;
  std::size_t population = 20;
  std::int64_t generations = 100;
  double minimum_weight = 0.5;
  double maximum_weight = 1;
  double crossover_probability = 0.7;
  double tolerance = 0.01;

  static SettingsOf<DifferentialEvolutionSettings> table() {
    using Settings = DifferentialEvolutionSettings;
    const std::string scipy = "SciPy, differential_evolution";
    return SettingsOf<Settings>()
        .choice(
            "method", &Settings::method,
            {{"randtobest1bin", MutantOrigin::RandomToBest},
             {"rand1bin", MutantOrigin::Random},
             {"best1bin", MutantOrigin::Best}},
            "a mutant is a random individual moved towards the best, a random individual, or the best, plus "
            "a weighted difference of two others",
            "Kernel Tuner, diff_evo (method)")
        .add("population", &Settings::population, min_population, 100'000, "configurations",
             "number of individuals", "Kernel Tuner, diff_evo (popsize)")
        .add("generations", &Settings::generations, 1, 1'000'000'000, "",
             "number of generations after which the search begins again", "Kernel Tuner, diff_evo (maxiter)")
        .add("minimum_weight", &Settings::minimum_weight, 0, 2, "",
             "least weight of a difference, drawn anew for each generation", scipy + " (mutation)")
        .add("maximum_weight", &Settings::maximum_weight, 0, 2, "",
             "largest weight of a difference; at least minimum_weight", scipy + " (mutation)")
        .add("crossover_probability", &Settings::crossover_probability, 0, 1, "",
             "probability that a knob comes from the mutant, not from the parent", scipy + " (recombination)")
        .add("tolerance", &Settings::tolerance, 0, 1, "of the mean time",
             "standard deviation of the individuals' times at which the search begins again",
             scipy + " (tol)");
  }
};

/** An individual: its point is kept, though only the configuration there was measured. */
struct ScoredPoint {
  CubePoint point;
  double fitness = 0;
};

/**
 * Differential evolution (Storn and Price 1997) as Kernel Tuner calls SciPy's: over the unit cube of the
 * knobs, where a point stands for the configuration in whose part it lies. A child replaces its parent if it
 * is as good. A coordinate that leaves the cube is drawn anew. A child that is no member counts as failed.
 */
class DifferentialEvolutionTuner final : public MeasuredRounds {
 public:
  explicit DifferentialEvolutionTuner(const Context& context)
      : MeasuredRounds(context), settings_(read_settings<DifferentialEvolutionSettings>(context.settings)) {}

 protected:
  std::vector<space::Configuration> start_round() override {
    generation_ = 0;
    individuals_.clear();
    children_.clear();
    std::vector<space::Configuration> members = take_fresh(settings_.population);
    for (const space::Configuration& member : members) children_.push_back(cube_point(space(), member));
    return members;
  }

  std::vector<space::Configuration> next_round() override {
    if (individuals_.size() < min_population || generation_ > settings_.generations || converged()) return {};
    const double weight =
        settings_.minimum_weight + (settings_.maximum_weight - settings_.minimum_weight) * random().uniform();
    const auto best = static_cast<std::size_t>(
        std::ranges::max_element(individuals_, {}, &ScoredPoint::fitness) - individuals_.begin());
    std::vector<space::Configuration> round;
    children_.clear();
    for (std::size_t parent = 0; parent < individuals_.size(); ++parent) {
      children_.push_back(child_of(parent, best, weight));
      round.push_back(configuration_at(space(), children_.back()));
    }
    return round;
  }

  void finish_round(std::span<const trial::Observation> round) override {
    const bool first = individuals_.empty();
    individuals_.resize(children_.size());
    for (std::size_t i = 0; i < children_.size(); ++i) {
      if (first || round[i].fitness >= individuals_[i].fitness)
        individuals_[i] = {std::move(children_[i]), round[i].fitness};
    }
    ++generation_;
  }

 private:
  /** Returns true if the times of the individuals hardly differ; never if one of them failed. */
  bool converged() const {
    const auto count = static_cast<double>(individuals_.size());
    double sum = 0;
    for (const ScoredPoint& individual : individuals_) {
      if (!(individual.fitness > 0)) return false;
      sum += 1 / individual.fitness;
    }
    double squares = 0;
    for (const ScoredPoint& individual : individuals_) {
      const double difference = 1 / individual.fitness - sum / count;
      squares += difference * difference;
    }
    return std::sqrt(squares / count) <= settings_.tolerance * sum / count;
  }

  /** Returns three different individuals other than the parent. */
  std::array<std::size_t, 3> draw_others(std::size_t parent) {
    std::array<std::size_t, 3> others{};
    for (std::size_t i = 0; i < others.size(); ++i) {
      do others[i] = random().below(individuals_.size());
      while (others[i] == parent ||
             std::find(others.begin(), others.begin() + i, others[i]) != others.begin() + i);
    }
    return others;
  }

  CubePoint child_of(std::size_t parent, std::size_t best, double weight) {
    const auto [base, plus, minus] = draw_others(parent);
    CubePoint child = individuals_[parent].point;
    const std::size_t certain = random().below(child.size());
    for (std::size_t i = 0; i < child.size(); ++i) {
      if (!random().chance(settings_.crossover_probability) && i != certain) continue;
      const auto at = [&](std::size_t individual) { return individuals_[individual].point[i]; };
      double origin = settings_.method == MutantOrigin::Best ? at(best) : at(base);
      if (settings_.method == MutantOrigin::RandomToBest) origin += weight * (at(best) - origin);
      child[i] = origin + weight * (at(plus) - at(minus));
      if (child[i] < 0 || child[i] > 1) child[i] = random().uniform();
    }
    return child;
  }

  DifferentialEvolutionSettings settings_;
  std::vector<ScoredPoint> individuals_;
  std::vector<CubePoint> children_;  ///< one per individual, or the first individuals
  std::int64_t generation_ = 0;
};

Status check_weights(const Context& context) {
  const auto settings = read_settings<DifferentialEvolutionSettings>(context.settings);
  if (settings.minimum_weight <= settings.maximum_weight) return {};
  return fail(ErrorCode::InvalidArgument, "tuner de: minimum_weight is larger than maximum_weight",
              "set minimum_weight to at most maximum_weight");
}

}  // namespace

Declaration de_tuner() {
  return {
      .name = "de",
      .summary = "differential evolution over the knobs' values",
      .source = "Kernel Tuner's diff_evo; Storn and Price 1997",
      .default_batch = 20,
      .hyperparameters = settings_of<DifferentialEvolutionSettings>().declarations(),
      .make = [](const Context& context) -> Result<std::unique_ptr<Tuner>> {
        TRY(check_weights(context));
        return std::make_unique<DifferentialEvolutionTuner>(context);
      },
      .fits = check_weights,
      .series = {member_share_series("children of a generation of de")},
      .starts_with_best = true,
      .random_phase = integer_of<DifferentialEvolutionSettings>(&DifferentialEvolutionSettings::population)};
}

}  // namespace kernelscape::tuner
