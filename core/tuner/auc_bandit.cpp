#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "core/base/text.h"
#include "core/tuner/auc_credit.h"
#include "core/tuner/typed_settings.h"
#include "core/tuner/visited.h"

namespace kernelscape::tuner {
namespace {

/// Maximum number of proposals of a tuner whose candidates are all known, before the next tuner is asked.
constexpr int max_known_proposals = 100;

struct BanditSettings {
  std::string tuners = "de,ga,opevo,basin-hopping";
  std::size_t window = 500;
  double exploration = 0.05;

  static SettingsOf<BanditSettings> table() {
    const std::string opentuner = "OpenTuner, AUCBanditMetaTechnique";
    return SettingsOf<BanditSettings>()
        .add(
            "tuners", &BanditSettings::tuners,
            "tuners to choose from, separated by commas, each with its default settings",
            "ours: the nearest to OpenTuner's AUCBanditMetaTechniqueA, which are differential evolution, two "
            "greedy mutations and a simplex method")
        .add("window", &BanditSettings::window, 1, 1'000'000, "trials",
             "number of the last trials that count for the choice", opentuner)
        .add("exploration", &BanditSettings::exploration, 0, 1000, "",
             "C: weight of trying tuners with few trials", opentuner);
  }
};

std::vector<std::string> names_in(std::string_view text) {
  std::vector<std::string> names(1);
  for (const char character : text) {
    if (character == ',') {
      names.emplace_back();
    } else if (character != ' ') {
      names.back() += character;
    }
  }
  return names;
}

/** Returns the context of a tuner to choose from: its own settings and random numbers. */
Result<Context> context_of(const Context& context, const Declaration& tuner) {
  Context own = context;
  own.settings = TRY(parse_settings(tuner, {}));
  own.random = context.random.fork("tuner " + tuner.name);
  return own;
}

/** Returns the tuners to choose from, or what is wrong with their names or with them in this space. */
Result<std::vector<const Declaration*>> chosen_tuners(const Context& context) {
  std::vector<const Declaration*> tuners;
  for (const std::string& name : names_in(read_settings<BanditSettings>(context.settings).tuners)) {
    const Result<const Declaration*> found = find_tuner(name);
    if (!found)
      return fail(found.error().code, "tuner auc-bandit: " + found.error().message, found.error().hint);
    const Declaration* tuner = *found;
    if (tuner->name == "auc-bandit" || tuner->uses_predictor) {
      return fail(ErrorCode::InvalidArgument,
                  fmt::format("tuner auc-bandit: it cannot choose {}", tuner->name),
                  "remove it from the setting tuners");
    }
    if (std::ranges::find(tuners, tuner) != tuners.end()) {
      return fail(ErrorCode::InvalidArgument, fmt::format("tuner auc-bandit: it would choose {} twice", name),
                  "name each of the setting tuners once");
    }
    if (tuner->fits) TRY(tuner->fits(TRY(context_of(context, *tuner))));
    tuners.push_back(tuner);
  }
  return tuners;
}

/**
 * OpenTuner's AUC bandit (Ansel et al. 2014, section 3.2): each batch comes from the tuner with the most
 * credit for new bests. A tuner learns the trials of its own candidates; one that was measured for another
 * tuner is known and costs no trial. If no tuner has a new candidate, they are random.
 */
class BanditTuner final : public Tuner {
 public:
  BanditTuner(const Context& context, std::vector<std::unique_ptr<Tuner>> arms)
      : arms_(std::move(arms)),
        credit_(credit_for(context, arms_.size())),
        random_(context.random.fork("ties")),
        visited_(context.space, context.random.fork("random members")) {}

  Result<Proposal> propose(std::size_t n) override {
    for (const std::size_t arm : credit_.order(random_)) {
      std::vector<space::Configuration> candidates = TRY(ask(arm, n));
      if (!candidates.empty()) return candidates;
    }
    arm_.reset();
    std::vector<space::Configuration> candidates;
    visited_.fill(candidates, n);
    if (candidates.empty()) return visited_.finished();
    return candidates;
  }

