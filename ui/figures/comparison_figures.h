#pragma once

#include "ui/figures/figure.h"
#include "ui/figures/source.h"

namespace kernelscape::figures {

/** Returns a copy of the runs without the hidden ones. */
std::shared_ptr<const analysis::ComparedRuns> counted_runs(const analysis::ComparedRuns& runs,
                                                           const std::set<std::int64_t>& hidden);

}  // namespace kernelscape::figures
