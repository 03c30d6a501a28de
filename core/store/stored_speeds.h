#pragma once

#include <memory>

#include "core/base/result.h"
#include "core/store/store.h"
#include "core/task/task.h"
#include "core/trial/machine_speed.h"
#include "core/trial/session_speeds.h"
#include "core/trial/table.h"

namespace kernelscape::store {

/**
 * Returns the part of a machine that limits good kernels of a task, from its FLOPs for each byte of its
 * tensors: machines compute 20 to 35 FLOPs in the time in which they read a byte of memory. Unknown in
 * between, and without FLOPs or bytes.
 */
trial::KernelBound bound_of(const task::Task& task);

/**
 * Returns a reader for the rows of a stored session, with the usual times of the probe that the session
 * stored.
 */
trial::SessionSpeedReader speed_reader_of(const SessionRecord& record);

/** The trials of a stored session without their configurations, each with the machine's speed. */
struct TrialsWithSpeeds {
  trial::Snapshot trials;
  std::shared_ptr<const trial::SessionSpeeds> speeds;  ///< null: the session has no readings
};

/** Reads all trials of a session with the machine's speed of each. */
Result<TrialsWithSpeeds> read_trials(const Store& store, const SessionRecord& record);

}  // namespace kernelscape::store
