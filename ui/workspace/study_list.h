#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "core/store/store.h"

namespace kernelscape::workspace {

using StudySummaries = std::shared_ptr<const std::vector<store::StudySummary>>;

/**
 * Returns the studies for which `wanted` is true, newest first. An owner is set only if its process is alive.
 */
Result<std::vector<store::StudySummary>> read_studies(
    const store::Store& store, const std::function<bool(const store::StudyRecord&)>& wanted);

/** Returns true if two lists of studies look the same in a view. */
bool same_studies(const std::vector<store::StudySummary>& a, const std::vector<store::StudySummary>& b);

}  // namespace kernelscape::workspace
