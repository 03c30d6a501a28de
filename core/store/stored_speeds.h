#pragma once

#include "core/store/store.h"
#include "core/task/task.h"
#include "core/trial/machine_speed.h"
#include "core/trial/session_speeds.h"

namespace kernelscape::store {

/**
 * Returns the part of a machine that limits good kernels of a task, from the FLOPs for each element of its
 * tensors: machines compute 20 to 35 FLOPs in the time in which they read a byte of memory. Unknown in
 * between, and without FLOPs or bytes.
 */
trial::KernelBound bound_of(const task::Task& task);

/**
 * Returns a reader for the rows of a stored session, with the usual times of the probe that the session
 * stored.
 */
trial::SessionSpeedReader speed_reader_of(const SessionRecord& record);

}  // namespace kernelscape::store
