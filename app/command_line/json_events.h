#pragma once

#include <cstddef>
#include <string>

#include "app/command_line/json_output.h"
#include "core/session/report.h"
#include "core/session/session.h"

namespace kernelscape::command_line {

// Events that --json prints while a session runs, and `show --json` at once: one object per line,
// distinguished by `event`. README.md ("Output for programs") documents their fields; those of a trial are
// defined in trial_fields.h.

/** Returns the first event of a run. @param database its path */
nlohmann::json session_event(store::SessionId id, const store::SessionRecord& record,
                             const std::string& database, bool resumed);
/**
 * Returns the event of a trial.
 * @param flops of the task; 0: its speed is null.
 * @param status including this trial
 */
nlohmann::json trial_event(store::SessionId id, const trial::Trial& trial, const space::SearchSpace& space,
                           double flops, const store::SessionStatus& status);
/** Returns the event of a message. @param id 0: no session */
nlohmann::json message_event(store::SessionId id, std::string_view level, const std::string& text,
                             const std::string& hint = {});
/** Returns the last event of a run, which is also the output of `show --json`. */
nlohmann::json summary_event(const session::Report& report, bool interrupted);

/** Returns a number, or null if it is 0, which means unknown. */
nlohmann::json number_or_null(double value);

}  // namespace kernelscape::command_line
