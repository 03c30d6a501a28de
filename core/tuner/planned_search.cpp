#include "core/tuner/planned_search.h"

#include <algorithm>

#include "core/tuner/diversity.h"

namespace kernelscape::tuner {
namespace {

/// A model is only fitted once a trial reached this fitness (AutoTVM).
constexpr double min_fitness = 1e-6;

/// Maximum number of consecutive draws for a member within the limits.
constexpr int max_draws_within_limits = 1 << 16;

/**
 * Returns a score function that gives `beyond_limits_score` to configurations that the filter rejects,
 * without calling `score` for them.
 */
ScoreFunction limited(const ScoreFunction& score, const MemberFilter& within_limits) {
  if (!within_limits) return score;
  return
      [&score, &within_limits](std::span<const space::Configuration> points) -> Result<std::vector<float>> {
        std::vector<space::Configuration> inside;
        std::vector<std::size_t> positions;
        for (std::size_t i = 0; i < points.size(); ++i) {
          if (!within_limits(points[i])) continue;
          inside.push_back(points[i]);
          positions.push_back(i);
        }
        std::vector<float> scores(points.size(), beyond_limits_score);
        if (inside.empty()) return scores;
        const auto known = TRY(score(inside));
        for (std::size_t i = 0; i < positions.size(); ++i) scores[positions[i]] = known[i];
        return scores;
      };
}

}  // namespace

SettingsOf<AnnealingSettings> annealing_settings(const std::string& source) {
  const std::string optimizer = "AutoTVM, SimulatedAnnealingOptimizer";
  return SettingsOf<AnnealingSettings>()
      .add("chains", &AnnealingSettings::chains, 1, 100'000, "",
           "number of parallel chains of simulated annealing", source + " (parallel_size)")
      .add("annealing_iterations", &AnnealingSettings::iterations, 1, 1'000'000, "",
           "number of iterations, in which the temperature falls from 1 to 0", optimizer + " (n_iter)")
      .add("annealing_patience", &AnnealingSettings::patience, 1, 1'000'000, "iterations",
           "number of iterations without a new maximum after which annealing stops",
           optimizer + " (early_stop)");
}

SettingsOf<PlanSettings> PlanSettings::table(const std::string& source) {
  return SettingsOf<PlanSettings>()
      .group(&PlanSettings::features, FeatureSettings::table())
      .add("plan_size", &PlanSettings::plan_size, 1, 100'000, "trials",
           "trials between two fits of the model", source)
      .add("diversity_ratio", &PlanSettings::diversity_ratio, 0, 1000, "plans",
           "size, in plans, of the set of maxima from which the most diverse plan is picked; 0: off",
           "AutoTVM, ModelBasedTuner (diversity_filter_ratio)")
      .group(&PlanSettings::annealing, annealing_settings(source));
}

PlannedSearch::PlannedSearch(const Context& context, const PlanSettings& settings)
    : plan_size_(settings.plan_size),
      diversity_ratio_(settings.diversity_ratio),
      within_limits_(context.within_limits),
      visited_(context.space, context.random.fork("random members")),
      annealing_(context.space, settings.annealing, context.random.fork("annealing")) {}

bool PlannedSearch::fit_due(std::size_t trials, double best_fitness) const {
  return trials >= plan_size_ * (fits_ + 1) && best_fitness > min_fitness;
}

Status PlannedSearch::plan(const ScoreFunction& score, double random_share) {
  const std::size_t wanted = plan_size_ * std::max<std::size_t>(1, diversity_ratio_);
  auto maximums = TRY(annealing_.find_maximums(limited(score, within_limits_), wanted, visited_));
  if (within_limits_) {
    std::erase_if(maximums,
                  [this](const ScoredConfiguration& one) { return !within_limits_(one.configuration); });
  }
  plan_ = diversity_ratio_ > 0 ? diverse(maximums) : std::move(maximums);
  random_in_plan_ = static_cast<std::size_t>(random_share * static_cast<double>(plan_size_));
  next_ = 0;
  return {};
}

void PlannedSearch::follow(std::vector<ScoredConfiguration> plan) {
  plan_ = std::move(plan);
  random_in_plan_ = 0;
  next_ = 0;
}

Proposal PlannedSearch::take(std::size_t n) {
  std::vector<space::Configuration> candidates;
  scores_.clear();
  while (candidates.size() < n) {
    if (!take_next(candidates)) break;
  }
  if (candidates.empty() && met_limits_)
    return Finished{"no more configurations within the target's limits were found"};
  if (candidates.empty()) return visited_.finished();
  return candidates;
}

bool PlannedSearch::take_next(std::vector<space::Configuration>& candidates) {
  while (next_ < plan_.size() && visited_.contains(plan_[next_].configuration)) ++next_;
  if (next_ + random_in_plan_ < plan_.size()) {
    candidates.push_back(plan_[next_].configuration);
    scores_.emplace_back(plan_[next_].score);
    ++next_;
    return visited_.insert(candidates.back());
  }
  auto member = take_random();
  if (!member) return false;
  candidates.push_back(std::move(*member));
  scores_.emplace_back();
  return true;
}

std::optional<space::Configuration> PlannedSearch::take_random() {
  for (int draws = 0; draws < max_draws_within_limits; ++draws) {
    auto member = visited_.take_random();
    if (!member || !within_limits_ || within_limits_(*member)) return member;
    // Members beyond the limits stay visited, so that they are not drawn again.
    met_limits_ = true;
  }
  return std::nullopt;
}

std::optional<float> PlannedSearch::score(std::size_t position) const {
  return position < scores_.size() ? scores_[position] : std::nullopt;
}

std::vector<space::Configuration> PlannedSearch::sample_unvisited(std::size_t count) {
  std::vector<space::Configuration> sample;
  while (sample.size() < count) {
    auto member = visited_.take_random();
    if (!member) break;
    sample.push_back(std::move(*member));
  }
  for (const space::Configuration& configuration : sample) visited_.erase(configuration);
  return sample;
}

std::vector<ScoredConfiguration> PlannedSearch::diverse(std::span<const ScoredConfiguration> maximums) const {
  std::vector<space::Configuration> configurations;
  for (const ScoredConfiguration& maximum : maximums) configurations.push_back(maximum.configuration);
  std::vector<ScoredConfiguration> picked;
  for (const std::size_t position : submodular_pick(configurations, plan_size_))
    picked.push_back(maximums[position]);
  return picked;
}

}  // namespace kernelscape::tuner
