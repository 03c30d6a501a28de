#pragma once

#include <string>

#include "core/base/result.h"
#include "core/store/store.h"
#include "core/trial/usual_speed.h"

namespace kernelscape::session {

/**
 * Returns what the sessions of a machine say of its usual speed; unknown if none was measured on it.
 * @param machine see measure::machine_key()
 */
Result<trial::UsualSpeed> stored_usual_speed(const store::Store& store, const std::string& machine);

/** Stores the readings at the start of a session and returns the usual speed with them. */
Result<trial::UsualSpeed> learn_usual_speed(store::Store& store, const std::string& machine,
                                            const trial::ProbeSeconds& probe, bool loaded);

}  // namespace kernelscape::session
