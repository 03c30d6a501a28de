#pragma once

#include <functional>
#include <memory>
#include <string>

#include "core/base/result.h"
#include "core/fleet/access.h"
#include "core/fleet/worker_registry.h"
#include "core/kernel/family.h"
#include "core/measure/measurer.h"
#include "core/schedule/target.h"

namespace kernelscape::fleet {

/** Describes how a controller measures on a fleet. */
struct Measuring {
  Access access{};
  DeviceClass device{};        ///< the class whose workers run the kernels
  double good_seconds = 3600;  ///< lifetime of a task; a task that waits longer is posted again
  bool reuse_builds = false;   ///< a kernel that is measured again is not built again
  /** Reports a notice for the user of the session; called by collect(). May be empty. */
  std::function<void(const std::string&)> notice{};
};

/**
 * Returns a measurer that measures a family's kernels on the workers of a class. Builders and devices take
 * tasks as they become free, and each candidate is measured once. The candidates of a batch are dispatched in
 * proposal order and return in any order. Tasks of lost workers are given to other workers. The measurer
 * waits for a Redis that was killed and posts the tasks again that Redis lost. The fleet builds the reference
 * of a user's kernels with the first batch. Errors of submit() and collect() lose no trial: Redis does not
 * respond or is full, workers use another protocol version, blobs are damaged repeatedly, or a user's
 * reference does not build or run. Returns InvalidArgument if the family has neither an operator nor a user's
 * kernel, or if options are out of range.
 */
Result<std::unique_ptr<measure::Measurer>> make_fleet_measurer(std::shared_ptr<const kernel::Family> family,
                                                               Measuring measuring,
                                                               const trial::MeasureOptions& options);

}  // namespace kernelscape::fleet
