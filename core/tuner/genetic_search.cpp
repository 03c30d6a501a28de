#include "core/tuner/genetic_search.h"

#include <algorithm>
#include <utility>

#include "core/tuner/genes.h"

namespace kernelscape::tuner {
namespace {

/** The scored configurations: the parents of a generation and the best of all generations. */
class PredictedGenerations {
 public:
  PredictedGenerations(const space::SearchSpace& space, const GeneticSettings& settings, base::Random random)
      : space_(space),
        settings_(settings),
        random_(random.fork("genetic operators")),
        visited_(space, random.fork("random members")) {}

  std::vector<space::Configuration> first_generation() {
    std::vector<space::Configuration> members;
    visited_.fill(members, settings_.population);
    return members;
  }

  /** Returns the next generation; empty if the space has no more members. */
  std::vector<space::Configuration> next_generation() {
    std::vector<space::Configuration> children;
    while (children.size() < settings_.population) {
      auto child = visited_.take_child(random_, [&](base::Random& random) {
        return breed_child(parents_, weights_, space_.knobs(), settings_.mutation_probability, random);
      });
      if (!child) break;
      children.push_back(std::move(*child));
    }
    return children;
  }

  /**
   * Sets the parents of the next generation: these configurations and the elites, which were chosen before.
   */
  void take(std::vector<space::Configuration> generation, std::span<const float> scores) {
    parents_ = std::move(generation);
    std::vector<double> parent_scores(scores.begin(), scores.end());
    parents_.insert(parents_.end(), elites_.begin(), elites_.end());
    parent_scores.insert(parent_scores.end(), elite_scores_.begin(), elite_scores_.end());
    elites_.clear();
    elite_scores_.clear();
    for (const std::size_t best : best_positions(parent_scores, settings_.elites)) {
      elites_.push_back(parents_[best]);
      elite_scores_.push_back(parent_scores[best]);
    }
    greatest_ = std::max(greatest_, std::ranges::max(parent_scores));
    weights_.clear();
    for (const double parent_score : parent_scores) {
      const double share = greatest_ > 0 ? std::max(parent_score, 0.0) / greatest_ : 0;
      weights_.push_back(share + min_parent_weight);
    }
  }

  const DrawnChildren& drawn() const { return visited_.drawn(); }

 private:
  const space::SearchSpace& space_;
  const GeneticSettings& settings_;
  base::Random random_;
  Visited visited_;
  std::vector<space::Configuration> parents_;
  std::vector<double> weights_;  ///< weights of the parents
  std::vector<space::Configuration> elites_;
  std::vector<double> elite_scores_;
  double greatest_ = 0;
};

}  // namespace

Result<std::vector<ScoredConfiguration>> find_maximums_by_breeding(const space::SearchSpace& space,
                                                                   const GeneticSettings& settings,
                                                                   const ScoreFunction& score,
                                                                   std::size_t count, base::Random random,
                                                                   DrawnChildren& drawn) {
  PredictedGenerations breeding(space, settings, std::move(random));
  std::vector<space::Configuration> seen;
  std::vector<double> scores_of_seen;
  std::vector<space::Configuration> generation = breeding.first_generation();
  for (std::int64_t number = 1; !generation.empty(); ++number) {
    const auto scores = TRY(score(generation));
    seen.insert(seen.end(), generation.begin(), generation.end());
    scores_of_seen.insert(scores_of_seen.end(), scores.begin(), scores.end());
    if (number == settings.generations) break;
    breeding.take(std::move(generation), scores);
    generation = breeding.next_generation();
  }
  drawn = breeding.drawn();
  std::vector<ScoredConfiguration> best;
  for (const std::size_t position : best_positions(scores_of_seen, count))
    best.push_back({seen[position], static_cast<float>(scores_of_seen[position])});
  return best;
}

}  // namespace kernelscape::tuner
