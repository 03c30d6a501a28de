#pragma once

#include <optional>

#include "core/schedule/target.h"
#include "core/space/search_space.h"
#include "core/store/store.h"
#include "core/task/task.h"

namespace kernelscape {

/**
 * Returns the device limits of a stored session's target, over the space's knobs, whether the space enforces
 * them or not. If they are unknown because another program measured the session or the template has changed
 * since, returns NotFound, or why the template cannot be applied.
 */
Result<ConstraintSystem> limits_of_target(const SessionRecord& record, const Task& task,
                                          const TargetDescription& target, const SearchSpace& space);

/**
 * Returns the device limits that refuse members of a stored session's space, over the space's knobs. Returns
 * nullopt if the space enforces the limits already, if its kernels were built beyond them, or if they are
 * unknown because another program measured the session or the template has changed since.
 */
std::optional<ConstraintSystem> stored_limits(const SessionRecord& record, const Task& task,
                                              const TargetDescription& target, const SearchSpace& space);

}  // namespace kernelscape
