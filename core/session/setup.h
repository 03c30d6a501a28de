#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/schedule/template.h"
#include "core/session/session.h"
#include "core/session/warm_start.h"

namespace kernelscape::session {

/** Makes the database row of a session: everything that the session is made from, as text. */
store::SessionRecord make_record(const Setup& setup);

/**
 * Returns all settings including defaults, except a default `encoding`, as one JSON object from name to
 * value.
 */
std::string settings_to_json(const tuner::SettingValues& settings);
/**
 * Reads the settings of a stored session and checks them against the current declaration of its tuner. A
 * missing setting gets the value that corresponds to the behaviour before the setting existed, else the
 * default.
 */
Result<tuner::SettingValues> settings_from_json(const tuner::Declaration& tuner, std::string_view json);

/**
 * Returns the history that a session begins with: [{"session": 3, "trials": 500}, ...], with "features": true
 * if the tuner receives the trials as features, then {"start": {"tile_oc": [4, 16], ...}} for each of
 * Setup::starts, then {"learn_from": {"session": 4, "trials": 200, "sha256": "..."}}, or with "file", for
 * each of Setup::learnt_sources; "[]" if there is no history.
 */
std::string history_to_json(const std::vector<HistorySource>& sources,
                            const std::vector<space::Configuration>& starts, const space::SearchSpace& space,
                            const std::vector<LearntSource>& learnt = {});
/**
 * Reads the sessions that history_to_json() wrote; an empty text gives none. Error: Corrupt for any other
 * text.
 */
Result<std::vector<HistorySource>> history_from_json(std::string_view json);
/** Reads the related spaces that history_to_json() wrote. Errors: as history_from_json(). */
Result<std::vector<LearntSource>> learnt_sources_from_json(std::string_view json);
/**
 * Reads the starts that history_to_json() wrote. Errors: as history_from_json(), and for a configuration that
 * does not fit the space.
 */
Result<std::vector<space::Configuration>> starts_from_json(std::string_view json,
                                                           const space::SearchSpace& space);

/**
 * Describes each difference between a stored session and `setup`, except the budget. If there is none, the
 * session can be resumed.
 */
std::vector<std::string> setup_differences(const store::SessionRecord& record, const Setup& setup);

/** A stored session that is ready to be resumed: its setup, and the template applied on this machine. */
struct ResumableSession {
  Setup setup;
  schedule::ScheduledKernel kernel;
};

/**
 * Restores session `id` from the database. Refused, listing all differences, if template, space or
 * `current_target` are not those it was created with: such a session can be viewed but not resumed.
 */
Result<ResumableSession> restore_session(const store::Store& store, store::SessionId id,
                                         const schedule::TargetDescription& current_target);

}  // namespace kernelscape::session
