#include "core/surrogate/network/optimizer.h"

#include <fmt/format.h>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <numbers>

namespace kernelscape::surrogate {
namespace {

using Floats = Eigen::Map<Eigen::ArrayXf>;
using ConstFloats = Eigen::Map<const Eigen::ArrayXf>;

/** Maximum of a count that is stored as a 32-bit float: all whole numbers up to it are exact. */
constexpr std::int64_t max_stored_steps = 1 << 24;

}  // namespace

Optimizer::Optimizer(std::size_t parameters, const OptimizerOptions& options)
    : options_(options), first_moment_(parameters), second_moment_(parameters) {}

void Optimizer::step(std::span<float> parameters, std::span<const float> gradient, double rate) {
  ++steps_;
  const auto count = static_cast<Eigen::Index>(parameters.size());
  Floats values(parameters.data(), count);
  const ConstFloats given(gradient.data(), count);
  Floats first(first_moment_.data(), count);
  Floats second(second_moment_.data(), count);

  const auto first_decay = static_cast<float>(options_.first_moment_decay);
  const auto second_decay = static_cast<float>(options_.second_moment_decay);
  const auto add_to_moments = [&](const auto& slopes) {
    first = first_decay * first + (1 - first_decay) * slopes;
    second = second_decay * second + (1 - second_decay) * slopes.square();
  };
  if (options_.decay == WeightDecay::Gradient) {
    add_to_moments(given + static_cast<float>(options_.weight_decay) * values);
  } else {
    add_to_moments(given);
    values *= static_cast<float>(1 - rate * options_.weight_decay);
  }
  // The remaining weight of the moments' start at zero.
  const auto steps = static_cast<double>(steps_);
  const double first_share = 1 - std::pow(options_.first_moment_decay, steps);
  const double second_share = 1 - std::pow(options_.second_moment_decay, steps);
  values -= static_cast<float>(rate / first_share) * first /
            ((second * static_cast<float>(1 / second_share)).sqrt() + static_cast<float>(options_.epsilon));
}

std::vector<float> Optimizer::state() const {
  std::vector<float> state{static_cast<float>(std::min(steps_, max_stored_steps))};
  state.insert(state.end(), first_moment_.begin(), first_moment_.end());
  state.insert(state.end(), second_moment_.begin(), second_moment_.end());
  return state;
}

Status Optimizer::set_state(std::span<const float> state) {
  const std::size_t parameters = first_moment_.size();
  if (state.size() != 1 + 2 * parameters) {
    return fail(ErrorCode::Corrupt,
                fmt::format("{} numbers are not the state of an optimizer with {} parameters", state.size(),
                            parameters));
  }
  const float steps = state.front();
  const auto second = state.last(parameters);
  if (!std::ranges::all_of(state, [](float number) { return std::isfinite(number); }) || steps < 0 ||
      steps > static_cast<float>(max_stored_steps) || steps != std::floor(steps) ||
      std::ranges::any_of(second, [](float number) { return number < 0; }))
    return fail(ErrorCode::Corrupt, "the state of an optimizer has impossible numbers");
  steps_ = static_cast<std::int64_t>(steps);
  std::ranges::copy(state.subspan(1, parameters), first_moment_.begin());
  std::ranges::copy(second, second_moment_.begin());
  return {};
}

double cosine_rate(double initial, std::int64_t epoch, std::int64_t epochs) {
  return initial *
         (1 + std::cos(std::numbers::pi * static_cast<double>(epoch) / static_cast<double>(epochs))) / 2;
}

}  // namespace kernelscape::surrogate
