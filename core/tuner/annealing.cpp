#include "core/tuner/annealing.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <unordered_set>
#include <utility>

#include "core/tuner/genes.h"

namespace kernelscape::tuner {
namespace {

/// Keeps the division finite at temperature 0 (AutoTVM).
constexpr double min_temperature = 1e-5;

/**
 * The best configurations seen, each once. Of two with equal scores, the smaller configuration is replaced
 * first.
 */
class BestSet {
 public:
  BestSet(std::size_t capacity, const Visited& visited) : capacity_(capacity), visited_(visited) {}

  /** Returns true if the configuration was added. */
  bool offer(float score, const space::Configuration& configuration) {
    const bool full = ordered_.size() == capacity_;
    if (full && (capacity_ == 0 || score <= ordered_.begin()->first)) return false;
    if (visited_.contains(configuration) || held_.contains(configuration)) return false;
    if (full) {
      held_.erase(ordered_.begin()->second);
      ordered_.erase(ordered_.begin());
    }
    ordered_.emplace(score, configuration);
    held_.insert(configuration);
    return true;
  }

  std::vector<ScoredConfiguration> best_first() const {
    std::vector<ScoredConfiguration> result;
    for (auto item = ordered_.rbegin(); item != ordered_.rend(); ++item)
      result.push_back({item->second, item->first});
    return result;
  }

 private:
  std::size_t capacity_;
  const Visited& visited_;
  std::set<std::pair<float, space::Configuration>> ordered_;
  std::unordered_set<space::Configuration> held_;  ///< for look-up only
};

}  // namespace

double annealing_acceptance(double change, double temperature) {
  return std::exp(std::min(change / (temperature + min_temperature), 1.0));
}

AnnealingOptimizer::AnnealingOptimizer(space::SearchSpace space, AnnealingSettings settings,
                                       base::Random random)
    : space_(std::move(space)), settings_(settings), random_(std::move(random)) {}

void AnnealingOptimizer::place_chains() {
  Visited placed(space_, random_.fork("chains"));
  placed.fill(points_, settings_.chains);
}

std::vector<space::Configuration> AnnealingOptimizer::step() {
  std::vector<space::Configuration> next;
  next.reserve(points_.size());
  for (const space::Configuration& point : points_) {
    const auto walk = [&](base::Random& random) { return random_walk(point, space_.knobs(), random); };
    next.push_back(draw_child(space_, random_, walk, drawn_).value_or(point));
  }
  return next;
}

Result<std::vector<ScoredConfiguration>> AnnealingOptimizer::find_maximums(const ScoreFunction& score,
                                                                           std::size_t count,
                                                                           const Visited& visited) {
  drawn_ = {};
  if (points_.empty()) place_chains();
  auto scores = TRY(score(points_));
  BestSet best(count, visited);
  for (std::size_t i = 0; i < points_.size(); ++i) best.offer(scores[i], points_[i]);

  double temperature = 1;
  const double cooling = 1.0 / static_cast<double>(settings_.iterations + 1);
  std::int64_t last_change = 0;
  for (std::int64_t i = 0; i < settings_.iterations && i < last_change + settings_.patience; ++i) {
    const std::vector<space::Configuration> next = step();
    const auto next_scores = TRY(score(next));
    for (std::size_t chain = 0; chain < next.size(); ++chain) {
      const float next_score = next_scores[chain];
      if (random_.uniform() < annealing_acceptance(next_score - scores[chain], temperature)) {
        points_[chain] = next[chain];
        scores[chain] = next_score;
      }
      if (best.offer(next_score, next[chain])) last_change = i;
    }
    temperature -= cooling;
  }
  return best.best_first();
}

}  // namespace kernelscape::tuner
