#include <fmt/format.h>

#include <algorithm>

#include "core/tuner/genes.h"
#include "core/tuner/population.h"
#include "core/tuner/typed_settings.h"

namespace kernelscape::tuner {
namespace {

struct GaSettings {
  std::size_t population = 100;
  std::size_t elites = 3;
  double mutation_probability = 0.1;

  static SettingsOf<GaSettings> table() {
    return SettingsOf<GaSettings>()
        .add("population", &GaSettings::population, 1, 100'000, "configurations",
             "number of candidates per generation", "AutoTVM, GATuner (pop_size)")
        .add("elites", &GaSettings::elites, 0, 100'000, "configurations",
             "number of the best candidates so far that are also parents of the next generation",
             "AutoTVM, GATuner (elite_num)")
        .add("mutation_probability", &GaSettings::mutation_probability, 0, 1, "",
             "probability that a gene of a child gets a random value", "AutoTVM, GATuner (mutation_prob)");
  }
};

/** AutoTVM's GATuner. Elites are only parents; the other parents are the last generation. */
class GeneticTuner final : public Tuner {
 public:
  explicit GeneticTuner(const Context& context)
      : space_(context.space),
        settings_(read_settings<GaSettings>(context.settings)),
        random_(context.random.fork("genetic operators")),
        visited_(context.space, context.random.fork("random members")),
        generation_(initial_population(context, visited_, settings_.population)) {}

  Result<Proposal> propose(std::size_t n) override {
    if (generation_.exhausted()) generation_ = next_generation();
    return next_proposal(generation_, n, visited_);
  }

  void observe(std::span<const trial::Observation> observations) override {
    generation_.observe(observations);
  }

  std::vector<trial::SeriesValue> series(std::size_t /*position*/) const override {
    std::vector<trial::SeriesValue> values;
    visited_.drawn().report(values);
    return values;
  }

 private:
  Generation next_generation() {
    std::vector<trial::Observation> parents = generation_.observed();
    parents.insert(parents.end(), elites_.begin(), elites_.end());
    if (parents.empty()) return {};
    std::vector<double> scores;
    for (const trial::Observation& parent : parents) scores.push_back(parent.fitness);
    elites_.clear();
    for (const std::size_t best : best_positions(scores, settings_.elites)) elites_.push_back(parents[best]);
    std::vector<space::Configuration> genes;
    for (const trial::Observation& parent : parents) genes.push_back(parent.configuration);
    for (double& score : scores) score += min_parent_weight;

    visited_.begin_drawing();
    std::vector<space::Configuration> children;
    while (children.size() < settings_.population) {
      auto child = visited_.take_child(random_, [&](base::Random& random) {
        return breed_child(genes, scores, space_.knobs(), settings_.mutation_probability, random);
      });
      if (!child) break;
      children.push_back(std::move(*child));
    }
    return Generation(std::move(children));
  }

  space::SearchSpace space_;
  GaSettings settings_;
  base::Random random_;
  Visited visited_;
  Generation generation_;
  std::vector<trial::Observation> elites_;
};

Status check_genetic(const Context& context) {
  const auto settings = read_settings<GaSettings>(context.settings);
  if (settings.elites > settings.population) {
    return fail(ErrorCode::InvalidArgument,
                fmt::format("tuner ga: the number of elites, {}, exceeds the population of {}",
                            settings.elites, settings.population),
                "set elites to at most the population");
  }
  return {};
}

Result<std::unique_ptr<Tuner>> make_genetic_tuner(const Context& context) {
  TRY(check_genetic(context));
  return std::make_unique<GeneticTuner>(context);
}

}  // namespace

Declaration ga_tuner() {
  return {.name = "ga",
          .summary = "genetic algorithm on measured fitness",
          .source = "AutoTVM's GATuner",
          .default_batch = 100,
          .hyperparameters = settings_of<GaSettings>().declarations(),
          .make = make_genetic_tuner,
          .fits = check_genetic,
          .series = {member_share_series("children of a generation of ga")},
          .starts_with_best = true,
          .random_phase = integer_of<GaSettings>(&GaSettings::population)};
}

}  // namespace kernelscape::tuner
