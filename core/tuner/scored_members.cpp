#include "core/tuner/scored_members.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <numeric>
#include <utility>

#include "core/surrogate/expected_improvement.h"
#include "core/surrogate/source_model.h"

namespace kernelscape::tuner {
namespace {

surrogate::GridPoints grid_points(const std::vector<space::Configuration>& members,
                                  const space::GridCoordinates& coordinates) {
  surrogate::GridPoints points(coordinates.columns().size());
  for (const space::Configuration& member : members) points.add(coordinates.of(member));
  return points;
}

}  // namespace

ScoredMembers::ScoredMembers(std::vector<space::Configuration> members,
                             const space::GridCoordinates& coordinates) {
  add(std::move(members), coordinates);
}

void ScoredMembers::add(std::vector<space::Configuration> members,
                        const space::GridCoordinates& coordinates) {
  parts_.push_back(
      {.first = members_.size(), .performance = surrogate::GridPosterior(grid_points(members, coordinates))});
  if (members_.empty()) {
    members_ = std::move(members);
  } else {
    members_.insert(members_.end(), std::make_move_iterator(members.begin()),
                    std::make_move_iterator(members.end()));
  }
  visited_.resize(members_.size(), false);
  scores_.resize(members_.size());
}

std::optional<std::size_t> ScoredMembers::best(const surrogate::SpaceModel& model, const Visited& visited,
                                               base::Random* ties) {
  score(model);
  const std::vector<std::size_t> tied = greatest_unvisited(visited);
  if (tied.empty()) return std::nullopt;
  // No random number is drawn if there is nothing to decide.
  return ties != nullptr && tied.size() > 1 ? tied[ties->below(tied.size())] : tied.front();
}

/** Returns all unvisited members with the largest score, in their order. */
std::vector<std::size_t> ScoredMembers::greatest_unvisited(const Visited& visited) {
  std::vector<std::size_t> tied;
  double greatest = 0;  // no score is below 0
  for (std::size_t i = 0; i < scores_.size(); ++i) {
    if (visited_[i] || scores_[i] < greatest) continue;
    visited_[i] = visited.contains(members_[i]);
    if (visited_[i]) continue;
    if (scores_[i] > greatest) tied.clear();
    greatest = scores_[i];
    tied.push_back(i);
  }
  return tied;
}

std::vector<space::Configuration> ScoredMembers::best_members(const surrogate::SpaceModel& model,
                                                              const Visited& visited, std::size_t most) {
  score(model);
  std::vector<std::size_t> order(members_.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, std::ranges::greater(), [&](std::size_t i) { return scores_[i]; });
  std::vector<space::Configuration> best;
  for (const std::size_t number : order) {
    if (best.size() == most) break;
    if (!visited.contains(members_[number])) best.push_back(members_[number]);
  }
  return best;
}

void ScoredMembers::score(const surrogate::SpaceModel& model) {
  for (Part& part : parts_) {
    if (part.scored != model.revision()) score_part(model, part);
    part.scored = model.revision();
  }
}

/** Returns SpaceModel::source_value() of each member. The predictions of the sources never change. */
Eigen::VectorXf ScoredMembers::source_values(const surrogate::SpaceModel& model, Part& part) {
  const surrogate::GridPoints& points = part.performance.points();
  const auto size = static_cast<Eigen::Index>(points.size());
  Eigen::VectorXf sum = Eigen::VectorXf::Zero(size);
  part.sources.resize(model.sources().size());
  for (std::size_t source = 0; source < part.sources.size(); ++source) {
    const surrogate::SourceWeight& weight = model.weights()[source];
    const double slope = weight.weight * weight.slope;
    if (!(slope > 0)) continue;
    Eigen::VectorXf& values = part.sources[source];
    if (values.size() != size) {
      values.resize(size);
      for (Eigen::Index i = 0; i < size; ++i)
        values[i] =
            static_cast<float>(model.sources()[source]->predict(points.at(static_cast<std::size_t>(i))));
    }
    sum += static_cast<float>(slope) * values;
  }
  return sum;
}

/** Computes the exponential of the sum of logarithms, which gives the same order. */
void ScoredMembers::score_part(const surrogate::SpaceModel& model, Part& part) {
  constexpr double min_improvement = 1e-30;  // if no improvement is expected, feasibility decides
  part.performance.follow(model.performance());
  Eigen::VectorXf means = part.performance.means(model.performance());
  if (!model.sources().empty()) means += source_values(model, part);
  const Eigen::VectorXf variances = part.performance.variances(model.performance());
  for (Eigen::Index i = 0; i < means.size(); ++i) {
    const double deviation = std::sqrt(static_cast<double>(variances[i]));
    scores_[part.first + static_cast<std::size_t>(i)] =
        min_improvement + surrogate::expected_improvement(-means[i], deviation, -model.incumbent());
  }
  if (model.feasibility() == nullptr) return;
  if (!part.feasibility) part.feasibility.emplace(part.performance.points());
  part.feasibility->follow(*model.feasibility());
  const Eigen::VectorXf feasible = part.feasibility->means(*model.feasibility());
  for (Eigen::Index i = 0; i < feasible.size(); ++i)
    scores_[part.first + static_cast<std::size_t>(i)] *= model.feasible(feasible[i]);
}

}  // namespace kernelscape::tuner
