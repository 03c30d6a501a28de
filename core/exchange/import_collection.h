#pragma once

#include <string>
#include <vector>

#include "core/exchange/importer.h"

namespace kernelscape::exchange {

/**
 * Returns distinct names of a file's sessions: the task's title, with the template if another part has the
 * same task, and a number if necessary: "conv2d 1x64x56x56 64x64x3x3 stride 1 (conv2d-direct) #2". Sessions
 * of this program keep their names.
 */
std::vector<std::string> part_names(const std::vector<ImportedTrials>& parts);

/**
 * Combines notices "WHAT: REASON" that report the same reason for more than two items: "WHAT and 813 others:
 * REASON", at the position of the first. Other notices are unchanged.
 */
std::vector<std::string> folded_notices(std::vector<std::string> notices);

/** Returns the number of different tasks of the parts. */
std::int64_t task_count(const std::vector<ImportedTrials>& parts);

}  // namespace kernelscape::exchange
