#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace kernelscape::session {

class StopRequest;
struct PreparedTuning;

/** What a comparison of machine code found. */
struct ParameterEffects {
  std::vector<std::string> sentences;  ///< for each parameter whose values gave the same code
  std::size_t compared = 0;            ///< parameters whose kernels were built, and so could be compared
};

/** How long a comparison may take, and who is told. */
struct EffectComparison {
  double max_seconds = 0;                        ///< wall time; what is not compared by then is left out
  std::function<void(const std::string&)> step;  ///< told what is done, once builds begin; may be empty
};

/**
 * Compares the machine code that different values of a project's parameters give, before the first trial.
 * Only parameters are tried whose way into the kernel is not plain from the source: some condition decides
 * it. Each costs the builds of a few configurations; nothing runs. A build that fails says nothing here: the
 * first trial does.
 */
ParameterEffects parameters_without_effect(const PreparedTuning& tuning, const EffectComparison& comparison,
                                           const StopRequest& stop);

}  // namespace kernelscape::session
