#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/tuner/member_share.h"
#include "core/tuner/solved_space.h"
#include "core/tuner/speed_model.h"

namespace kernelscape {

/** One of a population, which may leave the space. */
struct Individual {
  Configuration configuration;
  double prediction = 1;                ///< of the cost model; larger is faster
  std::vector<double> violations = {};  ///< by constraint, some above 0; empty: it is a member

  /** Whether it violates nothing. */
  bool member() const { return violations.empty(); }
};

/** What a strategy makes children with. */
struct BreedingTools {
  const SolvedSpace& space;
  const SpeedModel& model;  ///< ready
  Random& random;
  DrawnChildren& drawn;  ///< told of every child whether it was a member as it was drawn
};

/** What strategies differ in that search as Heron does. Its own selection stands here. */
class Breeding {
 public:
  virtual ~Breeding() = default;

  /** The model was fitted anew: what is drawn from it holds for a round. */
  virtual Status begin_round(const BreedingTools& /*tools*/) { return {}; }

  /** Numbers of those that go on from a pool, at most `count`: here the best predictions. */
  virtual std::vector<std::size_t> survivors(std::span<const Individual> pool, std::size_t count,
                                             Random& random) const;

  /** Numbers of the parents of the next children, at most `count`: here by roulette, each once. */
  virtual std::vector<std::size_t> parents(std::span<const Individual> population, std::size_t count,
                                           Random& random) const;

  /** Children, members or not, at most `count`. @param parents at least one */
  virtual Result<std::vector<Configuration>> breed(std::span<const Individual> parents, std::size_t count,
                                                   const BreedingTools& tools) = 0;

  /** Whether the next population survives from the last one and its children, and not these with the best of
   * all. */
  virtual bool parents_compete() const { return false; }
};

/** Roulette: numbers drawn in proportion to value - the least value + 1e-16, each at most once (Heron). */
std::vector<std::size_t> draw_by_roulette(std::span<const double> values, std::size_t count, Random& random);

/** A tuner that searches as Heron does, and what is its own. */
struct SearchStrategy {
  std::string name;
  std::string summary;
  std::string source;
  std::string drawn;                                     ///< what its children are, for its series
  std::vector<HyperparameterDeclaration> settings = {};  ///< beside those of all
  std::function<std::unique_ptr<Breeding>(const SettingValues&)> make_breeding;
};

/**
 * Heron's exploration (Algorithm 2), round by round: random solutions and the best so far are bred by a
 * strategy for some generations, for what a cost model predicts; a part of the round are then the best
 * predictions, the rest is drawn by roulette; the model learns what was measured. Only members are measured.
 */
TunerDeclaration constrained_search_tuner(SearchStrategy strategy);

}  // namespace kernelscape
