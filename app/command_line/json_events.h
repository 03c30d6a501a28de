#pragma once

#include <cstddef>
#include <string>

#include "app/command_line/json_output.h"
#include "core/session/session.h"
#include "core/session/session_report.h"

namespace kernelscape {

// What --json prints while a session runs, and `show --json` at once: one object per line, told apart by
// `event`. Their fields stand in README.md ("Output for programs"); those of a trial are the events of
// trial_fields.h.

/** The first event of a run. @param database its path */
nlohmann::json session_event(SessionId id, const SessionRecord& record, const std::string& database,
                             bool resumed);
/** @param flops of the task; 0: its speed is null. @param status with this trial counted */
nlohmann::json trial_event(SessionId id, const Trial& trial, const SearchSpace& space, double flops,
                           const SessionStatus& status);
/** @param id 0: of no session */
nlohmann::json message_event(SessionId id, std::string_view level, const std::string& text,
                             const std::string& hint = {});
/** The last event of a run, and all of `show --json`. */
nlohmann::json summary_event(const SessionReport& report, bool interrupted);

/** A number, or null where it is not known (0). */
nlohmann::json number_or_null(double value);

}  // namespace kernelscape
