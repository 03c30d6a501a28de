#pragma once

#include "core/base/result.h"
#include "core/kernel/kernel_family.h"
#include "core/store/store.h"

namespace kernelscape {

/**
 * The kernels of a stored session, made again by today's template as they were measured: where they were
 * built beyond its limits, no limit refuses any of them. Refused, and why: the session does not say what it
 * was built for, its kernels are no template's of this program, or the template has changed since.
 */
Result<ScheduleFamily> session_kernels(const SessionRecord& record);

}  // namespace kernelscape
