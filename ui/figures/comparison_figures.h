#pragma once

#include "ui/figures/figure.h"
#include "ui/figures/figure_source.h"

namespace kernelscape {

/** Returns a copy of the runs without the hidden ones. */
std::shared_ptr<const ComparedRuns> counted_runs(const ComparedRuns& runs,
                                                 const std::set<std::int64_t>& hidden);

}  // namespace kernelscape
