#pragma once

#include <functional>
#include <memory>
#include <span>

#include "core/base/result.h"
#include "core/fleet/measurer.h"
#include "core/measure/confirmation.h"
#include "core/task/task.h"
#include "core/trial/worker_tracks.h"

namespace kernelscape::fleet {

/**
 * Measures configurations and the vendor's library again on a fleet, interleaved as in measure_interleaved(),
 * in rounds that the workers of the class share. A round counts as slow, and is dropped by the same rule, if
 * one of its kernels was run in a slow phase of its worker. The workers wait for their machines themselves.
 * Errors: as make_fleet_measurer() and its measurer.
 * @param usual of the workers, as the session knows them; others: by their readings in these rounds
 */
Result<measure::Confirmations> confirm_on_fleet(std::shared_ptr<const kernel::Family> family,
                                                const Measuring& measuring,
                                                const trial::MeasureOptions& options,
                                                std::span<const space::Configuration> configurations,
                                                const std::function<bool()>& stop, double max_seconds,
                                                const trial::WorkerUsualTimes& usual = {});

/** Measures the vendor's library on a worker of the class. A time-out is a result and not an error. */
Result<trial::VendorResult> measure_fleet_baseline(const task::Task& task, const Measuring& measuring,
                                                   const trial::MeasureOptions& options,
                                                   const std::function<bool()>& stop, double max_seconds);

}  // namespace kernelscape::fleet
