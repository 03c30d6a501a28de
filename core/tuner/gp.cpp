#include <algorithm>
#include <functional>
#include <utility>

#include "core/space/grid_coordinates.h"
#include "core/space/member_walk.h"
#include "core/tuner/declaration.h"
#include "core/tuner/member_pool.h"
#include "core/tuner/scored_members.h"
#include "core/tuner/start_design.h"

namespace kernelscape {
namespace {

SpaceModelOptions model_options(const SettingValues& settings) {
  SpaceModelOptions options{.damping = settings.real("damping"),
                            .cap_from = settings.integer("cap_from"),
                            .cap_margin = settings.real("cap_margin"),
                            .cap_slope = settings.real("cap_slope"),
                            .exponential_from = settings.integer("exponential_from"),
                            .fit_from = settings.integer("fit_from"),
                            .refit_growth = settings.real("refit_growth"),
                            .fit_trials = settings.integer("fit_trials"),
                            .most_trials = settings.integer("model_trials"),
                            .feasibility_nugget = settings.real("feasibility_nugget"),
                            .least_feasibility = settings.real("least_feasibility"),
                            .beliefs_gain = settings.text("believer") == "gain"};
  options.prior = {.lengthscale_deviation = settings.real("lengthscale_deviation"),
                   .least_lengthscale = settings.real("least_lengthscale"),
                   .most_lengthscale = settings.real("most_lengthscale"),
                   .nugget = settings.real("nugget"),
                   .nugget_deviation = settings.real("nugget_deviation"),
                   .least_nugget = settings.real("least_nugget"),
                   .most_nugget = settings.real("most_nugget")};
  options.steps = {.proposals = static_cast<int>(settings.integer("fit_proposals")),
                   .first_size = settings.real("step_size"),
                   .success_growth = settings.real("step_growth"),
                   .most_size = settings.real("most_step_size"),
                   .failure_decay = settings.real("step_decay"),
                   .least_size = settings.real("least_step_size"),
                   .single_step = settings.real("single_step"),
                   .single_nugget_step = settings.real("single_nugget_step"),
                   .joint_probability = settings.real("joint_probability"),
                   .joint_step = settings.real("joint_step"),
                   .joint_nugget_step = settings.real("joint_nugget_step")};
  return options;
}

MemberPoolOptions pool_options(const SettingValues& settings) {
  return {.random_members = settings.integer("pool_members"),
          .climbs = settings.integer("pool_climbs"),
          .parents = static_cast<std::size_t>(settings.integer("pool_parents")),
          .once = settings.text("pools") == "once"};
}

/**
 * Expected improvement under a Gaussian process with a damped product kernel, times the probability of being
 * valid, over all members or a fresh pool of them (notes on the tuner).
 */
class GaussianProcessTuner final : public Tuner {
 public:
  GaussianProcessTuner(const TunerContext& context, std::optional<std::vector<Configuration>> members)
      : space_(context.space),
        start_points_(static_cast<std::size_t>(context.settings.integer("start_points"))),
        least_valid_(context.settings.integer("least_valid")),
        pool_parents_(static_cast<std::size_t>(context.settings.integer("pool_parents"))),
        random_ties_(context.settings.text("ties") == "random"),
        ties_(context.random.fork("ties")),
        visited_(context.space, context.random.fork("random members")),
        start_design_(
            context.space,
            context.settings.text("start") == "farthest" ? StartRule::Farthest : StartRule::Representative,
            context.settings.integer("start_candidates"), context.random.fork("start")),
        coordinates_(context.space, members ? &*members : nullptr),
        model_(coordinates_.columns(), model_options(context.settings), context.random.fork("fit")),
        pool_(context.space, coordinates_, visited_, pool_options(context.settings),
              context.random.fork("pool")) {
    if (members) whole_space_.emplace(std::move(*members), coordinates_);
    if (context.settings.boolean("learn_from_history")) learn_history(context.history);
  }

  Result<Proposal> propose(std::size_t n) override {
    model_.update();
    searched_.clear();
    std::vector<Configuration> candidates = started_ < start_points_ ? start(n) : search(n);
    if (candidates.empty()) return visited_.finished();
    return candidates;
  }

  void observe(std::span<const Observation> observations) override {
    for (const Observation& observation : observations) learn(observation);
  }

