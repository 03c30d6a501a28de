#pragma once

#include <string>
#include <string_view>

#include "core/session/preparation.h"

namespace kernelscape {

// Parts of preparing a session that measured and replayed sessions share.

/** Returns the tuner's settings of a request after checking them. */
Result<SettingValues> requested_settings(const TuningRequest& request);

/** Sets name, tuner, seed, budget and warm start of a setup that has its space and task. */
Status apply_request(const TuningRequest& request, const Store& store, SessionSetup& setup);

/**
 * Sets settings, options, budget and warm start from a stored session, for a setup that has its space and
 * task.
 */
Status restore_values(const Store& store, const SessionRecord& record, SessionSetup& setup);

/**
 * Makes a Refused error: the session can be viewed but not resumed, and why.
 * @param hint empty: suggests a new session
 */
std::unexpected<Error> only_viewed(SessionId id, std::string_view reason, std::string hint = {});

/** Returns the stored space if it equals today's space or a restriction of it, else today's space. */
SearchSpace restored_space(const SearchSpace& stored, const SearchSpace& today);

/** Returns Refused if the session's trials were not measured by this program. */
Status check_measured_here(const SessionRecord& record);

/** Prepares a stored replay to be resumed, except for the predictor of its tuner. */
Result<PreparedTuning> prepare_replay_resume(const Store& store, const SessionRecord& record);

/**
 * Prepares a stored session to be resumed, except for the predictor of its tuner. Errors: as
 * prepare_resume().
 */
Result<PreparedTuning> prepare_stored(const Store& store, SessionId id);

}  // namespace kernelscape
