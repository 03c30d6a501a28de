#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/study/layer_scheduler.h"
#include "core/study/study.h"

namespace kernelscape::study {

/** The part of a shared budget that a layer has used. */
struct LayerUse {
  std::int64_t trials = 0;    ///< measured trials
  std::int64_t allotted = 0;  ///< the limit of its session; 0 without a session
  bool ended = false;
  double session_seconds = 0;
};

/**
 * Returns the number of trials of the next round of layers that share a budget, or 0 if the budget is used.
 * Each layer that has a round at the same time counts its own minutes. @param first the round is for a
 * layer's first kernel
 */
std::int64_t next_round_trials(const Definition& study, std::span<const LayerUse> layers, bool first);

/** Returns the number of trials of a round: enough for every layer to have several rounds, at most 16. */
std::int64_t round_trials(const Definition& study);
/**
 * Returns the number of trials of a round for a layer's first kernel: Definition::first_trials, or less
 * if the budget is less. In studies without that number, as many as in any round.
 */
std::int64_t first_round_trials(const Definition& study);
/** Returns LayerProgress::max_first_rounds of the study's layers. */
std::int64_t max_first_rounds(const Definition& study);

/** Returns true if a layer's session with this limit of trials is in its last round, of a study whose layers
 * have a budget each. */
bool has_whole_budget(const Definition& study, std::int64_t limit);

/** The stored state of a layer of a shared budget. */
struct StoredRounds {
  /** Its best time after each of its completed rounds; `ended` after the last of them. */
  LayerProgress progress{};
  std::vector<std::int64_t> limits{};  ///< trial limits of its session, by round
  bool in_round = false;               ///< the last of these rounds was interrupted
  std::int64_t trials = 0;             ///< measured trials
  double session_seconds = 0;
};

/**
 * Returns the positions of the layers whose first round ended before that of layer `of` was chosen. The start
 * of its session may depend only on these layers, so that a run that was killed starts it in the same way.
 * Layers have their first rounds in the order of their FLOPs, Definition::layers_at_once at the same
 * time.
 */
std::vector<std::size_t> layers_before(const Definition& study, const std::vector<StoredRounds>& layers,
                                       std::size_t of);

/** A round that is to be started or completed. */
struct DueRound {
  std::size_t layer = 0;
  std::int64_t limit = 0;  ///< total trials of its session at the end of the round

  bool operator==(const DueRound&) const = default;
};

/**
 * Returns the next rounds, at most Definition::layers_at_once of different layers, or none if the budget
 * is used. All of them are chosen from what was known before the first. After an interruption, all choices
 * are therefore repeated from the beginning, up to the rounds that are not complete. If these contradict the
 * stored state because a failed layer was restarted, the interrupted rounds are completed first.
 * @param scheduler nullopt: each layer has its own budget, and only rounds for first kernels are shared
 */
std::vector<DueRound> due_rounds(const Definition& study, std::optional<LayerScheduler> scheduler,
                                 const std::vector<StoredRounds>& layers);

}  // namespace kernelscape::study
