#pragma once

#include <optional>

#include "core/session/client_measurer.h"
#include "core/session/preparation.h"

// Sessions whose configurations a client measures: it asks for them and tells results, see README.md.
namespace kernelscape::session {

/** Name of the target of a session whose client measures elsewhere: no device of this machine is leased. */
inline constexpr std::string_view elsewhere_target = "elsewhere";

/** Returns true if the trials of a session were measured by a client. */
bool is_ask_tell(const store::SessionRecord& record);

/**
 * Prepares a new session. The request's task names a file as project::read_space_file() reads it; its target
 * is the device that the client measures on, or elsewhere_target; restrictions and measuring options have no
 * effect.
 * @param batch_size configurations that are proposed together; 0: the tuner's default, or 1 for a tuner whose
 * default is the number of builders
 */
Result<PreparedTuning> prepare_ask_tell(const TuningRequest& request, std::int64_t batch_size,
                                        const store::Store& store);

/**
 * Prepares a stored session to be resumed with its stored budget, which the caller may raise. Refused if the
 * session's trials were not measured by a client.
 */
Result<PreparedTuning> prepare_ask_tell_resume(const store::Store& store, store::SessionId id);

/**
 * Runs the session with a client until the client closes its end or the user stops; it answers the client
 * also after the end of the session's budget. A client that ends before leaves an interrupted session.
 * @param resumed the session to resume; nullopt: a new session
 */
Result<Outcome> run_ask_tell(store::Store& store, const PreparedTuning& tuning,
                             std::optional<store::SessionId> resumed, ClientLines& lines,
                             const StopRequest& stop);

}  // namespace kernelscape::session
