#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/surrogate/nearest_neighbours.h"
#include "core/tuner/feature_choice.h"
#include "core/tuner/genes.h"
#include "core/tuner/population.h"

namespace kernelscape::tuner {
namespace {

enum class CoordinateChoice : std::uint8_t { Index, Value, Itervar, Curve, Csp };

struct NoseSettings {
  std::size_t population = 100;
  double offspring_ratio = 1.5;
  double elite_ratio = 0.3;
  double mutation_probability = 0.3;
  bool mutates_to_others = true;
  std::size_t neighbours = 9;
  CoordinateChoice coordinates = CoordinateChoice::Index;
  surrogate::ZeroDistance zero_distance = surrogate::ZeroDistance::Measured;
  bool distinct_parents = false;
  bool learn_from_history = true;

  static SettingsOf<NoseSettings> table() {
    const std::string paper = "NoSE, section V-D";
    const std::string open = "ours: the paper leaves it open";
    return SettingsOf<NoseSettings>()
        .add("population", &NoseSettings::population, 1, 100'000, "configurations",
             "N: number of configurations measured at the start, and of parents in every generation", paper)
        .add("offspring_ratio", &NoseSettings::offspring_ratio, 0.001, 1000, "of the population",
             "M / N: number of offspring whose fitness is estimated", paper)
        .add("elite_ratio", &NoseSettings::elite_ratio, 0.001, 1000, "of the population",
             "E / N: number of the best offspring by estimate, which are measured", paper)
        .add("mutation_probability", &NoseSettings::mutation_probability, 0, 1, "",
             "probability that a gene of a child gets a random value", paper)
        .choice("mutation_value", &NoseSettings::mutates_to_others, {{"another", true}, {"any", false}},
                "new value of a mutated gene: any other value, or any value including the current one",
                "NoSE, section III-B")
        .before("any")
        .add("neighbours", &NoseSettings::neighbours, 1, 10'000, "trials",
             "k: number of neighbours of the surrogate", paper)
        .choice("coordinates", &NoseSettings::coordinates,
                {{"index", CoordinateChoice::Index},
                 {"value", CoordinateChoice::Value},
                 {"itervar", CoordinateChoice::Itervar},
                 {"curve", CoordinateChoice::Curve},
                 {"csp", CoordinateChoice::Csp}},
                "coordinates of the Canberra distance: value indices, the values (factor by factor), "
                "AutoTVM's features of the loop nest, or all variables of the constraints",
                open)
        .choice("zero_distance", &NoseSettings::zero_distance,
                {{"measured", surrogate::ZeroDistance::Measured},
                 {"excluded", surrogate::ZeroDistance::Excluded}},
                "estimate of a child that equals a point of the history: that point's value, or the point is "
                "not a neighbour",
                open)
        .add("distinct_parents", &NoseSettings::distinct_parents,
             "whether the two parents of a child always differ", open)
        .add("learn_from_history", &NoseSettings::learn_from_history,
             "whether the trials of a warm start count as neighbours", "ours");
  }

  /** Returns the number of configurations in a share of the population, at least one. */
  std::size_t share_of_population(double share) const {
    return static_cast<std::size_t>(std::max(1.0, std::round(share * static_cast<double>(population))));
  }
};

/**
 * The coordinates that the surrogate compares: value indices, as the genes of AutoTVM's genetic tuner, or the
 * values' elements, or features of the loop nest or of the constraints.
 */
class Coordinates {
 public:
  /** @param features null: the knobs' indices or values */
  Coordinates(space::SearchSpace space, bool values, std::shared_ptr<const space::FeatureExtractor> features)
      : space_(std::move(space)), values_(values), features_(std::move(features)) {}

  std::size_t dimensions() const {
    if (features_) return features_->names().size();
    return of({std::vector<std::uint32_t>(space_.knobs().size(), 0)}).size();
  }

  std::vector<double> of(const space::Configuration& configuration) const {
    if (features_) {
      const std::vector<float> row = features_->compute(configuration);
      return {row.begin(), row.end()};
    }
    if (!values_) return {configuration.indices.begin(), configuration.indices.end()};
    std::vector<double> result;
    for (std::size_t i = 0; i < space_.knobs().size(); ++i)
      for (const std::int64_t element : space_.knobs()[i].row(configuration.indices[i]))
        result.push_back(static_cast<double>(element));
    return result;
  }

 private:
  space::SearchSpace space_;
  bool values_;
  std::shared_ptr<const space::FeatureExtractor> features_;
};

Result<Coordinates> chosen_coordinates(const Context& context) {
  const CoordinateChoice choice = read_settings<NoseSettings>(context.settings).coordinates;
  if (choice == CoordinateChoice::Index) return Coordinates(context.space, false, nullptr);
  if (choice == CoordinateChoice::Value) return Coordinates(context.space, true, nullptr);
  if (choice == CoordinateChoice::Csp) return Coordinates(context.space, false, csp_features(context));
  auto features =
      TRY(loop_nest_features(context, "nose", choice == CoordinateChoice::Curve ? "curve" : "itervar",
                             "set coordinates to index, value or csp"));
  return Coordinates(context.space, false, std::move(features));
}

/**
 * NoSE, section III-B: an evolutionary search whose offspring is selected by a k-nearest-neighbours
 * regression.
 */
class NoseTuner final : public Tuner {
 public:
  NoseTuner(const Context& context, Coordinates coordinates)
      : space_(context.space),
        settings_(read_settings<NoseSettings>(context.settings)),
        offspring_count_(settings_.share_of_population(settings_.offspring_ratio)),
        elite_count_(settings_.share_of_population(settings_.elite_ratio)),
        coordinates_(std::move(coordinates)),
        random_(context.random.fork("genetic operators")),
        visited_(context.space, context.random.fork("random members")),
        surrogate_(coordinates_.dimensions(), settings_.neighbours, settings_.zero_distance),
        generation_(initial_population(context, visited_, settings_.population)) {
    if (!settings_.learn_from_history) return;
    for (const trial::Observation& observation : context.history) {
      if (space_.contains(observation.configuration)) learn(observation);
    }
  }

