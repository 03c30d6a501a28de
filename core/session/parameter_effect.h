#pragma once

#include <string>
#include <vector>

namespace kernelscape {

class StopRequest;
struct PreparedTuning;

/**
 * Compares the machine code that different values of a project's parameters give, before the first trial.
 * Only parameters are tried whose way into the kernel is not plain from the source: some condition decides
 * it. Each costs the builds of a few configurations; nothing runs. Returns a sentence for each parameter
 * whose values gave the same code. A build that fails says nothing here: the first trial does.
 */
std::vector<std::string> parameters_without_effect(const PreparedTuning& tuning, const StopRequest& stop);

}  // namespace kernelscape
