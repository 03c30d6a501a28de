#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/result.h"

namespace kernelscape::surrogate {

/** How an optimizer makes parameters smaller. */
enum class WeightDecay : std::uint8_t {
  Decoupled,  ///< each step multiplies the parameters (Loshchilov and Hutter 2019, AdamW)
  Gradient    ///< the decay times the parameters is added to the gradient, as by L2 (PyTorch's Adam)
};

/** Options of Kingma and Ba 2015, whose defaults these are, and of Loshchilov and Hutter 2019. */
struct OptimizerOptions {
  double first_moment_decay = 0.9;     ///< beta 1
  double second_moment_decay = 0.999;  ///< beta 2
  double epsilon = 1e-8;               ///< added to the root of the second moment
  /** Decoupled: times the rate, the share by which a step decreases each parameter. Gradient: a factor. */
  double weight_decay = 0;
  WeightDecay decay = WeightDecay::Decoupled;
};

/**
 * Adam with weight decay of either form (Loshchilov and Hutter 2019, algorithm 2), on 32-bit numbers, in the
 * calling thread only.
 */
class Optimizer {
 public:
  Optimizer(std::size_t parameters, const OptimizerOptions& options);

  /** Makes one descent step. @param parameters, gradient as many numbers as passed to the constructor */
  void step(std::span<float> parameters, std::span<const float> gradient, double rate);

  /**
   * Returns the whole state, with which another optimizer with the same options continues with identical
   * bits.
   */
  std::vector<float> state() const;
  /**
   * Sets the state. Returns Corrupt if it cannot be the state of an optimizer with this number of parameters.
   */
  Status set_state(std::span<const float> state);

 private:
  OptimizerOptions options_;
  std::vector<float> first_moment_;
  std::vector<float> second_moment_;
  std::int64_t steps_ = 0;
};

/**
 * Returns the learning rate of an epoch, counted from 0: it decreases from `initial` to 0 after `epochs`
 * along half a cosine (Loshchilov and Hutter 2017, without restarts).
 */
double cosine_rate(double initial, std::int64_t epoch, std::int64_t epochs);

}  // namespace kernelscape::surrogate
