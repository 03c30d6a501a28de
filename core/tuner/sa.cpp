#include <algorithm>
#include <cmath>

#include "core/tuner/annealing.h"
#include "core/tuner/declaration.h"
#include "core/tuner/genes.h"
#include "core/tuner/population.h"

namespace kernelscape {
namespace {

/** Trials until the end temperature. */
std::int64_t cooling_trials(const TunerContext& context) {
  const bool of_budget = context.settings.text("cooling") == "budget" && context.trial_budget > 0;
  return of_budget ? context.trial_budget : context.settings.integer("cooling_trials");
}

/** One chain of simulated annealing on measured fitness as a share of the best so far. */
class AnnealingTuner final : public Tuner {
 public:
  explicit AnnealingTuner(const TunerContext& context)
      : space_(context.space),
        start_temperature_(context.settings.real("start_temperature")),
        end_temperature_(context.settings.real("end_temperature")),
        patience_(context.settings.integer("patience")),
        cooling_trials_(cooling_trials(context)),
        moves_(context.random.fork("moves")),
        acceptance_(context.random.fork("acceptance")),
        visited_(context.space, context.random.fork("random members")),
        start_(best_of_history(context.space, context.history, 1)) {}

  Result<Proposal> propose(std::size_t n) override {
    temperatures_.clear();
    visited_.begin_drawing();
    std::vector<Configuration> candidates;
    while (candidates.size() < n) {
      auto candidate = next_candidate();
      if (!candidate) break;
      temperatures_.push_back(temperature_of(observed_ + static_cast<std::int64_t>(candidates.size())));
      candidates.push_back(std::move(*candidate));
    }
    if (candidates.empty()) return visited_.finished();
    return candidates;
  }

  void observe(std::span<const Observation> observations) override {
    for (const Observation& observation : observations) {
      observe_one(observation);
      ++observed_;
    }
  }

  std::vector<SeriesValue> series(std::size_t position) const override {
    if (position >= temperatures_.size()) return {};
    std::vector<SeriesValue> values{{"temperature", temperatures_[position]}};
    visited_.drawn().report(values);
    return values;
  }

 private:
  std::optional<Configuration> next_candidate() {
    if (!start_.empty()) {
      Configuration start = std::move(start_.back());
      start_.pop_back();
      visited_.insert(start);
      return start;
    }
    if (observed_ == 0) return visited_.take_random();
    return visited_.take_drawn(
        moves_, [&](Random& random) { return random_walk(current_.configuration, space_.knobs(), random); });
  }

  /** Geometric from start to end over the trials, then at its end. */
  double temperature_of(std::int64_t trial) const {
    const double last = std::max(1.0, static_cast<double>(cooling_trials_ - 1));
    const double progress = std::min(1.0, static_cast<double>(trial) / last);
    return start_temperature_ * std::pow(end_temperature_ / start_temperature_, progress);
  }

  void observe_one(const Observation& observation) {
    const bool first = observed_ == 0;
    if (first || observation.fitness > best_.fitness) best_ = observation;
    const double scale = best_.fitness > 0 ? best_.fitness : 1;
    const double change = (observation.fitness - current_.fitness) / scale;
    const double draw = acceptance_.uniform();
    if (first || draw < annealing_acceptance(change, temperature_of(observed_))) {
      current_ = observation;
      rejected_ = 0;
    } else if (++rejected_ >= patience_) {
      current_ = best_;
      rejected_ = 0;
    }
  }

  SearchSpace space_;
  double start_temperature_;
  double end_temperature_;
  std::int64_t patience_;
  std::int64_t cooling_trials_;
  Random moves_;
  Random acceptance_;
  Visited visited_;
  std::vector<Configuration> start_;  ///< of a warm start, until it is proposed
  Observation current_;
  Observation best_;
  std::int64_t observed_ = 0;
  std::int64_t rejected_ = 0;         ///< in a row
  std::vector<double> temperatures_;  ///< of the last proposal
};

}  // namespace

TunerDeclaration sa_tuner() {
  return {
      .name = "sa",
      .summary = "simulated annealing on measured fitness, one chain",
      .source = "baseline; moves as in AutoTVM",
      .default_batch = 1,
      .hyperparameters =
          {
              real_setting("start_temperature", 0.5, 1e-6, 1e6, "share of the best fitness",
                           "at the first trial", "ours"),
              real_setting("end_temperature", 0.01, 1e-6, 1e6, "share of the best fitness",
                           "at the last trial, reached geometrically", "ours"),
              later_setting(
                  choice_setting("cooling", {"budget", "trials"},
                                 "what the end temperature is reached over: the session's budget of trials, "
                                 "or cooling_trials, for a result to be read there",
                                 "ours"),
                  "budget"),
              integer_setting("cooling_trials", 500, 1, 1'000'000'000, "trials",
                              "until the end temperature, unless cooling is over a budget of trials", "ours"),
              integer_setting("patience", 50, 1, 1'000'000'000, "trials",
                              "rejected in a row, after which the chain goes back to the best", "ours"),
          },
      .make = [](TunerContext context) -> Result<std::unique_ptr<Tuner>> {
        return std::make_unique<AnnealingTuner>(context);
      },
      .series = {{.name = "temperature",
                  .title = "Temperature",
                  .steps = true,
                  .meaning = "Of the annealing when the trial was proposed: the higher, the more often a "
                             "worse trial is accepted."},
                 member_share_series("neighbours that sa goes to")},
      .starts_with_best = true,
      .random_phase = [](const SettingValues& /*settings*/) { return std::int64_t{1}; }};
}

}  // namespace kernelscape
