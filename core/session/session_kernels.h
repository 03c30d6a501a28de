#pragma once

#include <memory>

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

/** The same of any session with kernels, those of a user's own project among them. Nothing of a project is
 * compiled or run by that: trust is asked for elsewhere. */
Result<std::shared_ptr<const KernelFamily>> family_of_session(const Store& store,
                                                              const SessionRecord& record);

}  // namespace kernelscape
