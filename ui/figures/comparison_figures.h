#pragma once

#include "ui/figures/figure.h"
#include "ui/figures/figure_source.h"

namespace kernelscape {

/** Without the runs that are hidden. */
std::shared_ptr<const ComparedRuns> counted_runs(const ComparedRuns& runs,
                                                 const std::set<std::int64_t>& hidden);

}  // namespace kernelscape
