#pragma once

#include <string>
#include <vector>

namespace kernelscape {

class StopRequest;
struct PreparedTuning;

/**
 * Compares the machine code for different values of a project's parameters, before the first trial. Only
 * parameters are tried whose effect on the kernel is not evident from the source because it depends on a
 * condition. Each costs the builds of a few configurations; nothing runs. Returns a sentence for each
 * parameter whose values gave the same code. A failed build is not reported here but by the first trial.
 */
std::vector<std::string> parameters_without_effect(const PreparedTuning& tuning, const StopRequest& stop);

}  // namespace kernelscape
