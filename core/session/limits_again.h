#pragma once

#include <functional>
#include <span>

#include "core/task/task.h"
#include "core/trial/baselines.h"
#include "core/trial/measurement.h"

namespace kernelscape {

struct SessionSetup;

/** What the machine can do at best with a session's threads and tensors. The caller holds the device's lease.
 */
MachineLimits measure_session_limits(const SessionSetup& setup);

/** The same for a session that is known; scripts in tests. */
using LimitMeter = std::function<MachineLimits()>;

/**
 * What a machine can do at best, once kernels of it are confirmed. Where the fastest beats what was measured
 * before the first trial, something disturbed that: it is measured again, and the larger of both counts. A
 * kernel itself raises no limit.
 * @param measure empty: the limits stay as they are
 */
MachineLimits limits_again(const MachineLimits& known, const Task& task,
                           std::span<const Measurement> confirmed, const LimitMeter& measure);

}  // namespace kernelscape
