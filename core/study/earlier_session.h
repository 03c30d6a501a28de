#pragma once

#include <optional>

#include "core/session/session.h"

namespace kernelscape {

/**
 * The measured session whose trials a new one on the same task, target and template can begin with: the one
 * with the fastest kernel; none: there is none. Those of study `without` are left out.
 */
Result<std::optional<SessionId>> earlier_session(const Store& store, const SessionSetup& setup,
                                                 StudyId without);

}  // namespace kernelscape
