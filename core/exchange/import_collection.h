#pragma once

#include <string>
#include <vector>

#include "core/exchange/importer.h"

namespace kernelscape {

/**
 * Names of a file's sessions, each once: the task's title, with the template where another part has the same
 * task, and a number where that is not enough: "conv2d 1x64x56x56 64x64x3x3 stride 1 (conv2d-direct) #2".
 * Our own sessions keep theirs.
 */
std::vector<std::string> part_names(const std::vector<ImportedTrials>& parts);

/**
 * Notices "WHAT: REASON" that say the same of more than two things as one: "WHAT and 813 others: REASON",
 * where the first of them stood. The others stay as they are.
 */
std::vector<std::string> folded_notices(std::vector<std::string> notices);

/** How many different tasks the parts have. */
std::int64_t task_count(const std::vector<ImportedTrials>& parts);

}  // namespace kernelscape
