#pragma once

#include <optional>

#include "core/schedule/target.h"
#include "core/space/search_space.h"
#include "core/store/store.h"
#include "core/task/task.h"

namespace kernelscape {

/**
 * What a stored session's target refuses, over the space's knobs, kept by the space or not. NotFound, or why
 * the template cannot be applied, where it is not known: of what another program measured, and where the
 * template has changed since.
 */
Result<ConstraintSystem> limits_of_target(const SessionRecord& record, const Task& task,
                                          const TargetDescription& target, const SearchSpace& space);

/**
 * What a stored session's target refuses of its space's members, over the space's knobs. None where the space
 * holds to it already, where its kernels were built beyond it, and where it is not known: of what another
 * program measured, and where the template has changed since.
 */
std::optional<ConstraintSystem> stored_limits(const SessionRecord& record, const Task& task,
                                              const TargetDescription& target, const SearchSpace& space);

}  // namespace kernelscape
