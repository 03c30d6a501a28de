#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/study/execution.h"
#include "core/study/latency_series.h"
#include "core/study/layer_scheduler.h"
#include "core/trial/budget.h"

namespace kernelscape::study {

/** The stored state of one run of a network: a layer's session. */
struct LayerTrack {
  std::size_t layer = 0;  ///< position in the study
  std::optional<store::SessionId> session = {};
  std::string error = {};                    ///< why there is no session, or why it failed
  store::SessionRecord record = {};          ///< id 0: there is none, or it is damaged
  std::vector<store::ArrivedRow> rows = {};  ///< in order of arrival
  trial::BudgetPlan plan = {};
  store::SessionStatus status = {};
  LayerProgress progress = {};  ///< after all of its rounds
};

/** A round of a track. */
struct OrderedRound {
  std::size_t track = 0;
  std::size_t round = 0;  ///< of the track
  std::optional<LayerChoice> choice =
      {};  ///< why the layer was chosen, if that follows from the stored state
};

/** All rounds in the order in which they ran. */
struct RoundOrder {
  std::vector<OrderedRound> rounds;
  bool known = true;            ///< false: part of the order is a guess
  bool whole_sessions = false;  ///< a round is a whole session, whatever its limits were
};

/**
 * Derives the order of the rounds. The store has no clock of all sessions, but each choice of a shared budget
 * follows from what was known before it. The same function therefore repeats the choices, given the result of
 * each round. A contradiction (a layer without remaining rounds, or a session that is newer than others that
 * have not started yet) makes the order a guess. Layers with their own budgets are tuned one after the other,
 * after the rounds for their first kernels if the study has such rounds, otherwise in the order of their
 * sessions.
 * @param latencies of the whole model, by which gains were measured if they are the study's objective
 */
RoundOrder order_rounds(const Definition& study, const std::vector<LayerTrack>& tracks,
                        const LatencySeries& latencies = {});

}  // namespace kernelscape::study
