#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/schedule/template.h"
#include "core/session/session.h"
#include "core/session/warm_start.h"

namespace kernelscape {

/** The row of a session: everything that it is made from, as text. */
SessionRecord make_record(const SessionSetup& setup);

/** One JSON object, name to value, of all settings, defaults too, but for that of `encoding`. */
std::string settings_to_json(const SettingValues& settings);
/** Settings of a stored session, checked against today's declaration of its tuner. One that it lacks is what
 * was before there was the setting, else the default. */
Result<SettingValues> settings_from_json(const TunerDeclaration& tuner, std::string_view json);

/**
 * What a session begins with: [{"session": 3, "trials": 500}, ...], with "features": true where trials are
 * told as features, then {"start": {"tile_oc": [4, 16], ...}} for each of SessionSetup::starts; "[]" if it
 * begins with nothing.
 */
std::string history_to_json(const std::vector<HistorySource>& sources,
                            const std::vector<Configuration>& starts, const SearchSpace& space);
/** The sessions that history_to_json() wrote. Empty text: none. Corrupt: any other text. */
Result<std::vector<HistorySource>> history_from_json(std::string_view json);
/** The starts that history_to_json() wrote. Errors: as history_from_json(), and a configuration that does not
 * fit the space. */
Result<std::vector<Configuration>> starts_from_json(std::string_view json, const SearchSpace& space);

/** What of a stored session is not as in `setup`, in words, but for the budget. Empty: it can be resumed. */
std::vector<std::string> setup_differences(const SessionRecord& record, const SessionSetup& setup);

/** A stored session made ready to go on: its setup, and the template applied on this machine. */
struct ResumableSession {
  SessionSetup setup;
  ScheduledKernel kernel;
};

/**
 * Makes session `id` again from what is stored. Refused, with everything that differs, where template, space
 * or `current_target` are not those it was made with: such a session can be viewed, not resumed.
 */
Result<ResumableSession> restore_session(const Store& store, SessionId id,
                                         const TargetDescription& current_target);

}  // namespace kernelscape
