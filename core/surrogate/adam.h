#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace kernelscape {

/** Kingma and Ba 2015, whose defaults these are. */
struct AdamOptions {
  double learning_rate = 1e-3;
  double first_moment_decay = 0.9;     ///< beta 1
  double second_moment_decay = 0.999;  ///< beta 2
  double epsilon = 1e-8;               ///< added to the root of the second moment
};

/** Adam (Kingma and Ba 2015, algorithm 1): gradient descent in steps of about the learning rate. */
class Adam {
 public:
  Adam(std::size_t parameters, const AdamOptions& options);

  /** One step downhill. @param parameters, gradient as many numbers as it was made for */
  void step(std::span<double> parameters, std::span<const double> gradient);

 private:
  AdamOptions options_;
  std::vector<double> first_moment_;
  std::vector<double> second_moment_;
  double first_weight_ = 1;   ///< beta 1 to the number of steps: what the moment's zero start still weighs
  double second_weight_ = 1;  ///< beta 2 likewise
};

}  // namespace kernelscape
