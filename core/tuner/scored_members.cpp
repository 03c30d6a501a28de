#include "core/tuner/scored_members.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <utility>

#include "core/surrogate/expected_improvement.h"

namespace kernelscape {
namespace {

GridPoints grid_points(const std::vector<Configuration>& members, const GridCoordinates& coordinates) {
  GridPoints points(coordinates.columns().size());
  for (const Configuration& member : members) points.add(coordinates.of(member));
  return points;
}

}  // namespace

ScoredMembers::ScoredMembers(std::vector<Configuration> members, const GridCoordinates& coordinates)
    : members_(std::move(members)),
      visited_(members_.size(), false),
      performance_(grid_points(members_, coordinates)) {}

std::optional<std::size_t> ScoredMembers::best(const SpaceModel& model, const Visited& visited) {
  std::vector<double> scores = this->scores(model);
  constexpr double never = -1;
  for (std::size_t i = 0; i < scores.size(); ++i)
    if (visited_[i]) scores[i] = never;
  for (;;) {
    const auto greatest = std::ranges::max_element(scores);
    if (greatest == scores.end() || *greatest < 0) return std::nullopt;
    const auto number = static_cast<std::size_t>(greatest - scores.begin());
    if (!visited.contains(members_[number])) return number;
    visited_[number] = true;
    *greatest = never;
  }
}

std::vector<Configuration> ScoredMembers::best_members(const SpaceModel& model, const Visited& visited,
                                                       std::size_t most) {
  const std::vector<double> scores = this->scores(model);
  std::vector<std::size_t> order(members_.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, std::ranges::greater(), [&](std::size_t i) { return scores[i]; });
  std::vector<Configuration> best;
  for (const std::size_t number : order) {
    if (best.size() == most) break;
    if (!visited.contains(members_[number])) best.push_back(members_[number]);
  }
  return best;
}

/** The exponential of the note's sum of logarithms, which orders alike. */
std::vector<double> ScoredMembers::scores(const SpaceModel& model) {
  constexpr double least_improvement = 1e-30;  // where nothing is expected, feasibility decides
  performance_.follow(model.performance());
  const Eigen::VectorXf means = performance_.means(model.performance());
  const Eigen::VectorXf variances = performance_.variances(model.performance());
  std::vector<double> scores(members_.size());
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const auto at = static_cast<Eigen::Index>(i);
    const double deviation = std::sqrt(static_cast<double>(variances[at]));
    scores[i] = least_improvement + expected_improvement(-means[at], deviation, -model.incumbent());
  }
  if (model.feasibility() == nullptr) return scores;
  if (!feasibility_) feasibility_.emplace(performance_.points());
  feasibility_->follow(*model.feasibility());
  const Eigen::VectorXf feasible = feasibility_->means(*model.feasibility());
  for (std::size_t i = 0; i < scores.size(); ++i)
    scores[i] *= model.feasible(feasible[static_cast<Eigen::Index>(i)]);
  return scores;
}

}  // namespace kernelscape
