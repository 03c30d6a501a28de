#include <algorithm>
#include <functional>
#include <utility>

#include "core/space/grid_coordinates.h"
#include "core/space/member_walk.h"
#include "core/tuner/declaration.h"
#include "core/tuner/member_pool.h"
#include "core/tuner/scored_members.h"
#include "core/tuner/start_design.h"
#include "core/tuner/transfer.h"
#include "core/tuner/typed_settings.h"

namespace kernelscape::tuner {
namespace {

/** The weight of each source that a session learns from. */
constexpr std::string_view source_weight_series = "source_weight {}";

SettingsOf<surrogate::SpaceModelOptions> model_settings() {
  return SettingsOf<surrogate::SpaceModelOptions>()
      .add("damping", &surrogate::SpaceModelOptions::damping, 0, 0.999, "",
           "share of a column's correlation that remains at any distance", "ours")
      .add("cap_from", &surrogate::SpaceModelOptions::cap_from, 1, 1'000'000, "trials",
           "number of valid trials from which on slow trials are distinguished less", "ours")
      .add("cap_margin", &surrogate::SpaceModelOptions::cap_margin, 1e-6, 100, "of ln time",
           "minimum distance between the best trial and the slow trials", "ours")
      .add("cap_slope", &surrogate::SpaceModelOptions::cap_slope, 0.001, 1, "",
           "factor on the ln time of slow trials beyond that distance", "ours")
      .add("exponential_from", &surrogate::SpaceModelOptions::exponential_from, 0, 1'000'000'000, "trials",
           "number of valid trials from which on the correlation is exponential; before, it is Matern 3/2",
           "ours")
      .add("nugget", submember(&surrogate::SpaceModelOptions::prior, &surrogate::KernelPrior::nugget), 1e-9,
           1, "of the variance",
           "noise, unless the samples of trials have a larger variance; median of its prior in a fit", "ours")
      .add("model_trials", &surrogate::SpaceModelOptions::max_trials, 10, 20'000, "trials",
           "maximum number of trials in the model; if there are more, half of them are the best and half "
           "random",
           "ours")
      .add("feasibility_nugget", &surrogate::SpaceModelOptions::feasibility_nugget, 1e-6, 10,
           "of the variance", "noise in the model of the validity of configurations", "ours")
      .add("least_feasibility", &surrogate::SpaceModelOptions::min_feasibility, 1e-9, 1, "",
           "minimum predicted probability that a configuration is valid", "ours");
}

SettingsOf<surrogate::KernelPrior> prior_settings() {
  return SettingsOf<surrogate::KernelPrior>()
      .add("lengthscale_deviation", &surrogate::KernelPrior::lengthscale_deviation, 1e-3, 100, "",
           "standard deviation of the prior of ln lengthscale, whose mean is 0", "ours")
      .add("least_lengthscale", &surrogate::KernelPrior::min_lengthscale, 1e-6, 1, "of the column's range",
           "in a fit", "ours")
      .add("most_lengthscale", &surrogate::KernelPrior::max_lengthscale, 1, 1e6, "of the column's range",
           "in a fit", "ours")
      .add("nugget_deviation", &surrogate::KernelPrior::nugget_deviation, 1e-3, 100, "",
           "standard deviation of the prior of ln nugget", "ours")
      .add("least_nugget", &surrogate::KernelPrior::min_nugget, 1e-9, 1, "of the variance", "in a fit",
           "ours")
      .add("most_nugget", &surrogate::KernelPrior::max_nugget, 1e-6, 100, "of the variance", "in a fit",
           "ours");
}

SettingsOf<surrogate::FitSteps> step_settings() {
  return SettingsOf<surrogate::FitSteps>()
      .add("step_size", &surrogate::FitSteps::first_size, 1e-3, 10, "",
           "step size at the start of the search", "ours")
      .add("step_growth", &surrogate::FitSteps::success_growth, 1, 10, "",
           "factor of the step size after a success", "ours")
      .add("most_step_size", &surrogate::FitSteps::max_size, 1e-3, 10, "", "maximum step size", "ours")
      .add("step_decay", &surrogate::FitSteps::failure_decay, 0.01, 1, "",
           "factor of the step size after a failure", "ours")
      .add("least_step_size", &surrogate::FitSteps::min_size, 1e-3, 10, "", "minimum step size", "ours")
      .add("single_step", &surrogate::FitSteps::single_step, 0, 100, "step sizes",
           "step of a single lengthscale", "ours")
      .add("single_nugget_step", &surrogate::FitSteps::single_nugget_step, 0, 100, "step sizes",
           "step of the nugget alone", "ours")
      .add("joint_probability", &surrogate::FitSteps::joint_probability, 0, 1, "",
           "probability of a joint step of all lengthscales and the nugget", "ours")
      .add("joint_step", &surrogate::FitSteps::joint_step, 0, 100, "step sizes",
           "step of the lengthscales in a joint step", "ours")
      .add("joint_nugget_step", &surrogate::FitSteps::joint_nugget_step, 0, 100, "step sizes",
           "step of the nugget in a joint step", "ours");
}

SettingsOf<surrogate::SpaceModelOptions> fit_settings() {
  return SettingsOf<surrogate::SpaceModelOptions>()
      .add("fit_from", &surrogate::SpaceModelOptions::fit_from, 2, 1'000'000'000, "trials",
           "number of valid trials from which on lengthscales are fitted; before, all are 1", "ours")
      .add("refit_growth", &surrogate::SpaceModelOptions::refit_growth, 1.001, 1000, "of the valid trials",
           "growth of the number of valid trials after which lengthscales are fitted again", "ours")
      .add("fit_trials", &surrogate::SpaceModelOptions::fit_trials, 4, 2000, "trials",
           "maximum number of trials in a fit: half of them the best, half random", "ours")
      .add("fit_proposals", submember(&surrogate::SpaceModelOptions::steps, &surrogate::FitSteps::proposals),
           0, 100'000, "", "number of proposals in the search for lengthscales and nugget", "ours")
      .group(&surrogate::SpaceModelOptions::prior, prior_settings())
      .group(&surrogate::SpaceModelOptions::steps, step_settings());
}

struct GpSettings {
  std::size_t start_points = 4;
  StartRule start = StartRule::Representative;
  std::int64_t start_candidates = 200;
  std::int64_t min_valid = 2;
  std::size_t whole_space_members = 100'000;
  MemberPoolOptions pool = {};
  bool learn_from_history = true;
  bool random_ties = true;
  std::int64_t source_trials = 500;
  surrogate::SpaceModelOptions model = {};

  static SettingsOf<GpSettings> table() {
    const auto pool = [](auto member) { return submember(&GpSettings::pool, member); };
    return SettingsOf<GpSettings>()
        .add("start_points", &GpSettings::start_points, 1, 10'000, "trials",
             "number of first trials, spread over the space before anything is known", "ours")
        .choice("start", &GpSettings::start,
                {{"representative", StartRule::Representative}, {"farthest", StartRule::Farthest}},
                "rule for the next start point: it minimizes the distances of random feasible configurations "
                "to their nearest start point, or is farthest from all start points",
                "ours")
        .add("start_candidates", &GpSettings::start_candidates, 1, 10'000, "configurations",
             "number of random feasible configurations from which the next start point is chosen", "ours")
        .add("least_valid", &GpSettings::min_valid, 1, 1000, "trials",
             "number of valid trials that the model needs; until then, candidates are random", "ours")
        .add("whole_space_members", &GpSettings::whole_space_members, 0, 10'000'000, "configurations",
             "maximum size of a space that is scored as a whole; larger spaces are scored by pools", "ours")
        .add("pool_members", pool(&MemberPoolOptions::random_members), 1, 10'000'000, "configurations",
             "number of random feasible configurations in a pool, which is drawn again for each batch",
             "ours")
        .add("pool_climbs", pool(&MemberPoolOptions::climbs), 0, 1000, "",
             "number of times, per candidate, that the neighbours of a pool's best configurations are added "
             "to it",
             "ours")
        .add("pool_parents", pool(&MemberPoolOptions::parents), 1, 100'000, "trials",
             "number of the best trials whose neighbours, recombinations and walks are in the pool", "ours")
        .add("learn_from_history", &GpSettings::learn_from_history,
             "the model learns from the trials of a warm start, and the best of them are measured first",
             "ours")
        .choice("believer", submember(&GpSettings::model, &surrogate::SpaceModelOptions::beliefs_gain),
                {{"gain", true}, {"plain", false}},
                "how the model treats earlier candidates of the same batch: only their predicted gain "
                "counts, without an effect on the estimated noise and variance; or as plain trials",
                "ours")
        .before("plain")
        .choice("pools", pool(&MemberPoolOptions::once), {{"climbing", false}, {"once", true}},
                "whether a pool climbs before each candidate, with recombinations and walks of the best "
                "trials, or once per batch, keeping only the best",
                "ours")
        .before("once")
        .choice("ties", &GpSettings::random_ties, {{"random", true}, {"first", false}},
                "which of several equally promising configurations is next", "ours")
        .before("first")
        .add("source_trials", &GpSettings::source_trials, 10, 20'000, "trials",
             "maximum number of trials in the model of each source that the session learns from; "
             "configurations that the source measured are predicted by their times in any case",
             "ours")
        .group(&GpSettings::model, model_settings())
        .group(&GpSettings::model, fit_settings());
  }
};

/**
 * Expected improvement under a Gaussian process with a damped product kernel, times the probability of being
 * valid, over all members or a fresh pool of them (README.md, How gp works).
 */
class GaussianProcessTuner final : public Tuner {
 public:
  GaussianProcessTuner(const Context& context, std::optional<std::vector<space::Configuration>> members)
      : space_(context.space),
        settings_(read_settings<GpSettings>(context.settings)),
        ties_(context.random.fork("ties")),
        visited_(context.space, context.random.fork("random members")),
        start_design_(context.space, settings_.start, settings_.start_candidates,
                      context.random.fork("start")),
        coordinates_(context.space, members ? &*members : nullptr),
        model_(coordinates_.columns(), settings_.model, context.random.fork("fit")),
        pool_(context.space, coordinates_, visited_, settings_.pool, context.random.fork("pool")) {
    if (members) whole_space_.emplace(std::move(*members), coordinates_);
    learn_sources(context);
    if (settings_.learn_from_history) learn_history(context.history);
  }

  Result<Proposal> propose(std::size_t n) override {
    model_.update();
    searched_.clear();
    std::vector<space::Configuration> candidates = started_ < settings_.start_points ? start(n) : search(n);
    if (candidates.empty()) return visited_.finished();
    return candidates;
  }

  void observe(std::span<const trial::Observation> observations) override {
    for (const trial::Observation& observation : observations) learn(observation);
  }

  /** Uses the model at the time of the proposal: trials are added to it at the next proposal. */
  std::vector<trial::SeriesValue> series(std::size_t position) const override {
    // Before a valid trial, what sources predict has no unit.
    if (position >= searched_.size() || model_.valid_trials() == 0) return {};
    const surrogate::Belief belief = model_.predict(searched_[position]);
    std::vector<trial::SeriesValue> values{{"predicted_mean", belief.fitness},
                                           {"predicted_deviation", belief.deviation}};
    if (model_.feasibility() != nullptr) values.push_back({"feasibility", belief.feasibility});
    for (std::size_t source = 0; source < source_names_.size(); ++source)
      values.push_back({trial::name_member(source_weight_series, source_names_[source]),
                        model_.weights()[source].weight * model_.weights()[source].slope});
    if (!model_.fitted()) return values;
    const std::vector<double>& lengthscales = model_.performance().kernel().lengthscales();
    for (std::size_t column = 0; column < lengthscales.size(); ++column)
      values.push_back({trial::name_member(trial::lengthscale_series, coordinates_.names()[column]),
                        lengthscales[column]});
    return values;
  }

 private:
  void learn(const trial::Observation& observation) {
    const bool valid = observation.category == trial::ErrorCategory::NoError;
    model_.observe(
        {coordinates_.of(observation.configuration), observation.fitness, valid, observation.spread});
    if (observation.fitness > 0) valid_.push_back(observation);
  }

  /** Adds the models of related spaces to the model of this space. */
  void learn_sources(const Context& context) {
    if (context.sources.empty()) return;
    surrogate::SpaceModelOptions options = settings_.model;
    options.max_trials = settings_.source_trials;
    const base::Random random = context.random.fork("sources");
    std::vector<std::shared_ptr<const surrogate::SourceModel>> models;
    for (const std::shared_ptr<const SourceTrials>& source : context.sources) {
      models.push_back(
          source_model(space_, coordinates_, *source, options, random.fork(std::to_string(models.size()))));
      source_names_.push_back(source->name);
      for (space::Configuration& best : best_of_source(space_, *source, settings_.pool.parents))
        source_best_.push_back(std::move(best));
    }
    model_.learn_from(std::move(models));
  }

  /** Adds the trials of other sessions to the model; the best of them are measured first. */
  void learn_history(const std::vector<trial::Observation>& history) {
    for (const trial::Observation& observation : history)
      if (space_.contains(observation.configuration)) learn(observation);
    for (const space::Configuration& best : best_valid(settings_.start_points)) history_best_.push_back(best);
    std::ranges::reverse(history_best_);
  }

  /** Returns the configurations of the valid trials, best first. */
  std::vector<space::Configuration> best_valid(std::size_t most) const {
    std::vector<const trial::Observation*> order;
    for (const trial::Observation& observation : valid_) order.push_back(&observation);
    std::ranges::stable_sort(order, std::ranges::greater(), &trial::Observation::fitness);
    if (order.size() > most) order.resize(most);
    std::vector<space::Configuration> best;
    for (const trial::Observation* observation : order) best.push_back(observation->configuration);
    return best;
  }

  std::vector<space::Configuration> start(std::size_t n) {
    std::vector<space::Configuration> candidates;
    while (candidates.size() < n && started_ < settings_.start_points) {
      std::optional<space::Configuration> point = next_start_point();
      if (!point) break;
      candidates.push_back(std::move(*point));
      ++started_;
    }
    return candidates;
  }

  std::optional<space::Configuration> next_start_point() {
    while (!history_best_.empty()) {
      space::Configuration best = std::move(history_best_.back());
      history_best_.pop_back();
      if (!visited_.insert(best)) continue;
      start_design_.add(coordinates_.of(best));
      return best;
    }
    // Every second one is as without sources, so that wrong sources are recognized soon.
    if (!source_names_.empty() && started_ % 2 == 0) {
      if (!predicted_starts_) predict_starts();
      while (std::optional<space::Configuration> member = predicted_starts_->next()) {
        if (!visited_.insert(*member)) continue;
        start_design_.add(coordinates_.of(*member));
        return member;
      }
    }
    return start_design_.next(coordinates_, visited_);
  }

  /** Selects the members among which start points are spread: the best by what the sources predict. */
  void predict_starts() {
    constexpr std::size_t members_per_start = 8;
    const std::size_t most = members_per_start * settings_.start_points;
    if (!whole_space_) pool_.draw(model_, source_best_);
    predicted_starts_.emplace(
        whole_space_ ? whole_space_->best_members(model_, visited_, most) : pool_.best_members(model_, most),
        coordinates_);
  }

  /** Returns the configurations around which a pool is drawn. */
  std::vector<space::Configuration> elites() const {
    std::vector<space::Configuration> elites = best_valid(settings_.pool.parents);
    elites.insert(elites.end(), source_best_.begin(), source_best_.end());
    return elites;
  }

  std::vector<space::Configuration> search(std::size_t n) {
    std::vector<space::Configuration> candidates;
    if (model_.valid_trials() < settings_.min_valid && source_names_.empty()) {
      while (candidates.size() < n) {
        auto member = visited_.take_random();
        if (!member) break;
        candidates.push_back(std::move(*member));
      }
      return candidates;
    }
    if (!whole_space_) pool_.draw(model_, elites());
    while (candidates.size() < n) {
      auto pick = take_best();
      if (!pick) break;
      candidates.push_back(std::move(*pick));
    }
    model_.take_back_beliefs();
    for (const space::Configuration& candidate : candidates) searched_.push_back(coordinates_.of(candidate));
    return candidates;
  }

  /**
   * Takes the best candidate by trials and predictions, or a random member if all members of a pool were
   * visited.
   */
  std::optional<space::Configuration> take_best() {
    std::optional<space::Configuration> best = best_unvisited(settings_.random_ties ? &ties_ : nullptr);
    if (!best) return visited_.take_random();
    visited_.insert(*best);
    model_.believe(coordinates_.of(*best));
    return best;
  }

  std::optional<space::Configuration> best_unvisited(base::Random* ties) {
    if (!whole_space_) return pool_.best(model_, ties);
    const std::optional<std::size_t> best = whole_space_->best(model_, visited_, ties);
    if (!best) return std::nullopt;
    return whole_space_->member(*best);
  }

  space::SearchSpace space_;
  GpSettings settings_;
  base::Random ties_;
  Visited visited_;
  StartDesign start_design_;
  space::GridCoordinates coordinates_;
  surrogate::SpaceModel model_;
  MemberPool pool_;                           ///< for a space that is too large to be scored as a whole
  std::optional<ScoredMembers> whole_space_;  ///< nullopt if the space is too large
  std::size_t started_ = 0;
  std::vector<std::string> source_names_;          ///< of the related spaces, in the order of the model's
  std::vector<space::Configuration> source_best_;  ///< members like the fastest trials of the sources
  std::optional<PredictedStarts> predicted_starts_;
  std::vector<space::Configuration> history_best_;  ///< to be measured in this session, best last
  std::vector<trial::Observation> valid_;
  std::vector<base::GridPoint> searched_;  ///< the last proposal; empty for start points and random members
};

Result<std::unique_ptr<Tuner>> make_gp_tuner(const Context& context) {
  const std::size_t most = read_settings<GpSettings>(context.settings).whole_space_members;
  return std::make_unique<GaussianProcessTuner>(context, space::listed_members(context.space, most));
}

Status check_gp(const Context& context) {
  const surrogate::SpaceModelOptions model = read_settings<GpSettings>(context.settings).model;
  if (model.prior.max_nugget < model.prior.min_nugget) {
    return fail(ErrorCode::InvalidArgument, "tuner gp: most_nugget is below least_nugget",
                "make most_nugget the larger one");
  }
  if (model.steps.max_size < model.steps.min_size) {
    return fail(ErrorCode::InvalidArgument, "tuner gp: most_step_size is below least_step_size",
                "make most_step_size the larger one");
  }
  for (const std::shared_ptr<const SourceTrials>& source : context.sources)
    TRY(check_source(context.space, *source));
  return {};
}

std::vector<trial::SeriesDescription> gp_series() {
  return {
      predicted_mean_series("gp's Gaussian process, from its posterior on the logarithm of the time"),
      predicted_deviation_series("of the posterior of gp's Gaussian process with the noise of a measurement"),
      {.name = "feasibility",
       .title = "Predicted probability that the trial is valid",
       .unit = trial::SeriesUnit::Share,
       .meaning = "The probability that a second model predicted for the trial when it was proposed; "
                  "reported once a trial has failed. A configuration that is probably invalid is measured "
                  "only if its expected improvement is large."},
      {.name = std::string(source_weight_series),
       .title = "Weight of {}",
       .steps = true,
       .meaning =
           "The factor with which the model adds what {} predicts for the logarithm of the time: the "
           "source's weight, which follows how well it ranks the trials so far, times the slope rho. 0: "
           "the source predicts no better than none.",
       .group = "Sources"},
      {.name = std::string(trial::lengthscale_series),
       .title = "Lengthscale of {}",
       .unit = trial::SeriesUnit::ColumnRange,
       .steps = true,
       .meaning = "The lengthscale of the Gaussian process along {}, in units of the column's whole range. "
                  "Short: a small change of the value changes the performance, so the column matters; long: "
                  "configurations that differ only in it have similar performance. Fitted again as trials "
                  "are added; until enough of them are valid, all columns have 1.",
       .group = "Lengthscales"}};
}

LearntRelevance gp_relevance(const SettingValues& settings, std::int64_t valid_trials) {
  const surrogate::SpaceModelOptions options = read_settings<GpSettings>(settings).model;
  return {options.fit_from, {options.correlation(valid_trials), options.damping}};
}

}  // namespace

Declaration gp_tuner() {
  return {.name = "gp",
          .summary = "expected improvement under a Gaussian process made for kernel spaces",
          .source = "ours",
          .default_batch = batch_of_builders,
          .hyperparameters = settings_of<GpSettings>().declarations(),
          .make = [](const Context& context) -> Result<std::unique_ptr<Tuner>> {
            TRY(check_gp(context));
            return make_gp_tuner(context);
          },
          .fits = check_gp,
          .series = gp_series(),
          .starts_with_best = true,
          .learns_from_sources = true,
          .random_phase = integer_of<GpSettings>(&GpSettings::start_points),
          .relevance = gp_relevance};
}

}  // namespace kernelscape::tuner
