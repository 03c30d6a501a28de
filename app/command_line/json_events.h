#pragma once

#include <cstddef>
#include <string>

#include "app/command_line/json_output.h"
#include "core/session/session.h"
#include "core/session/session_report.h"

namespace kernelscape {

// clang-format off
/*
What --json prints while a session runs, and `show --json` at once: one object per line, told apart by `event`. Times
are in seconds, speeds in GFLOP/s; what is not known or not there is null. A replay of a recorded space has no `trial`
events (`export` has its trials), and its session times are those of the virtual clock.

| event | fields |
|---|---|
| `session` | `session` (id), `name`, `kind` (`measured`, `replayed`, `recorded space`, `imported`), `origin` (of numbers that were not measured here), `database`, `resumed`, `task`, `task_text`, `flops`, `target`, `device`, `template`, `template_version`, `space_size` (text), `tuner`, `settings` (object), `batch_size`, `seed`, `budget` {`trials`, `minutes`, `target_gflops`, `patience`; 0: not limited}, `options` (object: how it is measured), `warm_start` [{`session`, `trials`}] |
| `trial` | `session`, `trial` (number in proposal order), `batch`, `position`, `configuration` (knob: value), `category` (`NO_ERROR`, ...), `message`, `median_seconds`, `first_quartile_seconds`, `third_quartile_seconds`, `gflops`, `samples_seconds`, `cut_short`, `samples_saved` (by the adaptive evaluator), `build_seconds` and `run_seconds` (work), `finished_seconds` (session time), `resources` (of GPU kernels) {`registers` (of a thread), `spilled_bytes` (of a thread), `shared_bytes` (of a block), `threads` (of a block), `occupancy` (theoretical, 0 to 1), `limited_by` (`threads`, `blocks`, `registers`, `shared_memory`)}, `build_log` (of a GPU's compiler), `best_trial`, `best_gflops` |
| `progress` | `session`, `phase` (`replaying`, `searching`, `measuring`, `confirming`), `trials`, `errors`, `building`, `built`, `running`, `finished` (of the batch), `best_trial`, `best_gflops`, `best_seconds`, `session_seconds`, `trials_per_second`, `seconds_left` |
| `message` | `session`, `level` (`info`, `error`), `text`, `hint` |
| `summary` | `session`, `kind` and `origin` (as of `session`), `state` (`running`, `interrupted`, `done`, `failed`), `reason`, `interrupted`, `trials`, `best` {`trial`, `configuration`, `confirmed`, `median_seconds`, `first_quartile_seconds`, `third_quartile_seconds`, `gflops`, `layouts`, `resources` (as of `trial`)}, `confirmed` [{`trial`, `median_seconds`, `first_quartile_seconds`, `third_quartile_seconds`, `gflops`}], `first_valid` {`configuration`, `median_seconds`, `gflops`, `reason`}, `speedup_over_first_valid`, `vendor` {`name`, `implementation`, `layouts`, `median_seconds`, `gflops`, `reason`}, `share_of_vendor`, `errors` {category: {`trials`, `work_seconds`}}, `time` {`session_seconds`, `search_seconds`, `build_seconds`, `run_seconds`, `idle_seconds`: wall shares}, `samples_taken`, `samples_saved` and `saved_seconds` (by the adaptive evaluator, about), `notices` (what the session said beside its trials) [{`kind` (`machine`, `process`, `note`, `problem`, `import`), `text`, `session_seconds` (when it was said first), `disturbs` (its numbers should not be read without it)}], `task`, `target`, `template`, `tuner`, `seed` |
*/
// clang-format on

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
