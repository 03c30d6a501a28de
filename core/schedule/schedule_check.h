#pragma once

#include "core/base/result.h"
#include "core/schedule/target.h"

namespace kernelscape::schedule {

class Schedule;

/**
 * Checks the requirements and restrictions of a target on a schedule, so that mistakes of a template are
 * found when it is applied and not when its first kernel is lowered. Error Internal: names the primitive.
 */
Status check_schedule(const Schedule& schedule, TargetKind target);

}  // namespace kernelscape::schedule