  void observe(std::span<const trial::Observation> observations) override {
    for (const trial::Observation& observation : observations) {
      known_.insert_or_assign(observation.configuration, observation);
      if (arm_) credit_.add(*arm_, observation.fitness > best_);
      best_ = std::max(best_, observation.fitness);
    }
    if (arm_) pass_trials_to(*arm_);
  }

 private:
  static AucCredit credit_for(const Context& context, std::size_t arms) {
    const auto settings = read_settings<BanditSettings>(context.settings);
    return {arms, settings.window, settings.exploration};
  }

  /** Returns an arm's next new candidates; none if it has finished or proposes only what is known. */
  Result<std::vector<space::Configuration>> ask(std::size_t arm, std::size_t n) {
    for (int proposals = 0; proposals < max_known_proposals; ++proposals) {
      Proposal proposal = TRY(arms_[arm]->propose(n));
      auto* proposed = std::get_if<std::vector<space::Configuration>>(&proposal);
      if (proposed == nullptr) break;
      asked_ = std::move(*proposed);
      std::vector<space::Configuration> unknown;
      for (const space::Configuration& candidate : asked_)
        if (visited_.insert(candidate)) unknown.push_back(candidate);
      arm_ = arm;
      if (!unknown.empty()) return unknown;
      pass_trials_to(arm);
    }
    return std::vector<space::Configuration>{};
  }

  /** Passes the trials of all candidates that an arm proposed to its tuner. */
  void pass_trials_to(std::size_t arm) {
    std::vector<trial::Observation> trials;
    for (const space::Configuration& candidate : asked_) trials.push_back(known_.at(candidate));
    arms_[arm]->observe(trials);
  }

  std::vector<std::unique_ptr<Tuner>> arms_;
  AucCredit credit_;
  base::Random random_;
  Visited visited_;
  std::unordered_map<space::Configuration, trial::Observation> known_;
  double best_ = 0;                          ///< fitness of the best trial
  std::optional<std::size_t> arm_;           ///< whose candidates were proposed; nullopt: random ones
  std::vector<space::Configuration> asked_;  ///< the arm's last proposal
};

/** Returns the number of tuners that start at random: each is tried once before one is chosen again. */
std::int64_t random_first_trials(const SettingValues& values, std::int64_t trial_budget) {
  std::int64_t trials = 0;
  for (const std::string& name : names_in(read_settings<BanditSettings>(values).tuners)) {
    const Result<const Declaration*> tuner = find_tuner(name);
    if (!tuner || !(*tuner)->random_phase) continue;
    const Result<SettingValues> own = parse_settings(**tuner, {});
    if (own && (*tuner)->random_phase(*own, trial_budget) > 0) ++trials;
  }
  return trials;
}

Result<std::unique_ptr<Tuner>> make_bandit_tuner(const Context& context) {
  const auto tuners = TRY(chosen_tuners(context));
  std::vector<std::unique_ptr<Tuner>> arms;
  for (const Declaration* tuner : tuners) {
    Context own = TRY(context_of(context, *tuner));
    arms.push_back(TRY(tuner->make(std::move(own))));
  }
  return std::make_unique<BanditTuner>(context, std::move(arms));
}

}  // namespace

Declaration auc_bandit_tuner() {
  return {.name = "auc-bandit",
          .summary = "a bandit that takes each batch from the tuner that found new bests most recently",
          .source = "OpenTuner's AUCBanditMetaTechnique",
          .default_batch = 1,
          .hyperparameters = settings_of<BanditSettings>().declarations(),
          .make = make_bandit_tuner,
          .fits = [](const Context& context) -> Status {
            const auto tuners = chosen_tuners(context);
            if (!tuners) return std::unexpected(tuners.error());
            return {};
          },
          .random_phase = random_first_trials};
}

}  // namespace kernelscape::tuner
