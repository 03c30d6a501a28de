#pragma once

#include <string>
#include <string_view>

#include "core/session/preparation.h"

namespace kernelscape::session {

// Parts of preparing a session that measured and replayed sessions share.

/** Returns the tuner's settings of a request after checking them. */
Result<tuner::SettingValues> requested_settings(const TuningRequest& request);

/** Sets name, tuner, seed, budget and warm start of a setup that has its space and task. */
Status apply_request(const TuningRequest& request, const store::Store& store, Setup& setup);

/**
 * Sets settings, options, budget and warm start from a stored session, for a setup that has its space and
 * task.
 */
Status restore_values(const store::Store& store, const store::SessionRecord& record, Setup& setup);

/**
 * Makes a Refused error: the session can be viewed but not resumed, and why.
 * @param hint empty: suggests a new session
 */
std::unexpected<Error> only_viewed(store::SessionId id, std::string_view reason, std::string hint = {});

/** Returns the stored space if it equals today's space or a restriction of it, else today's space. */
space::SearchSpace restored_space(const space::SearchSpace& stored, const space::SearchSpace& today);

/** Returns Refused if the session's trials were not measured by this program. */
Status check_measured_here(const store::SessionRecord& record);

/** Prepares a stored replay to be resumed, except for the predictor of its tuner. */
Result<PreparedTuning> prepare_replay_resume(const store::Store& store, const store::SessionRecord& record);

/**
 * Prepares a stored session to be resumed, except for the predictor of its tuner. Errors: as
 * prepare_resume().
 */
Result<PreparedTuning> prepare_stored(const store::Store& store, store::SessionId id);

}  // namespace kernelscape::session