  /** By the model as it was when the candidate was proposed: it learns of trials at the next proposal. */
  std::vector<SeriesValue> series(std::size_t position) const override {
    if (position >= searched_.size()) return {};
    const Belief belief = model_.believe_of(searched_[position]);
    std::vector<SeriesValue> values{{"predicted_mean", belief.fitness},
                                    {"predicted_deviation", belief.deviation}};
    if (model_.feasibility() != nullptr) values.push_back({"feasibility", belief.feasibility});
    if (!model_.fitted()) return values;
    const std::vector<double>& lengthscales = model_.performance().kernel().lengthscales();
    for (std::size_t column = 0; column < lengthscales.size(); ++column)
      values.push_back({name_member(lengthscale_series, coordinates_.names()[column]), lengthscales[column]});
    return values;
  }

 private:
  void learn(const Observation& observation) {
    const bool valid = observation.category == ErrorCategory::NoError;
    model_.observe(
        {coordinates_.of(observation.configuration), observation.fitness, valid, observation.spread});
    if (observation.fitness > 0) valid_.push_back(observation);
  }

  /** Trials of other sessions are trials to the model; the best of them are measured first. */
  void learn_history(const std::vector<Observation>& history) {
    for (const Observation& observation : history)
      if (space_.contains(observation.configuration)) learn(observation);
    for (const Configuration& best : best_valid(start_points_)) history_best_.push_back(best);
    std::ranges::reverse(history_best_);
  }

  /** Of the valid trials, best first. */
  std::vector<Configuration> best_valid(std::size_t most) const {
    std::vector<const Observation*> order;
    for (const Observation& observation : valid_) order.push_back(&observation);
    std::ranges::stable_sort(order, std::ranges::greater(), &Observation::fitness);
    if (order.size() > most) order.resize(most);
    std::vector<Configuration> best;
    for (const Observation* observation : order) best.push_back(observation->configuration);
    return best;
  }

  std::vector<Configuration> start(std::size_t n) {
    std::vector<Configuration> candidates;
    while (candidates.size() < n && started_ < start_points_) {
      std::optional<Configuration> point = next_start_point();
      if (!point) break;
      candidates.push_back(std::move(*point));
      ++started_;
    }
    return candidates;
  }

  std::optional<Configuration> next_start_point() {
    while (!history_best_.empty()) {
      Configuration best = std::move(history_best_.back());
      history_best_.pop_back();
      if (!visited_.insert(best)) continue;
      start_design_.add(coordinates_.of(best));
      return best;
    }
    return start_design_.next(coordinates_, visited_);
  }

  std::vector<Configuration> search(std::size_t n) {
    std::vector<Configuration> candidates;
    if (model_.valid_trials() < least_valid_) {
      while (candidates.size() < n) {
        auto member = visited_.take_random();
        if (!member) break;
        candidates.push_back(std::move(*member));
      }
      return candidates;
    }
    if (!whole_space_) pool_.draw(model_, best_valid(pool_parents_));
    while (candidates.size() < n) {
      auto pick = take_best();
      if (!pick) break;
      candidates.push_back(std::move(*pick));
    }
    model_.take_back_beliefs();
    for (const Configuration& candidate : candidates) searched_.push_back(coordinates_.of(candidate));
    return candidates;
  }

  /** The best by what is known and believed, or a random member where all of a pool was visited. */
  std::optional<Configuration> take_best() {
    std::optional<Configuration> best = best_unvisited(random_ties_ ? &ties_ : nullptr);
    if (!best) return visited_.take_random();
    visited_.insert(*best);
    model_.believe(coordinates_.of(*best));
    return best;
  }

  std::optional<Configuration> best_unvisited(Random* ties) {
    if (!whole_space_) return pool_.best(model_, ties);
    const std::optional<std::size_t> best = whole_space_->best(model_, visited_, ties);
    if (!best) return std::nullopt;
    return whole_space_->member(*best);
  }

