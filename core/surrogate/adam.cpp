#include "core/surrogate/adam.h"

#include <Eigen/Core>

namespace kernelscape::surrogate {

Adam::Adam(std::size_t parameters, const AdamOptions& options)
    : options_(options), first_moment_(parameters), second_moment_(parameters) {}

void Adam::step(std::span<double> parameters, std::span<const double> gradient) {
  const auto count = static_cast<Eigen::Index>(parameters.size());
  Eigen::Map<Eigen::ArrayXd> values(parameters.data(), count);
  const Eigen::Map<const Eigen::ArrayXd> slopes(gradient.data(), count);
  Eigen::Map<Eigen::ArrayXd> first(first_moment_.data(), count);
  Eigen::Map<Eigen::ArrayXd> second(second_moment_.data(), count);

  first = options_.first_moment_decay * first + (1 - options_.first_moment_decay) * slopes;
  second = options_.second_moment_decay * second + (1 - options_.second_moment_decay) * slopes.square();
  first_weight_ *= options_.first_moment_decay;
  second_weight_ *= options_.second_moment_decay;
  values -= options_.learning_rate * (first / (1 - first_weight_)) /
            ((second / (1 - second_weight_)).sqrt() + options_.epsilon);
}

}  // namespace kernelscape::surrogate
