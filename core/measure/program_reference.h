#pragma once

#include <string>

#include "core/base/result.h"
#include "core/kernel/kernel_family.h"
#include "core/measure/builder_pool.h"
#include "core/measure/runner.h"
#include "core/schedule/target.h"

namespace kernelscape {

/**
 * Tells a runner of a user's kernels what they are given and what is right: builds the reference where there
 * is one; without, the first members of the space in index order are run until one gives outputs, and these
 * are right. Of a family without ProgramData nothing is done.
 *
 * @return false where it was interrupted
 * Errors: the machine's fault; InvalidArgument where the reference does not build, fails or gives a NaN, or
 * where none of the first members runs.
 */
Result<bool> prepare_program(const KernelFamily& family, const TargetDescription& target,
                             const MeasureOptions& options, BuilderPool& pool, Runner& runner,
                             const Interruption& interruption);

}  // namespace kernelscape
