#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/space/configuration.h"

namespace kernelscape::space {

/**
 * A previously trained model that predicts the performance of unmeasured configurations (One-Shot Tuner).
 * Bound to one task, template and target.
 */
class PerformancePredictor {
 public:
  virtual ~PerformancePredictor() = default;

  /**
   * Predicts the fitness (FLOP/s) of well-formed configurations, in their order. Each prediction is
   * independent of the other configurations and of the number of threads. Thread-safe.
   */
  virtual Result<std::vector<float>> predict(std::span<const Configuration> configurations) const = 0;

  /**
   * Returns the identity of the predictor, for users and for stored sessions: "conv2d-packed-avx512
   * 3f2a09c4d1e8".
   */
  virtual const std::string& text() const = 0;
};

}  // namespace kernelscape::space
