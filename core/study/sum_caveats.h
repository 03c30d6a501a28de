#pragma once

#include <string>
#include <vector>

#include "core/study/network_run.h"

namespace kernelscape::study {

/**
 * Returns what must be read with the sums of a network: a sentence for the layers whose times are those of a
 * slow or loaded machine, and one for each layer whose limit was measured at another speed of the machine.
 * Empty: there is no such layer.
 */
std::vector<std::string> sum_caveats(const NetworkOutcome& outcome);

}  // namespace kernelscape::study
