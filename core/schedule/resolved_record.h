#pragma once

#include <cstdint>

#include "core/schedule/schedule.h"

namespace kernelscape {

// What lowering and features read of a schedule alike.

/** Whether a dimension is indexed by a padded axis alone: its layout has room for the overhang. */
bool holds_padding(const Schedule& schedule, const AccessIndex& index);

/** A dimension's extent as it is stored: rounded up where its axis is padded. */
std::int64_t stored_extent(const Schedule& schedule, const TensorAccess& tensor, int dimension);

/** Whether a configuration unrolls a loop, always or by a knob. */
bool is_unrolled(const Schedule& schedule, const ScheduleLoop& loop, const Configuration& configuration);

}  // namespace kernelscape
