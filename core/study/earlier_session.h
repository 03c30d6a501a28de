#pragma once

#include <optional>

#include "core/session/session.h"

namespace kernelscape {

/**
 * Finds the measured session with the fastest kernel whose trials a new session on the same task, target and
 * template can start with. Ignores sessions of the study `without`. Returns nullopt if there is none.
 */
Result<std::optional<SessionId>> earlier_session(const Store& store, const SessionSetup& setup,
                                                 StudyId without);

}  // namespace kernelscape
