#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/result.h"

namespace kernelscape {

/** Of Kingma and Ba 2015, whose defaults these are, and of Loshchilov and Hutter 2019. */
struct OptimizerOptions {
  double first_moment_decay = 0.9;     ///< beta 1
  double second_moment_decay = 0.999;  ///< beta 2
  double epsilon = 1e-8;               ///< added to the root of the second moment
  double weight_decay = 0;             ///< decoupled: times the rate, the share of each parameter that goes
};

/** Adam with decoupled weight decay (Loshchilov and Hutter 2019, algorithm 2), on 32-bit numbers, in the
 * calling thread alone. */
class Optimizer {
 public:
  Optimizer(std::size_t parameters, const OptimizerOptions& options);

  /** One step downhill. @param parameters, gradient as many numbers as it was made for */
  void step(std::span<float> parameters, std::span<const float> gradient, double rate);

  /** All that it remembers: with it, another optimizer of the same options goes on with the same bits. */
  std::vector<float> state() const;
  /** Corrupt where that cannot be the state of an optimizer of so many parameters. */
  Status set_state(std::span<const float> state);

 private:
  OptimizerOptions options_;
  std::vector<float> first_moment_;
  std::vector<float> second_moment_;
  std::int64_t steps_ = 0;
};

/** The rate of an epoch, counted from 0: from `initial` down to 0 after `epochs` along half a cosine
 * (Loshchilov and Hutter 2017, without restarts). */
double cosine_rate(double initial, std::int64_t epoch, std::int64_t epochs);

}  // namespace kernelscape
