#pragma once

#include <functional>
#include <memory>
#include <span>

#include "core/measure/confirmation.h"
#include "core/measure/measurer.h"
#include "core/session/preparation.h"

namespace kernelscape::session {

// What a session on this machine measures with: a user's program is not measured as a kernel is.

/** Returns true if a session tunes a user's program. */
bool is_program(const Setup& setup);

/** Makes the measurer of a session on a device of this machine. Errors: those of the measurer. */
Result<std::unique_ptr<measure::Measurer>> make_measurer_here(const PreparedTuning& tuning);

/** Measures configurations of a session again on this machine, as measure_interleaved() does. */
Result<measure::Confirmations> measure_again_here(const PreparedTuning& tuning,
                                                  std::span<const space::Configuration> configurations,
                                                  const std::function<bool()>& stop, double max_seconds,
                                                  const trial::UsualSpeed& usual);

}  // namespace kernelscape::session
