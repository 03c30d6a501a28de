#pragma once

#include "core/base/result.h"
#include "core/codegen/kernel_source.h"
#include "core/kernel/kernel_family.h"
#include "core/measure/builder_pool.h"
#include "core/schedule/target.h"
#include "core/space/configuration.h"
#include "core/trial/measurement.h"

namespace kernelscape {

/**
 * Returns the kernel of a configuration, whose arguments are those of its task, or an INSTANTIATION_ERROR
 * with the reason.
 */
Result<KernelSource> checked_source(const KernelFamily& family, const Configuration& configuration);

/**
 * Returns the measurement of a configuration that has no kernel.
 * @param seconds time until the error was known
 */
Measurement instantiation_error(const Error& error, double seconds);

/**
 * Adds the results of a candidate's build to its measurement, whatever the result of its run.
 * @param instantiation_seconds time spent before the build
 */
void add_build(Measurement& measurement, double instantiation_seconds, const BuildOutcome& build,
               const KernelSource& source, const TargetDescription& target);

}  // namespace kernelscape
