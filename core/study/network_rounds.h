#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/study/layer_scheduler.h"
#include "core/study/study_execution.h"
#include "core/trial/budget.h"

namespace kernelscape {

/** What the store has of one run of a network: a layer's session. */
struct LayerTrack {
  std::size_t layer = 0;  ///< position in the study
  std::optional<SessionId> session = {};
  std::string error = {};                    ///< why it has none, or why it failed
  SessionRecord record = {};                 ///< id 0: there is none, or it is damaged
  std::vector<Store::ArrivedRow> rows = {};  ///< in order of arrival
  BudgetPlan plan = {};
  SessionStatus status = {};
  LayerProgress progress = {};  ///< after all of its rounds
};

/** A round of a track. */
struct OrderedRound {
  std::size_t track = 0;
  std::size_t round = 0;                   ///< of the track
  std::optional<LayerChoice> choice = {};  ///< why it was its turn, where that follows from what is stored
};

/** All rounds in the order in which they were made. */
struct RoundOrder {
  std::vector<OrderedRound> rounds;
  bool known = true;            ///< else some of it is a guess
  bool whole_sessions = false;  ///< a round is all of a session, whatever its limits were
};

/**
 * The order of the rounds. The store has no clock of all sessions, but each choice of a shared budget follows
 * from what was known before it: so the same function chooses once more, and is told round by round what came
 * out. What contradicts it, a layer that has no round left or a session that is newer than others that have
 * not begun yet, makes the order a guess. Layers with a budget each are tuned one after the other, after the
 * rounds for their first kernels, if the study has such rounds; else in the order of their sessions.
 */
RoundOrder order_rounds(const StudyDefinition& study, const std::vector<LayerTrack>& tracks);

}  // namespace kernelscape
