#pragma once

#include <filesystem>
#include <vector>

#include "core/base/random.h"
#include "core/base/result.h"

namespace kernelscape::faults {

/** The recorded spaces that are built in, in the same order everywhere. */
std::vector<std::filesystem::path> recorded_spaces();

/**
 * A network of recorded layers that share one budget, killed again and again and resumed: it ends as one that
 * nobody disturbs.
 * @param folder for its databases
 */
Status kill_network(base::Random random, const std::filesystem::path& folder);

}  // namespace kernelscape::faults
