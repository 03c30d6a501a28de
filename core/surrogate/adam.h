#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace kernelscape::surrogate {

/** Options of Adam; the defaults are those of Kingma and Ba 2015. */
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

  /** Makes one descent step. @param parameters, gradient as many numbers as passed to the constructor */
  void step(std::span<double> parameters, std::span<const double> gradient);

 private:
  AdamOptions options_;
  std::vector<double> first_moment_;
  std::vector<double> second_moment_;
  /** Beta 1 to the power of the number of steps: the remaining weight of the moment's zero start. */
  double first_weight_ = 1;
  double second_weight_ = 1;  ///< beta 2 to the power of the number of steps
};

}  // namespace kernelscape::surrogate
