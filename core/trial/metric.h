#pragma once

#include <string>

namespace kernelscape::trial {

/**
 * A named quantity of a trial beside its time: energy, size of the code, a number that the user's program
 * printed. A session's trials have the same metrics in the same order, as far as each was measured.
 */
struct Metric {
  std::string name;  ///< as the user wrote it, or one of ours: "energy", "code_size"
  std::string unit;  ///< as the user wrote it: "J", "bytes"; empty: none
  double value = 0;  ///< finite

  bool operator==(const Metric&) const = default;
};

}  // namespace kernelscape::trial
