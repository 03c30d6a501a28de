#include <algorithm>
#include <cmath>

#include "core/space/topology.h"
#include "core/tuner/good_forest.h"
#include "core/tuner/measured_rounds.h"
#include "core/tuner/population.h"
#include "core/tuner/typed_settings.h"

namespace kernelscape::tuner {
namespace {

struct LfboSettings {
  std::size_t population = 100;
  std::size_t copies = 5;
  std::int64_t generations = 20;
  double minimum_improvement = 0.001;
  double selected_share = 0.1;
  std::int64_t neighbours = 300;
  std::size_t radius = 2;
  double quantile = 0.1;
  std::int64_t patience = 1;
  double similarity_penalty = 1;
  int trees = 100;

  static SettingsOf<LfboSettings> table() {
    const std::string helion = "Helion, LFBOPatternSearch";
    return SettingsOf<LfboSettings>()
        .add("population", &LfboSettings::population, 1, 1'000'000, "configurations",
             "number of random trials at the start", helion + " (initial_population)")
        .add("copies", &LfboSettings::copies, 1, 100'000, "",
             "number of the best of them from which searches start", helion)
        .add("generations", &LfboSettings::generations, 1, 1'000'000, "", "number of steps of each search",
             helion + " (max_generations)")
        .add("minimum_improvement", &LfboSettings::minimum_improvement, 0, 1, "of the time",
             "a step that improves by less costs patience", helion + " (min_improvement_delta)")
        .add("selected_share", &LfboSettings::selected_share, 0.001, 1, "of the neighbours",
             "share of the drawn neighbours that are measured, rounded down", helion + " (frac_selected)")
        .add("neighbours", &LfboSettings::neighbours, 1, 1'000'000, "configurations",
             "number of draws in the neighbourhood of a search", helion + " (num_neighbors)")
        .add("radius", &LfboSettings::radius, 1, 1000, "",
             "largest number of steps of the first knob, and of further knobs that take a step", helion)
        .add("quantile", &LfboSettings::quantile, 0, 1, "of the valid trials",
             "share of the trials that count as good", helion)
        .add("patience", &LfboSettings::patience, 0, 1'000'000, "steps",
             "number of steps without improvement before the one that ends a search", helion)
        .add("similarity_penalty", &LfboSettings::similarity_penalty, 0, 1000, "",
             "weight of the similarity to the other selected neighbours", helion)
        .add("trees", &LfboSettings::trees, 1, 10'000, "", "number of trees of the random forest", helion);
  }
};

/** A search from one of the best configurations of the start. */
struct PatternSearch {
  trial::Observation current;
  std::int64_t patience = 0;
  std::vector<space::Configuration> selected;  ///< of the round
  bool active = true;
};

std::shared_ptr<const space::FeatureExtractor> pattern_features(const Context& context) {
  if (context.features.knob) return context.features.knob;
  return std::make_shared<space::KnobFeatures>(context.space);
}

/**
 * Helion's LFBO pattern search (Song et al. 2022 for the classifier): from several good configurations,
 * random neighbours are drawn, and those that a random forest takes for good, and that differ, are measured.
 * The first knob of a neighbour, a factorization or an ordinal as Helion's block sizes, moves up to `radius`
 * steps; up to as many others take one step. Failed trials are never good. Neighbours that are no members are
 * left out. A batch is a part of a generation of all searches.
 */
class LfboTuner final : public MeasuredRounds {
 public:
  explicit LfboTuner(const Context& context)
      : MeasuredRounds(context),
        settings_(read_settings<LfboSettings>(context.settings)),
        forest_(pattern_features(context), settings_.trees, context.random.fork("forest").seed()),
        seen_(context.space) {
    for (std::size_t knob = 0; knob < space().knobs().size(); ++knob) {
      const space::KnobKind kind = space().knobs()[knob].kind();
      if (space().knobs()[knob].count() < 2) continue;
      movable_.push_back(knob);
      if (kind == space::KnobKind::Factorization || kind == space::KnobKind::Ordinal) scales_.push_back(knob);
    }
    if (scales_.empty()) scales_ = movable_;
  }

  std::vector<trial::SeriesValue> series(std::size_t /*position*/) const override {
    std::vector<trial::SeriesValue> values;
    neighbours_.report(values);
    return values;
  }

 protected:
  std::vector<space::Configuration> start_round() override {
    generation_ = 0;
    searches_.clear();
    neighbours_ = {};
    return take_fresh(settings_.population);
  }

