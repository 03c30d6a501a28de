#pragma once

#include <functional>
#include <span>
#include <string>

#include "core/measure/confirmation.h"
#include "core/task/task.h"
#include "core/trial/baselines.h"
#include "core/trial/measurement.h"
#include "core/trial/usual_speed.h"

namespace kernelscape::session {

struct Setup;

/**
 * Measures the limits of the machine for a session's threads and tensors. The caller must hold the device's
 * lease.
 */
trial::MachineLimits measure_session_limits(const Setup& setup);

/** Returns what a confirmation of a session needs of the machine; its limits only on a CPU, where it is
 * quick. */
measure::ConfirmationMachine confirmation_machine(const Setup& setup, const trial::UsualSpeed& usual);

/**
 * Adds what a confirmation knows of the machine to the baselines. Peaks measured beside it at the usual speed
 * raise the limits: what was measured before the first trial may have been disturbed.
 * @param measured_utc of the confirmations
 */
void add_machine(trial::Baselines& baselines, const measure::Confirmations& measured,
                 const std::string& measured_utc);

/** Calls measure_session_limits() for a given session; tests use scripted functions. */
using LimitMeter = std::function<trial::MachineLimits()>;

/**
 * Returns the limits of a machine after kernels were confirmed. If the fastest kernel exceeds the limits
 * measured before the first trial, that measurement was disturbed: the limits are measured again, and the
 * larger value counts. A kernel itself does not raise a limit.
 * @param measure empty: the limits stay unchanged
 */
trial::MachineLimits remeasure_limits(const trial::MachineLimits& known, const task::Task& task,
                                      std::span<const trial::Measurement> confirmed,
                                      const LimitMeter& measure);

}  // namespace kernelscape::session