  Result<Proposal> propose(std::size_t n) override {
    if (generation_.exhausted()) breed_generation();
    return next_proposal(generation_, n, visited_);
  }

  void observe(std::span<const trial::Observation> observations) override {
    for (const trial::Observation& observation : observations) learn(observation);
    generation_.observe(observations);
  }

  std::vector<trial::SeriesValue> series(std::size_t position) const override {
    const std::size_t candidate = generation_.number_of(position);
    if (candidate >= estimates_.size()) return {};
    std::vector<trial::SeriesValue> values{{"estimated_fitness", estimates_[candidate]}};
    visited_.drawn().report(values);
    return values;
  }

 private:
  void learn(const trial::Observation& observation) {
    surrogate_.add(coordinates_.of(observation.configuration), observation.fitness);
  }

  /** Selects survivors by truncation: the best of the old population and the new generation. */
  void select_survivors() {
    population_.insert(population_.end(), generation_.observed().begin(), generation_.observed().end());
    std::vector<double> fitness;
    for (const trial::Observation& individual : population_) fitness.push_back(individual.fitness);
    std::vector<trial::Observation> survivors;
    roulette_.clear();
    for (const std::size_t best : best_positions(fitness, settings_.population)) {
      survivors.push_back(population_[best]);
      roulette_.push_back(fitness[best]);
    }
    population_ = std::move(survivors);
  }

  void breed_generation() {
    select_survivors();
    visited_.begin_drawing();
    std::vector<space::Configuration> offspring;
    while (!population_.empty() && offspring.size() < offspring_count_) {
      auto child = visited_.take_child(random_, [&](base::Random& random) { return breed(random); });
      if (!child) break;
      offspring.push_back(std::move(*child));
    }
    std::vector<double> estimates;
    for (const space::Configuration& child : offspring) {
      estimates.push_back(surrogate_.estimate(coordinates_.of(child)));
    }
    std::vector<space::Configuration> elite;
    estimates_.clear();
    const std::vector<std::size_t> order = best_positions(estimates, offspring.size());
    for (std::size_t rank = 0; rank < order.size(); ++rank) {
      if (rank >= elite_count_) {
        visited_.erase(offspring[order[rank]]);
        continue;
      }
      elite.push_back(offspring[order[rank]]);
      estimates_.push_back(estimates[order[rank]]);
    }
    generation_ = Generation(std::move(elite));
  }

  space::Configuration breed(base::Random& random) const {
    const auto [first, second] = draw_parents(random);
    space::Configuration child =
        crossover(population_[first].configuration, population_[second].configuration,
                  random.below(space_.knobs().size()));
    const auto& mutation = settings_.mutates_to_others ? mutate_to_others : mutate;
    mutation(child, space_.knobs(), settings_.mutation_probability, random);
    return child;
  }

  std::pair<std::size_t, std::size_t> draw_parents(base::Random& random) const {
    if (settings_.distinct_parents && population_.size() > 1) return draw_distinct_pair(roulette_, random);
    const std::size_t first = random.weighted(roulette_);
    return {first, random.weighted(roulette_)};
  }

  space::SearchSpace space_;
  NoseSettings settings_;
  std::size_t offspring_count_;
  std::size_t elite_count_;
  Coordinates coordinates_;
  base::Random random_;
  Visited visited_;
  surrogate::NearestNeighbours surrogate_;
  Generation generation_;
  std::vector<trial::Observation> population_;
  std::vector<double> roulette_;   ///< the population's fitness
  std::vector<double> estimates_;  ///< estimates of the generation; empty for the first
};

Status check_nose(const Context& context) {
  const auto settings = read_settings<NoseSettings>(context.settings);
  if (settings.elite_ratio > settings.offspring_ratio) {
    return fail(ErrorCode::InvalidArgument,
                fmt::format("tuner nose: elite_ratio {} is larger than offspring_ratio {}",
                            settings.elite_ratio, settings.offspring_ratio),
                "the elite is chosen from the offspring: raise offspring_ratio, or lower elite_ratio");
  }
  const Result<Coordinates> coordinates = chosen_coordinates(context);
  return coordinates ? Status() : std::unexpected(coordinates.error());
}

Result<std::unique_ptr<Tuner>> make_nose_tuner(const Context& context) {
  TRY(check_nose(context));
  Coordinates coordinates = TRY(chosen_coordinates(context));
  return std::make_unique<NoseTuner>(context, std::move(coordinates));
}

}  // namespace

Declaration nose_tuner() {
  return {.name = "nose",
          .summary = "evolutionary search with a k-nearest-neighbours surrogate inside its operators",
          .source = "NoSE, section III",
          .default_batch = 30,
          .hyperparameters = settings_of<NoseSettings>().declarations(),
          .make = make_nose_tuner,
          .series = {{.name = "estimated_fitness",
                      .title = "Estimated performance",
                      .unit = trial::SeriesUnit::Fitness,
                      .relation = trial::SeriesRelation::Estimate,
                      .meaning =
                          "The weighted mean of the nearest measured neighbours when the trial was proposed "
                          "(NoSE, equations 1 to 3)."},
                     member_share_series("offspring of nose, including those that are only estimated")},
          .starts_with_best = true,
          .random_phase = integer_of<NoseSettings>(&NoseSettings::population)};
}

}  // namespace kernelscape::tuner
