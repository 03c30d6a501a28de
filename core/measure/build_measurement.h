#pragma once

#include "core/base/result.h"
#include "core/codegen/kernel_source.h"
#include "core/kernel/family.h"
#include "core/measure/builder_pool.h"
#include "core/schedule/target.h"
#include "core/space/configuration.h"
#include "core/trial/measurement.h"

namespace kernelscape::measure {

/**
 * Returns the kernel of a configuration, whose arguments are those of its task, or an INSTANTIATION_ERROR
 * with the reason.
 */
Result<codegen::KernelSource> checked_source(const kernel::Family& family,
                                             const space::Configuration& configuration);

/**
 * Returns the measurement of a configuration that has no kernel.
 * @param seconds time until the error was known
 */
trial::Measurement instantiation_error(const Error& error, double seconds);

/**
 * Adds the results of a candidate's build to its measurement, whatever the result of its run.
 * @param instantiation_seconds time spent before the build
 */
void add_build(trial::Measurement& measurement, double instantiation_seconds, const BuildOutcome& build,
               const codegen::KernelSource& source, const schedule::TargetDescription& target);

}  // namespace kernelscape::measure
