#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/study/layer_scheduler.h"
#include "core/study/study.h"

namespace kernelscape {

/** What a layer has used of a shared budget. */
struct LayerUse {
  std::int64_t trials = 0;    ///< measured
  std::int64_t allotted = 0;  ///< the limit of its session; 0 without one
  bool ended = false;
  double session_seconds = 0;
};

/** Trials of the next round of layers that share a budget; 0: the budget is used. Minutes are those of each
 * layer that has a round at the same time. @param first the round is for a layer's first kernel */
std::int64_t next_round_trials(const StudyDefinition& study, std::span<const LayerUse> layers, bool first);

/** Trials of a round: enough for every layer to have several of them, at most 16. */
std::int64_t round_trials(const StudyDefinition& study);
/** Trials of a round for a layer's first kernel: StudyDefinition::first_trials, less where the budget is
 * less; of studies without that number as those of any round. */
std::int64_t first_round_trials(const StudyDefinition& study);
/** LayerProgress::max_first_rounds of the study's layers. */
std::int64_t max_first_rounds(const StudyDefinition& study);

/** Returns true if a layer's session with this limit of trials is in its last round, of a study whose layers
 * have a budget each. */
bool has_whole_budget(const StudyDefinition& study, std::int64_t limit);

/** What is stored of a layer of a shared budget. */
struct StoredRounds {
  /** Its best time after each of its rounds that came to their end; `ended` after the last of them. */
  LayerProgress progress{};
  std::vector<std::int64_t> limits{};  ///< trials of its session, with each of its rounds
  bool in_round = false;               ///< the last of these was broken off
  std::int64_t trials = 0;             ///< measured
  double session_seconds = 0;
};

/**
 * The layers whose first round came to its end before that of layer `of` was chosen, by their positions: what
 * its session begins with may depend on these alone, so that a run that was killed begins it in the same way.
 * Layers have their first rounds in the order of their FLOPs, StudyDefinition::layers_at_once at the same
 * time.
 */
std::vector<std::size_t> layers_before(const StudyDefinition& study, const std::vector<StoredRounds>& layers,
                                       std::size_t of);

/** A round that is to be made, or to come to its end. */
struct DueRound {
  std::size_t layer = 0;
  std::int64_t limit = 0;  ///< trials of its session by then

  bool operator==(const DueRound&) const = default;
};

/**
 * The rounds that are due next, at most StudyDefinition::layers_at_once of different layers; none: the budget
 * is used. All of them are chosen by what was known before the first: so of a run that was broken off, all
 * choices are made once more from the beginning, up to the rounds that have not come to their end. Where
 * these contradict what is stored, since a layer that failed began anew, broken rounds come to their end
 * first.
 * @param scheduler nullopt: each layer has a budget for itself, and only rounds for first kernels are shared
 */
std::vector<DueRound> due_rounds(const StudyDefinition& study, std::optional<LayerScheduler> scheduler,
                                 const std::vector<StoredRounds>& layers);

}  // namespace kernelscape
