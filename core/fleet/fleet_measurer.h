#pragma once

#include <functional>
#include <memory>
#include <string>

#include "core/base/result.h"
#include "core/fleet/fleet_access.h"
#include "core/fleet/worker_registry.h"
#include "core/kernel/kernel_family.h"
#include "core/measure/measurer.h"
#include "core/schedule/target.h"

namespace kernelscape {

/** How a controller measures on a fleet. */
struct FleetMeasuring {
  FleetAccess access{};
  DeviceClass device{};        ///< whose workers run the kernels
  double good_seconds = 3600;  ///< a task that waits for longer is given again
  bool reuse_builds = false;   ///< a kernel that is measured again is not built again
  /** What a session's user should know; called by collect(). May be empty. */
  std::function<void(const std::string&)> notice{};
};

/**
 * Measures a family's kernels on the workers of a class: builders and devices take what they can, wherever
 * they are, and each candidate is measured once. A batch's candidates are given out in proposal order; they
 * come back in any. Tasks whose workers are lost are given to others; a Redis that was killed is waited for,
 * and given again what it forgot. The reference of a user's kernels is built by the fleet, with the first
 * batch.
 *
 * Errors of submit() and collect() lose no trial: Redis is gone or full, workers speak another version, blobs
 * are damaged again and again, a user's reference does not build or run. InvalidArgument: a family without an
 * operator or a user's kernel, options out of range.
 */
Result<std::unique_ptr<Measurer>> make_fleet_measurer(std::shared_ptr<const KernelFamily> family,
                                                      FleetMeasuring measuring,
                                                      const MeasureOptions& options);

}  // namespace kernelscape
