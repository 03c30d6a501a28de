#pragma once

#include <memory>

#include "core/base/result.h"
#include "core/kernel/family.h"
#include "core/measure/measurer.h"
#include "core/schedule/target.h"

namespace kernelscape::measure {

/**
 * Makes a measurer for the kernels of a family on a target of this machine. If builds disturb timings (on a
 * CPU), builds and runs alternate, in waves of as many candidates as there are builders (BatchClock::Waves).
 * If they don't (TargetDescription::builds_beside_runs), builders continue while the device runs the kernels
 * that are ready. With options.build_only nothing is run: a kernel that was built is a NO_ERROR without
 * samples.
 *
 * The target must come from describe_cpu_target(), describe_gpu_target() or describe_cuda_architecture().
 * Errors: a target that can't be built for or, unless build_only is set, run on; a generic task; options out
 * of range; no worker program.
 */
Result<std::unique_ptr<Measurer>> make_kernel_measurer(std::shared_ptr<const kernel::Family> family,
                                                       const schedule::TargetDescription& target,
                                                       const trial::MeasureOptions& options);

}  // namespace kernelscape::measure
