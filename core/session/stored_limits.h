#pragma once

#include <optional>

#include "core/schedule/target.h"
#include "core/space/search_space.h"
#include "core/store/store.h"
#include "core/task/task.h"

namespace kernelscape::session {

/**
 * Returns the device limits of a stored session's target, over the space's knobs, whether the space enforces
 * them or not. If they are unknown because another program measured the session or the template has changed
 * since, returns NotFound, or why the template cannot be applied.
 */
Result<space::ConstraintSystem> limits_of_target(const store::SessionRecord& record, const task::Task& task,
                                                 const schedule::TargetDescription& target,
                                                 const space::SearchSpace& space);

/**
 * Returns the device limits that refuse members of a stored session's space, over the space's knobs. Returns
 * nullopt if the space enforces the limits already, if its kernels were built beyond them, or if they are
 * unknown because another program measured the session or the template has changed since.
 */
std::optional<space::ConstraintSystem> stored_limits(const store::SessionRecord& record,
                                                     const task::Task& task,
                                                     const schedule::TargetDescription& target,
                                                     const space::SearchSpace& space);

}  // namespace kernelscape::session