  std::vector<space::Configuration> next_round() override {
    if (++generation_ > settings_.generations) return {};
    if (!forest_.fit(trials_, settings_.quantile)) return {};
    std::vector<space::Configuration> round;
    neighbours_ = {};
    for (PatternSearch& search : searches_) {
      if (!search.active) continue;
      search.selected = selected_around(search.current.configuration);
      search.active = !search.selected.empty();
      round.insert(round.end(), search.selected.begin(), search.selected.end());
    }
    return round;
  }

  void finish_round(std::span<const trial::Observation> round) override {
    trials_.insert(trials_.end(), round.begin(), round.end());
    for (const trial::Observation& trial : round) seen_.insert(trial.configuration);
    if (generation_ == 0) {
      for (const space::Configuration& best : best_of_history(space(), round, settings_.copies)) {
        const auto trial = std::ranges::find(round, best, &trial::Observation::configuration);
        searches_.push_back({*trial, settings_.patience, {}});
      }
      return;
    }
    std::size_t next = 0;
    for (PatternSearch& search : searches_) {
      if (!search.active) continue;
      step(search, round.subspan(next, search.selected.size()));
      next += search.selected.size();
    }
  }

 private:
  /** Moves a search to the best of its trials, and ends it when its patience is used up. */
  void step(PatternSearch& search, std::span<const trial::Observation> trials) const {
    const auto best = std::ranges::max_element(trials, {}, &trial::Observation::fitness);
    const double before = search.current.fitness;
    if (best->fitness > before) search.current = *best;
    const bool improved =
        best->fitness > before && 1 - before / best->fitness >= settings_.minimum_improvement;
    if (!improved && --search.patience < 0) search.active = false;
  }

  std::vector<space::Configuration> selected_around(const space::Configuration& from) {
    std::vector<space::Configuration> candidates;
    for (std::int64_t draw = 0; draw < settings_.neighbours && !movable_.empty(); ++draw) {
      space::Configuration neighbour = neighbour_of(from);
      const bool member = space().contains(neighbour);
      neighbours_.count(member);
      if (member && seen_.insert(neighbour)) candidates.push_back(std::move(neighbour));
    }
    const auto count =
        static_cast<std::size_t>(settings_.selected_share * static_cast<double>(candidates.size() + 1));
    std::vector<space::Configuration> selected;
    for (const std::size_t i : forest_.select(candidates, count, settings_.similarity_penalty, random()))
      selected.push_back(candidates[i]);
    return selected;
  }

  space::Configuration neighbour_of(const space::Configuration& from) {
    space::Configuration to = from;
    const auto take_step = [&](std::size_t knob) {
      to.indices[knob] = space::random_neighbour(space().knobs()[knob], to.indices[knob], random());
    };
    const std::size_t scale = scales_[random().below(scales_.size())];
    for (std::size_t steps = 1 + random().below(settings_.radius); steps > 0; --steps) take_step(scale);
    std::vector<std::size_t> others;
    for (const std::size_t knob : movable_)
      if (knob != scale) others.push_back(knob);
    random().shuffle(std::span(others));
    const std::size_t changed = random().below(std::min(settings_.radius, others.size()) + 1);
    for (std::size_t i = 0; i < changed; ++i) take_step(others[i]);
    return to;
  }

  LfboSettings settings_;
  GoodForest forest_;
  ConfigurationSet seen_;             ///< measured, or drawn as a neighbour and not selected
  std::vector<std::size_t> movable_;  ///< knobs with more than one value
  std::vector<std::size_t> scales_;   ///< of these, factorizations and ordinals if there are any
  std::vector<trial::Observation> trials_;
  std::vector<PatternSearch> searches_;
  std::int64_t generation_ = 0;
  DrawnChildren neighbours_;  ///< of the generation
};

}  // namespace

Declaration lfbo_tuner() {
  return {.name = "lfbo",
          .summary = "pattern search from several starts, among whose neighbours a random forest selects",
          .source = "Helion's LFBOPatternSearch; Song et al. 2022",
          .default_batch = 64,
          .hyperparameters = settings_of<LfboSettings>().declarations(),
          .make = [](const Context& context) -> Result<std::unique_ptr<Tuner>> {
            return std::make_unique<LfboTuner>(context);
          },
          .series = {member_share_series("neighbours that lfbo draws for a generation")},
          .starts_with_best = true,
          .random_phase = integer_of<LfboSettings>(&LfboSettings::population)};
}

}  // namespace kernelscape::tuner
