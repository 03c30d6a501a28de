#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/space/configuration.h"

namespace kernelscape {

/** What a model that was trained before says of a space's configurations, none of them measured (One-Shot
 * Tuner). Bound to one task, template and target. */
class PerformancePredictor {
 public:
  virtual ~PerformancePredictor() = default;

  /**
   * The fitness (FLOP/s) that it expects of well-formed configurations, in their order. What it says of one
   * depends neither on the others nor on how many threads ask; any thread may.
   */
  virtual Result<std::vector<float>> predict(std::span<const Configuration> configurations) const = 0;

  /** Which one it is, for users and for a session's identity: "conv2d-packed-avx512 3f2a09c4d1e8". */
  virtual const std::string& text() const = 0;
};

}  // namespace kernelscape
