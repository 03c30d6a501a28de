#include "core/tuner/constrained_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <unordered_set>

#include "core/space/contradiction.h"
#include "core/tuner/cost_model.h"
#include "core/tuner/declaration.h"
#include "core/tuner/feature_choice.h"
#include "core/tuner/genes.h"
#include "core/tuner/population.h"

namespace kernelscape::tuner {
namespace {

/// Added to every weight, so that the lowest prediction can be drawn (Heron's artifact).
constexpr double min_roulette_weight = 1e-16;
/// Number of random solutions of a round on which the solver may give up before the rest of them is skipped.
constexpr std::int64_t max_given_up = 8;
/// Limits of the proof that constraints contradict each other, and of each step of finding the contradicting
/// constraints.
constexpr space::SolverLimits proof_limits{.nodes = 20'000};

/** Settings of Heron and of all tuners with its search. */
struct RoundSettings {
  FeatureChoice features = FeatureChoice::Csp;
  std::size_t population = 200;
  std::size_t offspring = 200;
  std::int64_t generations = 5;
  std::size_t parents = 32;
  std::size_t elites = 20;
  std::size_t history_best = 32;
  std::size_t round_size = 32;
  double epsilon = 0.6;
  BoostingSettings boosting = {.parameters = {.objective = surrogate::BoostingObjective::Regression,
                                              .maximum_depth = 7,
                                              .minimum_split_loss = 1e-5},
                               .rounds = {.recall_at = 30}};
  bool learn_from_history = true;
  space::SolverLimits solver = {.nodes = 10'000};

  static SettingsOf<RoundSettings> table() {
    const std::string artifact = "Heron's artifact";
    return SettingsOf<RoundSettings>()
        .choice("features", &RoundSettings::features,
                {{"csp", FeatureChoice::Csp}, {"knob", FeatureChoice::Knob}},
                "features of the cost model: all variables of the constraints, or the knobs' values",
                "Heron, section 5")
        .add("population", &RoundSettings::population, 1, 10'000, "configurations",
             "number of random solutions per round, and size of a round's first population, selected from "
             "these, the last round's population and the best trials",
             artifact + " (pop_num)")
        .add("offspring", &RoundSettings::offspring, 1, 10'000, "configurations",
             "N: number of children per generation", "Heron, Algorithm 3")
        .add("generations", &RoundSettings::generations, 0, 1000, "",
             "number of generations, ranked by predictions, between two rounds of measurements, once the "
             "model is trained",
             artifact + " (iter_walks)")
        .add("parents", &RoundSettings::parents, 1, 10'000, "configurations",
             "number of parents selected for the next children", artifact + " (select_num)")
        .add("elites", &RoundSettings::elites, 0, 10'000, "configurations",
             "number of the round's best predictions that join every generation", artifact)
        .add("history_best", &RoundSettings::history_best, 0, 10'000, "trials",
             "number of the fastest trials so far that join the population of every round",
             artifact + " (history_topk)")
        .add("round_size", &RoundSettings::round_size, 1, 10'000, "trials",
             "trials between two fits of the model", artifact)
        .add("epsilon", &RoundSettings::epsilon, 0, 1, "of a round",
             "share of the best predictions, rounded down; the others are drawn by roulette", artifact)
        .group(&RoundSettings::boosting, BoostingSettings::table(BoostingProgram::Heron))
        .add("learn_from_history", &RoundSettings::learn_from_history,
             "the trials of a warm start train the model, and the best of them join the population", "ours")
        .add("solver_nodes", submember(&RoundSettings::solver, &space::SolverLimits::nodes), 1, 1'000'000'000,
             "values", "number of values that the solver tries for a solution before it gives up",
             "ours: the artifact has a limit of ten seconds");
  }
};

std::vector<double> predictions_of(std::span<const Individual> individuals) {
  std::vector<double> predictions;
  for (const Individual& individual : individuals) predictions.push_back(individual.prediction);
  return predictions;
}

std::vector<Individual> individuals_at(std::span<const Individual> individuals,
                                       std::span<const std::size_t> numbers) {
  std::vector<Individual> result;
  for (const std::size_t number : numbers) result.push_back(individuals[number]);
  return result;
}

std::vector<trial::SeriesDescription> search_series(const std::string& tuner, const std::string& drawn) {
  return {predicted_score_series(tuner + "'s boosted trees, which learn the logarithm of the speed"),
          member_share_series(drawn)};
}

Status check_search(const Context& context, std::string_view tuner) {
  TRY(check_features(context, tuner));
  const space::SearchSpace& space = context.space;
  if (space.constraints().empty()) return {};
  base::Random random = context.random.fork("first member");
  if (space.random_member(random)) return {};
  const std::vector<std::size_t> contradicting =
      space::contradicting_constraints(space.knobs(), space.constraints(), proof_limits);
  if (contradicting.empty()) return {};
  return fail(ErrorCode::InvalidArgument,
              fmt::format("tuner {}: the space has no feasible configurations, because these constraints "
                          "contradict each other: {}",
                          tuner, space::describe_constraints(space.constraints(), contradicting)),
              "relax or remove one of them");
}

std::string search_notice(const Context& context, std::string_view tuner) {
  if (context.space.has_restrictions()) return {};
  return fmt::format(
      "the space has no constraints, which tuner {} is made for; it is searched all the same, and every "
      "configuration is feasible",
      tuner);
}

/** The tuner that constrained_search_tuner() declares. */
class ConstrainedSearch final : public Tuner {
 public:
  ConstrainedSearch(const Context& context, std::string_view tuner,
                    std::shared_ptr<const space::FeatureExtractor> features,
                    std::unique_ptr<Breeding> breeding);

  Result<Proposal> propose(std::size_t n) override;
  void observe(std::span<const trial::Observation> observations) override;
  std::vector<trial::SeriesValue> series(std::size_t position) const override;

 private:
  BreedingTools tools();
  void keep_best(const trial::Observation& observation);
  Status plan_round();
  Status begin_population();
  Status next_generation();
  Result<std::vector<space::Configuration>> random_members();
  /** Returns the different configurations with their predictions. */
  Result<std::vector<Individual>> assess(std::span<const space::Configuration> configurations) const;
  /** Adds the members that are new in this round to the candidates for measurement. */
  void remember(std::span<const Individual> individuals);
  void choose_round();

  std::string tuner_;
  RoundSettings settings_;
  SolvedSpace space_;
  SpeedModel model_;
  std::unique_ptr<Breeding> breeding_;
  base::Random random_;
  Visited visited_;
  DrawnChildren drawn_;                               ///< of the round
  std::vector<trial::Observation> best_;              ///< measured trials, best first
  std::vector<Individual> population_;                ///< of the last generation
  std::vector<Individual> met_;                       ///< the round's different members
  std::unordered_set<space::Configuration> met_set_;  ///< for look-up only
  Generation round_;
  /// predictions of the round; nullopt if there was no model
  std::vector<std::optional<double>> predictions_;
  /// random solutions of the round on which the solver gave up
  std::int64_t given_up_ = 0;
};

ConstrainedSearch::ConstrainedSearch(const Context& context, std::string_view tuner,
                                     std::shared_ptr<const space::FeatureExtractor> features,
                                     std::unique_ptr<Breeding> breeding)
    : tuner_(tuner),
      settings_(read_settings<RoundSettings>(context.settings)),
      space_(context.space, settings_.solver),
      model_(std::move(features), settings_.boosting.parameters, settings_.boosting.rounds,
             context.task.flops()),
      breeding_(std::move(breeding)),
      random_(context.random.fork("constrained search")),
      visited_(context.space, context.random.fork("random members")) {
  if (!settings_.learn_from_history) return;
  model_.learn_history(context);
  for (const trial::Observation& observation : context.history)
    if (context.space.contains(observation.configuration)) keep_best(observation);
}

Result<Proposal> ConstrainedSearch::propose(std::size_t n) {
  if (round_.exhausted()) TRY(plan_round());
  return next_proposal(round_, n, visited_);
}

void ConstrainedSearch::observe(std::span<const trial::Observation> observations) {
  for (const trial::Observation& observation : observations) {
    model_.add(observation);
    keep_best(observation);
  }
}

std::vector<trial::SeriesValue> ConstrainedSearch::series(std::size_t position) const {
  const std::size_t candidate = round_.number_of(position);
  std::vector<trial::SeriesValue> values;
  if (candidate < predictions_.size() && predictions_[candidate])
    values.push_back({"predicted_score", *predictions_[candidate]});
  drawn_.report(values);
  return values;
}

BreedingTools ConstrainedSearch::tools() { return {space_, model_, random_, drawn_}; }

/** Keeps an observation if it is valid. Of equal ones, the first stays before the others. */
void ConstrainedSearch::keep_best(const trial::Observation& observation) {
  const auto known = [&](const trial::Observation& other) {
    return other.configuration == observation.configuration;
  };
  if (observation.fitness <= 0 || std::ranges::any_of(best_, known)) return;
  best_.insert(
      std::ranges::upper_bound(best_, observation.fitness, std::greater{}, &trial::Observation::fitness),
      observation);
  if (best_.size() > settings_.history_best) best_.pop_back();
}

Status ConstrainedSearch::plan_round() {
  TRY(model_.fit());
  // Without a model, the last population is not better than a new one.
  if (!model_.ready()) population_.clear();
  met_.clear();
  met_set_.clear();
  drawn_ = {};
  TRY(begin_population());
  if (model_.ready()) {
    TRY(breeding_->begin_round(tools()));
    for (std::int64_t generation = 0; generation < settings_.generations && !population_.empty();
         ++generation)
      TRY(next_generation());
  }
  choose_round();
  if (!round_.exhausted() || given_up_ == 0 || visited_.has_all()) return {};
  return fail(
      ErrorCode::Refused,
      fmt::format(
          "tuner {}: no new feasible configuration was found: the solver gave up after {} values of knobs",
          tuner_, space_.limits().nodes),
      "raise the setting solver_nodes, or relax the constraints of the space");
}

Status ConstrainedSearch::begin_population() {
  std::vector<space::Configuration> pool;
  for (const Individual& individual : population_) pool.push_back(individual.configuration);
  for (const trial::Observation& trial : best_) pool.push_back(trial.configuration);
  const std::vector<space::Configuration> random = TRY(random_members());
  pool.insert(pool.end(), random.begin(), random.end());
  const std::vector<Individual> individuals = TRY(assess(pool));
  population_ = individuals_at(individuals, breeding_->survivors(individuals, settings_.population, random_));
  remember(population_);
  return {};
}

Status ConstrainedSearch::next_generation() {
  const std::vector<Individual> parents =
      individuals_at(population_, breeding_->parents(population_, settings_.parents, random_));
  const std::vector<space::Configuration> bred = TRY(breeding_->breed(parents, settings_.offspring, tools()));
  std::vector<Individual> children = TRY(assess(bred));
  remember(children);
  const bool compete = breeding_->parents_compete();
  const std::vector<Individual> others =
      compete ? population_ : individuals_at(met_, best_positions(predictions_of(met_), settings_.elites));
  std::unordered_set<space::Configuration> there;  // for look-up only
  for (const Individual& child : children) there.insert(child.configuration);
  for (const Individual& other : others)
    if (!there.contains(other.configuration)) children.push_back(other);
  population_ = compete
                    ? individuals_at(children, breeding_->survivors(children, settings_.population, random_))
                    : std::move(children);
  return {};
}

Result<std::vector<space::Configuration>> ConstrainedSearch::random_members() {
  std::vector<space::Configuration> members;
  given_up_ = 0;
  for (std::size_t i = 0; i < settings_.population && given_up_ < max_given_up; ++i) {
    const space::Solution solution = TRY(space_.solve({}, {}, random_));
    if (const auto* member = std::get_if<space::Configuration>(&solution)) {
      members.push_back(*member);
    } else if (std::get<space::NoSolution>(solution) == space::NoSolution::Proven) {
      break;
    } else {
      ++given_up_;
    }
  }
  return members;
}

Result<std::vector<Individual>> ConstrainedSearch::assess(
    std::span<const space::Configuration> configurations) const {
  std::vector<space::Configuration> different;
  std::unordered_set<space::Configuration> seen;  // for look-up only
  for (const space::Configuration& configuration : configurations)
    if (seen.insert(configuration).second) different.push_back(configuration);
  const std::vector<double> predictions = TRY(model_.predict(different));
  std::vector<Individual> individuals;
  for (std::size_t i = 0; i < different.size(); ++i)
    individuals.push_back({different[i], predictions[i], space_.violations_of(different[i])});
  return individuals;
}

void ConstrainedSearch::remember(std::span<const Individual> individuals) {
  for (const Individual& individual : individuals)
    if (individual.member() && met_set_.insert(individual.configuration).second) met_.push_back(individual);
}

/**
 * Chooses the trials of a round. If fewer members were found than a round measures, random members fill it.
 */
void ConstrainedSearch::choose_round() {
  std::vector<Individual> unvisited;
  for (const Individual& individual : met_)
    if (!visited_.contains(individual.configuration)) unvisited.push_back(individual);
  const auto greedy = static_cast<std::size_t>(settings_.epsilon * static_cast<double>(settings_.round_size));
  std::vector<Individual> chosen;
  std::vector<Individual> rest;
  const std::vector<std::size_t> order = best_positions(predictions_of(unvisited), unvisited.size());
  for (const std::size_t number : order)
    (chosen.size() < greedy ? chosen : rest).push_back(unvisited[number]);
  const std::vector<std::size_t> drawn =
      draw_by_roulette(predictions_of(rest), settings_.round_size - chosen.size(), random_);
  for (const std::size_t number : drawn) chosen.push_back(rest[number]);

  std::vector<space::Configuration> candidates;
  predictions_.clear();
  for (const Individual& individual : chosen) {
    visited_.insert(individual.configuration);
    candidates.push_back(individual.configuration);
    predictions_.push_back(model_.ready() ? std::optional(individual.prediction) : std::nullopt);
  }
  visited_.fill(candidates, settings_.round_size);
  round_ = Generation(std::move(candidates));
}

}  // namespace

std::vector<std::size_t> draw_by_roulette(std::span<const double> values, std::size_t count,
                                          base::Random& random) {
  if (values.empty()) return {};
  const double least = std::ranges::min(values);
  std::vector<double> weights;
  std::vector<std::size_t> left;
  for (std::size_t i = 0; i < values.size(); ++i) {
    weights.push_back(values[i] - least + min_roulette_weight);
    left.push_back(i);
  }
  std::vector<std::size_t> drawn;
  while (drawn.size() < count && !left.empty()) {
    const std::size_t place = random.weighted(weights);
    drawn.push_back(left[place]);
    left.erase(left.begin() + static_cast<std::ptrdiff_t>(place));
    weights.erase(weights.begin() + static_cast<std::ptrdiff_t>(place));
  }
  return drawn;
}

std::vector<std::size_t> Breeding::survivors(std::span<const Individual> pool, std::size_t count,
                                             base::Random& /*random*/) const {
  return best_positions(predictions_of(pool), count);
}

std::vector<std::size_t> Breeding::parents(std::span<const Individual> population, std::size_t count,
                                           base::Random& random) const {
  return draw_by_roulette(predictions_of(population), count, random);
}

Declaration constrained_search_tuner(SearchStrategy strategy) {
  std::vector<HyperparameterDeclaration> settings = settings_of<RoundSettings>().declarations();
  settings.insert(settings.end(), strategy.settings.begin(), strategy.settings.end());
  const std::string& name = strategy.name;
  return {.name = name,
          .summary = strategy.summary,
          .source = strategy.source,
          .default_batch = 32,
          .hyperparameters = std::move(settings),
          .make = [name,
                   make = strategy.make_breeding](const Context& context) -> Result<std::unique_ptr<Tuner>> {
            TRY(check_search(context, name));
            auto features = TRY(chosen_features(context, name));
            return std::make_unique<ConstrainedSearch>(context, name, std::move(features),
                                                       make(context.settings));
          },
          .fits = [name](const Context& context) { return check_search(context, name); },
          .notice = [name](const Context& context) { return search_notice(context, name); },
          .series = search_series(name, strategy.drawn),
          .learns_from_features = true,
          .enforces_limits = true,
          // Without a model, a round is drawn from the solver's random solutions.
          .random_phase = integer_of<RoundSettings>(&RoundSettings::round_size)};
}

}  // namespace kernelscape::tuner
