#include <algorithm>
#include <cmath>

#include "core/tuner/annealing.h"
#include "core/tuner/genes.h"
#include "core/tuner/population.h"
#include "core/tuner/typed_settings.h"

namespace kernelscape::tuner {
namespace {

struct SaSettings {
  double start_temperature = 0.5;
  double end_temperature = 0.01;
  bool cools_over_budget = true;
  std::int64_t cooling_trials = 500;
  std::int64_t patience = 50;

  static SettingsOf<SaSettings> table() {
    return SettingsOf<SaSettings>()
        .add("start_temperature", &SaSettings::start_temperature, 1e-6, 1e6, "share of the best fitness",
             "temperature at the first trial", "ours")
        .add("end_temperature", &SaSettings::end_temperature, 1e-6, 1e6, "share of the best fitness",
             "temperature at the last trial, approached geometrically", "ours")
        .choice("cooling", &SaSettings::cools_over_budget, {{"budget", true}, {"trials", false}},
                "trials over which the end temperature is reached: the session's budget, or cooling_trials "
                "if the result is read after that many",
                "ours")
        .before("budget")
        .add("cooling_trials", &SaSettings::cooling_trials, 1, 1'000'000'000, "trials",
             "number of trials until the end temperature, unless cooling is budget and the session has a "
             "budget of trials",
             "ours")
        .add("patience", &SaSettings::patience, 1, 1'000'000'000, "trials",
             "number of consecutive rejected trials after which the chain returns to the best", "ours");
  }
};

/** One chain of simulated annealing on measured fitness as a share of the best so far. */
class AnnealingTuner final : public Tuner {
 public:
  explicit AnnealingTuner(const Context& context)
      : space_(context.space),
        settings_(read_settings<SaSettings>(context.settings)),
        cooling_trials_(settings_.cools_over_budget && context.trial_budget > 0 ? context.trial_budget
                                                                                : settings_.cooling_trials),
        moves_(context.random.fork("moves")),
        acceptance_(context.random.fork("acceptance")),
        visited_(context.space, context.random.fork("random members")),
        start_(best_of_history(context.space, context.history, 1)) {}

  Result<Proposal> propose(std::size_t n) override {
    temperatures_.clear();
    visited_.begin_drawing();
    std::vector<space::Configuration> candidates;
    while (candidates.size() < n) {
      auto candidate = next_candidate();
      if (!candidate) break;
      temperatures_.push_back(temperature_of(observed_ + static_cast<std::int64_t>(candidates.size())));
      candidates.push_back(std::move(*candidate));
    }
    if (candidates.empty()) return visited_.finished();
    return candidates;
  }

  void observe(std::span<const trial::Observation> observations) override {
    for (const trial::Observation& observation : observations) {
      observe_one(observation);
      ++observed_;
    }
  }

  std::vector<trial::SeriesValue> series(std::size_t position) const override {
    if (position >= temperatures_.size()) return {};
    std::vector<trial::SeriesValue> values{{"temperature", temperatures_[position]}};
    visited_.drawn().report(values);
    return values;
  }

 private:
  std::optional<space::Configuration> next_candidate() {
    if (!start_.empty()) {
      space::Configuration start = std::move(start_.back());
      start_.pop_back();
      visited_.insert(start);
      return start;
    }
    if (observed_ == 0) return visited_.take_random();
    return visited_.take_drawn(moves_, [&](base::Random& random) {
      return random_walk(current_.configuration, space_.knobs(), random);
    });
  }

  /** Returns the temperature: geometric from start to end over the trials, then constant. */
  double temperature_of(std::int64_t trial) const {
    const double last = std::max(1.0, static_cast<double>(cooling_trials_ - 1));
    const double progress = std::min(1.0, static_cast<double>(trial) / last);
    const double share = settings_.end_temperature / settings_.start_temperature;
    return settings_.start_temperature * std::pow(share, progress);
  }

  void observe_one(const trial::Observation& observation) {
    const bool first = observed_ == 0;
    if (first || observation.fitness > best_.fitness) best_ = observation;
    const double scale = best_.fitness > 0 ? best_.fitness : 1;
    const double change = (observation.fitness - current_.fitness) / scale;
    const double draw = acceptance_.uniform();
    if (first || draw < annealing_acceptance(change, temperature_of(observed_))) {
      current_ = observation;
      rejected_ = 0;
    } else if (++rejected_ >= settings_.patience) {
      current_ = best_;
      rejected_ = 0;
    }
  }

  space::SearchSpace space_;
  SaSettings settings_;
  std::int64_t cooling_trials_;  ///< trials until the end temperature
  base::Random moves_;
  base::Random acceptance_;
  Visited visited_;
  std::vector<space::Configuration>
      start_;  ///< start configurations of a warm start, until they are proposed
  trial::Observation current_;
  trial::Observation best_;
  std::int64_t observed_ = 0;
  std::int64_t rejected_ = 0;         ///< consecutive rejected trials
  std::vector<double> temperatures_;  ///< temperatures of the last proposal
};

}  // namespace

Declaration sa_tuner() {
  return {.name = "sa",
          .summary = "simulated annealing on measured fitness, one chain",
          .source = "baseline; moves as in AutoTVM",
          .default_batch = 1,
          .hyperparameters = settings_of<SaSettings>().declarations(),
          .make = [](const Context& context) -> Result<std::unique_ptr<Tuner>> {
            return std::make_unique<AnnealingTuner>(context);
          },
          .series = {{.name = "temperature",
                      .title = "Temperature",
                      .steps = true,
                      .meaning = "The temperature of the annealing when the trial was proposed: the higher, "
                                 "the more often a worse trial is accepted."},
                     member_share_series("neighbours that sa moves to")},
          .starts_with_best = true,
          .random_phase = [](const SettingValues& /*settings*/,
                             std::int64_t /*trial_budget*/) { return std::int64_t{1}; }};
}

}  // namespace kernelscape::tuner
