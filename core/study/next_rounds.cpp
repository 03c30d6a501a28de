#include "core/study/next_rounds.h"

#include <algorithm>
#include <functional>
#include <optional>

namespace kernelscape::study {
namespace {

constexpr std::int64_t max_round_trials = 16;
constexpr std::int64_t min_rounds = 2;          // of every layer, if the budget allows
constexpr std::int64_t first_rounds_limit = 8;  // of a layer whose kernels all fail
constexpr double seconds_per_minute = 60;

std::int64_t trials_within(const Definition& study, std::int64_t left, bool first) {
  const std::int64_t round = first ? first_round_trials(study) : round_trials(study);
  return study.budget.trials == 0 ? round : std::clamp<std::int64_t>(left, 0, round);
}

std::int64_t trials_left(const Definition& study, std::span<const LayerUse> layers) {
  std::int64_t left = study.budget.trials;
  for (const LayerUse& layer : layers) left -= layer.ended ? layer.trials : layer.allotted;
  return left;
}

/**
 * Returns the trials of the round for which a layer was chosen, or 0 if there is no time for it. Layers with
 * their own budgets share only their first rounds.
 */
std::int64_t chosen_trials(const Definition& study, std::span<const LayerUse> uses,
                           const LayerChoice& choice) {
  const bool first = is_first_round(choice.reason);
  if (!study.scheduler.empty()) return trials_within(study, trials_left(study, uses), first);
  return first ? trials_within(study, study.budget.trials - uses[choice.layer].allotted, first) : 0;
}

bool is_time_over(const Definition& study, std::span<const LayerUse> layers) {
  double seconds = 0;
  for (const LayerUse& layer : layers) seconds += layer.session_seconds;
  const double max_seconds = study.budget.minutes * seconds_per_minute * study.layers_at_once;
  return study.budget.minutes > 0 && seconds >= max_seconds;
}

/** Repeats the choices of a shared budget. */
class ChoicesAgain {
 public:
  ChoicesAgain(const Definition& study, LayerScheduler scheduler, const std::vector<StoredRounds>& layers)
      : study_(study), scheduler_(scheduler), layers_(layers) {
    for (const StoredRounds& layer : layers) {
      LayerProgress& begin = known_.emplace_back(layer.progress);
      begin.best_seconds.clear();
      // A layer that failed before its first round was never chosen.
      begin.ended = layer.progress.ended && layer.limits.empty();
    }
  }

  /**
   * Returns the rounds that were chosen together and are not complete; nullopt: the stored rounds contradict
   * the choices.
   */
  std::optional<std::vector<DueRound>> due() {
    while (true) {
      const std::vector<DueRound> together = choose();
      if (together.empty()) return all_known() ? std::optional(together) : std::nullopt;
      std::vector<DueRound> missing;
      for (const DueRound& round : together) {
        if (take(round.layer)) continue;
        const StoredRounds& layer = layers_[round.layer];
        // Started rounds keep their limit: the number of remaining trials differs once a failed layer
        // resumes.
        missing.push_back({round.layer, layer.in_round ? layer.limits.back() : round.limit});
      }
      if (missing.empty()) continue;
      if (!all_known()) return std::nullopt;
      // None of the rounds was started: the caller decides whether there is time for them.
      if (missing.size() == together.size() && !in_round(missing)) return std::vector<DueRound>();
      return missing;
    }
  }

 private:
  std::vector<DueRound> choose() const {
    std::vector<LayerUse> uses;
    uses.reserve(layers_.size());
    for (std::size_t i = 0; i < layers_.size(); ++i) uses.push_back(use_of(i));
    std::vector<DueRound> rounds;
    for (const LayerChoice& choice :
         explain_next_layers(scheduler_, known_, study_.seed, study_.layers_at_once)) {
      LayerUse& use = uses[choice.layer];
      const std::int64_t trials = chosen_trials(study_, uses, choice);
      if (trials < 1) break;
      use.allotted += trials;
      rounds.push_back({choice.layer, use.allotted});
    }
    return rounds;
  }

  LayerUse use_of(std::size_t i) const {
    const StoredRounds& layer = layers_[i];
    const std::size_t rounds = known_[i].best_seconds.size();
    return {.trials = layer.trials,
            .allotted = rounds > 0 ? layer.limits[rounds - 1] : 0,
            .ended = known_[i].ended,
            .session_seconds = 0};
  }

  /** Takes the next round of a layer if it was run. */
  bool take(std::size_t i) {
    const std::vector<double>& all = layers_[i].progress.best_seconds;
    std::vector<double>& known = known_[i].best_seconds;
    if (known.size() == all.size()) return false;
    known.push_back(all[known.size()]);
    known_[i].ended = layers_[i].progress.ended && known.size() == all.size();
    return true;
  }

