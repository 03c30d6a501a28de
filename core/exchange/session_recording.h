#pragma once

#include <memory>

#include "core/base/result.h"
#include "core/store/store.h"
#include "core/trial/recording.h"

namespace kernelscape::exchange {

/**
 * Returns the recording of a session as the format `recorded` exports it: the recorded space itself, or a
 * recording of the session's own trials.
 */
Result<std::shared_ptr<const trial::Recording>> recording_of_session(const store::Store& store,
                                                                     store::SessionId session);

}  // namespace kernelscape::exchange
