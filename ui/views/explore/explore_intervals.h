#pragma once

#include <cstdint>
#include <utility>

namespace kernelscape {

/** Wilson's 95 % confidence interval of a share. */
std::pair<double, double> share_interval_95(std::int64_t successes, std::int64_t trials);

}  // namespace kernelscape
