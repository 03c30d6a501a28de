#pragma once

#include "core/base/result.h"
#include "core/schedule/target.h"
#include "core/trial/measure_options.h"

namespace kernelscape::measure {

/** Returns InvalidArgument if kernels for a target cannot be built or, unless they are built only, run here.
 */
Status check_measurable(const schedule::TargetDescription& target, const trial::MeasureOptions& options);

}  // namespace kernelscape::measure
