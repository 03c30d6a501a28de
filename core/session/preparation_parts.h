#pragma once

#include <string>
#include <string_view>

#include "core/session/preparation.h"

namespace kernelscape {

// What making a session ready takes, whether it measures or replays.

/** The tuner's settings, checked. */
Result<SettingValues> requested_settings(const TuningRequest& request);

/** Name, tuner, seed, budget and warm start, for a setup that has its space and task. */
Status take_request(const TuningRequest& request, const Store& store, SessionSetup& setup);

/** Settings, options, budget and warm start of a stored session, for a setup that has its space and task. */
Status restore_values(const Store& store, const SessionRecord& record, SessionSetup& setup);

/** Refused: the session can be viewed, not resumed, and why. @param hint empty: a new session */
std::unexpected<Error> only_viewed(SessionId id, std::string_view reason, std::string hint = {});

/** The stored space, where it is today's as a whole or restricted; else today's. */
SearchSpace restored_space(const SearchSpace& stored, const SearchSpace& today);

/** Refused where the session's trials were not measured by this program. */
Status check_measured_here(const SessionRecord& record);

/** A stored replay made ready to go on, but for what its tuner predicts with. */
Result<PreparedTuning> prepare_replay_resume(const Store& store, const SessionRecord& record);

/** A stored session as it was made, but for what its tuner predicts with. Errors: as prepare_resume(). */
Result<PreparedTuning> prepare_stored(const Store& store, SessionId id);

}  // namespace kernelscape