  bool all_known() const {
    for (std::size_t i = 0; i < layers_.size(); ++i)
      if (known_[i].best_seconds.size() < layers_[i].progress.best_seconds.size()) return false;
    return true;
  }

  bool in_round(const std::vector<DueRound>& rounds) const {
    return std::ranges::any_of(rounds, [&](const DueRound& round) { return layers_[round.layer].in_round; });
  }

  const Definition& study_;
  LayerScheduler scheduler_;
  const std::vector<StoredRounds>& layers_;
  std::vector<LayerProgress> known_;
};

std::vector<DueRound> broken_rounds(const std::vector<StoredRounds>& layers, std::int64_t most) {
  std::vector<DueRound> rounds;
  for (std::size_t i = 0; i < layers.size() && std::ssize(rounds) < most; ++i)
    if (layers[i].in_round) rounds.push_back({i, layers[i].limits.back()});
  return rounds;
}

std::vector<DueRound> new_rounds(const Definition& study, LayerScheduler scheduler,
                                 const std::vector<StoredRounds>& layers) {
  std::vector<LayerUse> uses;
  std::vector<LayerProgress> progress;
  for (const StoredRounds& layer : layers) {
    uses.push_back({layer.trials, layer.limits.empty() ? 0 : layer.limits.back(), layer.progress.ended,
                    layer.session_seconds});
    progress.push_back(layer.progress);
  }
  std::vector<DueRound> rounds;
  for (const LayerChoice& choice :
       explain_next_layers(scheduler, progress, study.seed, study.layers_at_once)) {
    const bool over = !study.scheduler.empty() && is_time_over(study, uses);
    const std::int64_t trials = over ? 0 : chosen_trials(study, uses, choice);
    if (trials < 1) break;
    uses[choice.layer].allotted += trials;
    rounds.push_back({choice.layer, uses[choice.layer].allotted});
  }
  return rounds;
}

}  // namespace

std::int64_t next_round_trials(const Definition& study, std::span<const LayerUse> layers, bool first) {
  return is_time_over(study, layers) ? 0 : trials_within(study, trials_left(study, layers), first);
}

std::int64_t round_trials(const Definition& study) {
  if (study.budget.trials == 0) return max_round_trials;
  const std::int64_t share =
      study.budget.trials / (min_rounds * std::max<std::int64_t>(1, std::ssize(study.tasks)));
  return std::clamp<std::int64_t>(share, 1, max_round_trials);
}

std::int64_t first_round_trials(const Definition& study) {
  if (study.first_trials == 0) return round_trials(study);
  if (study.budget.trials == 0) return study.first_trials;
  const std::int64_t layers = study.scheduler.empty() ? 1 : std::ssize(study.tasks);
  return std::clamp<std::int64_t>(study.budget.trials / std::max<std::int64_t>(1, layers), 1,
                                  study.first_trials);
}

std::int64_t max_first_rounds(const Definition& study) {
  return study.first_trials > 0 ? first_rounds_limit : 1;
}

bool has_whole_budget(const Definition& study, std::int64_t limit) {
  if (!study.scheduler.empty()) return false;
  return limit == 0 || (study.budget.trials > 0 && limit >= study.budget.trials);
}

std::vector<std::size_t> layers_before(const Definition& study, const std::vector<StoredRounds>& layers,
                                       std::size_t of) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < layers.size(); ++i)
    if (i == of || !layers[i].progress.ended || !layers[i].limits.empty()) order.push_back(i);
  std::ranges::stable_sort(order, std::greater(), [&](std::size_t i) {
    return layers[i].progress.weight * layers[i].progress.flops;
  });
  const std::ptrdiff_t position = std::ranges::find(order, of) - order.begin();
  order.resize(static_cast<std::size_t>(position - position % study.layers_at_once));
  return order;
}

std::vector<DueRound> due_rounds(const Definition& study, std::optional<LayerScheduler> scheduler,
                                 const std::vector<StoredRounds>& layers) {
  // The order of first rounds does not depend on the scheduler.
  const LayerScheduler chooser = scheduler.value_or(LayerScheduler::RoundRobin);
  if (study.layers_at_once > 1) {
    const auto due = ChoicesAgain(study, chooser, layers).due();
    if (due && !due->empty()) return *due;
  }
  const std::vector<DueRound> broken = broken_rounds(layers, study.layers_at_once);
  return broken.empty() ? new_rounds(study, chooser, layers) : broken;
}

}  // namespace kernelscape::study