  SearchSpace space_;
  std::size_t start_points_;
  std::int64_t least_valid_;
  std::size_t pool_parents_;
  bool random_ties_;
  Random ties_;
  Visited visited_;
  StartDesign start_design_;
  GridCoordinates coordinates_;
  SpaceModel model_;
  MemberPool pool_;                           ///< of a space that is too large
  std::optional<ScoredMembers> whole_space_;  ///< none: too large
  std::size_t started_ = 0;
  std::vector<Configuration> history_best_;  ///< to be measured here, best last
  std::vector<Observation> valid_;
  std::vector<GridPoint> searched_;  ///< the last proposal; empty for start points and random members
};

Result<std::unique_ptr<Tuner>> make_gp_tuner(const TunerContext& context) {
  const auto most = static_cast<std::size_t>(context.settings.integer("whole_space_members"));
  return std::make_unique<GaussianProcessTuner>(context, listed_members(context.space, most));
}

std::vector<HyperparameterDeclaration> start_and_scoring_settings() {
  const std::string ours = "ours";
  return {
      integer_setting("start_points", 4, 1, 10'000, "trials",
                      "spread over the space before anything is known", ours),
      choice_setting("start", {"representative", "farthest"},
                     "the next start point: what brings random members nearest to one, or what is farthest "
                     "from all of them",
                     ours),
      integer_setting("start_candidates", 200, 1, 10'000, "configurations",
                      "random members, of which one becomes the next start point", ours),
      integer_setting("least_valid", 2, 1, 1000, "trials",
                      "valid ones that the model needs; until then members are random", ours),
      integer_setting("whole_space_members", 100'000, 0, 10'000'000, "configurations",
                      "of a space that is scored as a whole; larger ones by pools", ours),
      integer_setting("pool_members", 2000, 1, 10'000'000, "configurations",
                      "random ones in a pool, which is drawn anew for each batch", ours),
      integer_setting("pool_climbs", 3, 0, 1000, "",
                      "times that the neighbours of a pool's best members join it, for each candidate", ours),
      integer_setting("pool_parents", 10, 1, 100'000, "trials",
                      "the best ones, whose neighbours, recombinations and walks are in the pool", ours),
      boolean_setting("learn_from_history", true,
                      "trials of the sessions of a warm start are trials to the model, and the best start",
                      ours),
  };
}

/** What gp did otherwise before these were settings. */
std::vector<HyperparameterDeclaration> batch_settings() {
  const std::string ours = "ours";
  const auto later = [&](std::string name, std::vector<std::string> choices, std::string documentation) {
    SettingValue before = choices.back();
    return later_setting(choice_setting(std::move(name), std::move(choices), std::move(documentation), ours),
                         std::move(before));
  };
  return {
      later("believer", {"gain", "plain"},
            "what the candidates before one in its batch are: a gain that is made, which says nothing of how "
            "far times scatter, or plain trials"),
      later(
          "pools", {"climbing", "once"},
          "climb again before each candidate, with recombinations and walks of the best trials; or once per "
          "batch, leaving all but the best behind"),
      later("ties", {"random", "first"}, "which of equally promising members is next"),
  };
}

std::vector<HyperparameterDeclaration> model_settings() {
  const std::string ours = "ours";
  return {
      real_setting("damping", 0.2, 0, 0.999, "",
                   "share of a column's correlation that no distance takes away", ours),
      integer_setting("cap_from", 5, 1, 1'000'000, "trials",
                      "valid ones from which on slow trials are told apart less", ours),
      real_setting("cap_margin", 0.05, 1e-6, 100, "of ln time",
                   "least distance between the best trial and the slow ones", ours),
      real_setting("cap_slope", 0.2, 0.001, 1, "", "of what slow trials are slower by", ours),
      integer_setting("exponential_from", 20, 0, 1'000'000'000, "trials",
                      "valid ones from which on the correlation is exponential, before: Matern 3/2", ours),
      real_setting("nugget", 1e-3, 1e-9, 1, "of the variance",
                   "noise, unless the samples of trials scatter more; median of its prior in a fit", ours),
      integer_setting("model_trials", 1000, 10, 20'000, "trials",
                      "in the model; of more, the best half and a random half", ours),
      real_setting("feasibility_nugget", 1e-2, 1e-6, 10, "of the variance",
                   "noise in the model of which configurations are valid", ours),
      real_setting("least_feasibility", 0.01, 1e-9, 1, "", "of a configuration that seems sure to fail",
                   ours),
  };
}

std::vector<HyperparameterDeclaration> fit_settings() {
  const std::string ours = "ours";
  return {
      integer_setting("fit_from", 20, 2, 1'000'000'000, "trials",
                      "valid ones from which on lengthscales are fitted; before, all are 1", ours),
      real_setting("refit_growth", 1.15, 1.001, 1000, "of the valid trials",
                   "after which they are fitted again", ours),
      integer_setting("fit_trials", 120, 4, 2000, "trials", "in a fit: half the best, half random", ours),
      integer_setting("fit_proposals", 40, 0, 100'000, "", "of the search for lengthscales and nugget", ours),
      real_setting("lengthscale_deviation", 1, 1e-3, 100, "",
                   "of the prior of ln lengthscale, whose mean is 0", ours),
      real_setting("least_lengthscale", 0.02, 1e-6, 1, "of the column's range", "in a fit", ours),
      real_setting("most_lengthscale", 50, 1, 1e6, "of the column's range", "in a fit", ours),
      real_setting("nugget_deviation", 1.5, 1e-3, 100, "", "of the prior of ln nugget", ours),
      real_setting("least_nugget", 1e-6, 1e-9, 1, "of the variance", "in a fit", ours),
      real_setting("most_nugget", 1, 1e-6, 100, "of the variance", "in a fit", ours),
      real_setting("step_size", 0.7, 1e-3, 10, "", "of the search at its start", ours),
      real_setting("step_growth", 1.3, 1, 10, "", "of the step size after a success", ours),
      real_setting("most_step_size", 1.2, 1e-3, 10, "", "the step size never exceeds it", ours),
      real_setting("step_decay", 0.95, 0.01, 1, "", "of the step size after a failure", ours),
      real_setting("least_step_size", 0.15, 1e-3, 10, "", "the step size never falls below it", ours),
      real_setting("single_step", 1.5, 0, 100, "step sizes", "of one lengthscale that moves alone", ours),
      real_setting("single_nugget_step", 3, 0, 100, "step sizes", "of the nugget that moves alone", ours),
      real_setting("joint_probability", 0.5, 0, 1, "", "of moving all lengthscales and the nugget", ours),
      real_setting("joint_step", 0.6, 0, 100, "step sizes", "of lengthscales that move together", ours),
      real_setting("joint_nugget_step", 0.5, 0, 100, "step sizes", "of the nugget that moves with them",
                   ours),
  };
}

std::vector<HyperparameterDeclaration> gp_hyperparameters() {
  std::vector<HyperparameterDeclaration> settings = start_and_scoring_settings();
  for (const auto& more : {batch_settings(), model_settings(), fit_settings()})
    settings.insert(settings.end(), more.begin(), more.end());
  return settings;
}

Status check_gp(const TunerContext& context) {
  const SettingValues& settings = context.settings;
  if (settings.real("most_nugget") < settings.real("least_nugget")) {
    return fail(ErrorCode::InvalidArgument, "tuner gp: most_nugget is below least_nugget",
                "make most_nugget the larger one");
  }
  if (settings.real("most_step_size") < settings.real("least_step_size")) {
    return fail(ErrorCode::InvalidArgument, "tuner gp: most_step_size is below least_step_size",
                "make most_step_size the larger one");
  }
  return {};
}

std::vector<SeriesDescription> gp_series() {
  return {
      predicted_mean_series("gp's Gaussian process by its posterior on the logarithm of the time"),
      predicted_deviation_series("of the posterior of gp's Gaussian process with the noise of a measurement"),
      {.name = "feasibility",
       .title = "Predicted probability that the trial is valid",
       .unit = SeriesUnit::Share,
       .meaning = "What a second model, of whether trials are valid, gave the trial when it was proposed; "
                  "reported once a trial has failed. A configuration that is probably invalid is tried "
                  "only where much is expected of it."},
      {.name = std::string(lengthscale_series),
       .title = "Lengthscale of {}",
       .unit = SeriesUnit::ColumnRange,
       .steps = true,
       .meaning = "How far the Gaussian process sees along {}, in units of the column's whole range. "
                  "Short: a small move changes the performance, so the column matters; long: "
                  "configurations that differ in it alone perform alike. Fitted again as trials come; "
                  "until enough of them are valid all columns have 1.",
       .group = "Lengthscales"}};
}

LearntRelevance gp_relevance(const SettingValues& settings, std::int64_t valid_trials) {
  const SpaceModelOptions options = model_options(settings);
  return {options.fit_from, {options.correlation(valid_trials), options.damping}};
}

}  // namespace

TunerDeclaration gp_tuner() {
  return {.name = "gp",
          .summary = "expected improvement under a Gaussian process made for kernel spaces",
          .source = "ours",
          .default_batch = batch_of_builders,
          .hyperparameters = gp_hyperparameters(),
          .make = [](const TunerContext& context) -> Result<std::unique_ptr<Tuner>> {
            TRY(check_gp(context));
            return make_gp_tuner(context);
          },
          .fits = check_gp,
          .series = gp_series(),
          .starts_with_best = true,
          .random_phase = [](const SettingValues& settings) { return settings.integer("start_points"); },
          .relevance = gp_relevance};
}

}  // namespace kernelscape
