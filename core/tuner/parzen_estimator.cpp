#include "core/tuner/parzen_estimator.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

namespace kernelscape::tuner {
namespace {

/// The number of the latest trials that have the full weight.
constexpr std::size_t full_weights = 25;

/// The range of an ordinal knob is at most this many times as wide as the narrowest kernel.
constexpr double max_narrowing = 100;

/// Maximum number of draws of a normal number within the range of the knob.
constexpr int max_normal_draws = 1000;

double normal_distribution(double z) { return 0.5 * std::erfc(-z / std::numbers::sqrt2); }

}  // namespace

std::vector<double> parzen_weights(std::size_t trials) {
  std::vector<double> weights(trials, 1.0);
  if (trials <= full_weights) return weights;
  const std::size_t falling = trials - full_weights;
  const double first = 1 / static_cast<double>(trials);
  for (std::size_t i = 0; i < falling; ++i) {
    const double progress = falling == 1 ? 0 : static_cast<double>(i) / static_cast<double>(falling - 1);
    weights[i] = first + (1 - first) * progress;
  }
  return weights;
}

ParzenEstimator::ParzenEstimator(const space::Knob& knob, std::span<const std::uint32_t> trials,
                                 double prior_weight)
    : count_(knob.count()),
      ordered_(knob.kind() == space::KnobKind::Ordinal),
      prior_weight_(prior_weight),
      weights_(parzen_weights(trials.size())) {
  weights_.push_back(trials.empty() ? 1 : prior_weight);
  const double sum = std::accumulate(weights_.begin(), weights_.end(), 0.0);
  for (double& weight : weights_) weight /= sum;
  if (ordered_) {
    place_normals(trials);
  } else {
    trials_.assign(trials.begin(), trials.end());
  }
}

/** Places a normal distribution at each trial, as wide as the distances to the next ones, and the prior. */
void ParzenEstimator::place_normals(std::span<const std::uint32_t> trials) {
  const double range = count_;
  for (const std::uint32_t trial : trials) normals_.push_back({static_cast<double>(trial), range});
  normals_.push_back({(range - 1) / 2, range});
  std::vector<std::size_t> order(normals_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return normals_[i].mean; });
  const double narrowest = range / std::min(max_narrowing, 1 + static_cast<double>(normals_.size()));
  for (std::size_t place = 0; place < order.size(); ++place) {
    if (order[place] + 1 == normals_.size()) continue;  // the prior
    Normal& normal = normals_[order[place]];
    double distance = 0;
    if (place > 0) distance = normal.mean - normals_[order[place - 1]].mean;
    if (place + 1 < order.size())
      distance = std::max(distance, normals_[order[place + 1]].mean - normal.mean);
    normal.deviation = std::clamp(distance, narrowest, range);
  }
  for (Normal& normal : normals_) normal.inside = share_in(normal, -0.5, range - 0.5);
}

/** Returns the share of a normal distribution, cut off at the ends of the knob, between two numbers. */
double ParzenEstimator::share_in(const Normal& normal, double from, double to) const {
  const auto below = [&](double value) {
    return normal_distribution((value - normal.mean) / normal.deviation);
  };
  return (below(to) - below(from)) / normal.inside;
}

/** Returns the weight of each value in the kernel of a trial, in which the trial's own value has 1 more. */
double ParzenEstimator::share_of_each() const { return prior_weight_ / static_cast<double>(weights_.size()); }

std::uint32_t ParzenEstimator::draw(base::Random& random) const {
  const std::size_t kernel = random.weighted(weights_);
  if (ordered_) {
    const Normal& normal = normals_[kernel];
    for (int attempt = 0; attempt < max_normal_draws; ++attempt) {
      const double value = std::round(normal.mean + normal.deviation * random.normal());
      if (value >= 0 && value <= count_ - 1.0) return static_cast<std::uint32_t>(value);
    }
    return static_cast<std::uint32_t>(normal.mean);
  }
  // The kernel of a trial is a share of each value, and the value itself.
  const double all = share_of_each() * count_;
  const bool any = kernel == trials_.size() || random.chance(all / (1 + all));
  return any ? static_cast<std::uint32_t>(random.below(count_)) : trials_[kernel];
}

double ParzenEstimator::probability(std::uint32_t index) const {
  double probability = 0;
  if (ordered_) {
    for (std::size_t kernel = 0; kernel < normals_.size(); ++kernel)
      probability += weights_[kernel] * share_in(normals_[kernel], index - 0.5, index + 0.5);
    return probability;
  }
  const double each = share_of_each();
  for (std::size_t kernel = 0; kernel < trials_.size(); ++kernel) {
    const double own = trials_[kernel] == index ? 1 : 0;
    probability += weights_[kernel] * (own + each) / (1 + count_ * each);
  }
  return probability + weights_.back() / count_;
}

}  // namespace kernelscape::tuner
