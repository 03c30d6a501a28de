#pragma once

#include <optional>

#include "core/session/session.h"

namespace kernelscape::study {

/**
 * Finds the measured session with the fastest kernel whose trials a new session on the same task, target and
 * template can start with. Ignores sessions of the study `without`. Returns nullopt if there is none.
 */
Result<std::optional<store::SessionId>> earlier_session(const store::Store& store,
                                                        const session::Setup& setup, store::StudyId without);

}  // namespace kernelscape::study
