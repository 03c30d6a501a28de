#pragma once

#include "core/base/result.h"
#include "core/codegen/kernel_source.h"
#include "core/kernel/kernel_family.h"
#include "core/measure/builder_pool.h"
#include "core/schedule/target.h"
#include "core/space/configuration.h"
#include "core/trial/measurement.h"

namespace kernelscape {

/** The kernel of a configuration, whose arguments are those of its task; why there is none is an
 * INSTANTIATION_ERROR. */
Result<KernelSource> checked_source(const KernelFamily& family, const Configuration& configuration);

/** The trial of a configuration that has no kernel. @param seconds until that was known */
Measurement instantiation_error(const Error& error, double seconds);

/** What its build says of a candidate, whatever its run gave. @param instantiation_seconds before the build
 */
void add_build(Measurement& measurement, double instantiation_seconds, const BuildOutcome& build,
               const KernelSource& source, const TargetDescription& target);

}  // namespace kernelscape
