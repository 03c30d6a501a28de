#pragma once

#include <functional>
#include <span>

#include "core/task/task.h"
#include "core/trial/baselines.h"
#include "core/trial/measurement.h"

namespace kernelscape {

struct SessionSetup;

/**
 * Measures the limits of the machine for a session's threads and tensors. The caller must hold the device's
 * lease.
 */
MachineLimits measure_session_limits(const SessionSetup& setup);

/** Calls measure_session_limits() for a given session; tests use scripted functions. */
using LimitMeter = std::function<MachineLimits()>;

/**
 * Returns the limits of a machine after kernels were confirmed. If the fastest kernel exceeds the limits
 * measured before the first trial, that measurement was disturbed: the limits are measured again, and the
 * larger value counts. A kernel itself does not raise a limit.
 * @param measure empty: the limits stay unchanged
 */
MachineLimits remeasure_limits(const MachineLimits& known, const Task& task,
                               std::span<const Measurement> confirmed, const LimitMeter& measure);

}  // namespace kernelscape
