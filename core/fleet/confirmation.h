#pragma once

#include <functional>
#include <memory>
#include <span>

#include "core/base/result.h"
#include "core/fleet/measurer.h"
#include "core/measure/confirmation.h"
#include "core/task/task.h"

namespace kernelscape::fleet {

/**
 * Measures configurations and the vendor's library again on a fleet, interleaved as in measure_interleaved(),
 * in rounds that the workers of the class share. Errors: as make_fleet_measurer() and its measurer.
 */
Result<measure::Confirmations> confirm_on_fleet(std::shared_ptr<const kernel::Family> family,
                                                const Measuring& measuring,
                                                const trial::MeasureOptions& options,
                                                std::span<const space::Configuration> configurations,
                                                const std::function<bool()>& stop, double max_seconds);

/** Measures the vendor's library on a worker of the class. A time-out is a result and not an error. */
Result<trial::VendorResult> measure_fleet_baseline(const task::Task& task, const Measuring& measuring,
                                                   const trial::MeasureOptions& options,
                                                   const std::function<bool()>& stop, double max_seconds);

}  // namespace kernelscape::fleet
