#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/tuner/member_share.h"
#include "core/tuner/solved_space.h"
#include "core/tuner/speed_model.h"

namespace kernelscape::tuner {

/** An individual of a population. It may lie outside the space. */
struct Individual {
  space::Configuration configuration;
  double prediction = 1;  ///< prediction of the cost model; larger is faster
  /// one value per constraint, some above 0; empty for a member of the space
  std::vector<double> violations = {};

  /** Returns true if the individual violates no constraint. */
  bool member() const { return violations.empty(); }
};

/** What a strategy needs to breed children. */
struct BreedingTools {
  const SolvedSpace& space;
  const SpeedModel& model;  ///< SpeedModel::ready() is true
  base::Random& random;
  DrawnChildren& drawn;  ///< counts every child, with whether it was a member when it was first drawn
};

/**
 * The parts of Heron's search that differ between strategies. The default implementations are Heron's own
 * selection.
 */
class Breeding {
 public:
  virtual ~Breeding() = default;

  /** Notifies that the model was refitted. What this call draws from the model is used for one round. */
  virtual Status begin_round(const BreedingTools& /*tools*/) { return {}; }

  /**
   * Returns the numbers of the individuals of a pool that survive, at most `count`; by default the
   * individuals with the best predictions.
   */
  virtual std::vector<std::size_t> survivors(std::span<const Individual> pool, std::size_t count,
                                             base::Random& random) const;

  /**
   * Returns the numbers of the parents of the next children; by default at most `count`, drawn by roulette,
   * each at most once.
   */
  virtual std::vector<std::size_t> parents(std::span<const Individual> population, std::size_t count,
                                           base::Random& random) const;

  /** Breeds at most `count` children, which need not be members of the space. @param parents at least one */
  virtual Result<std::vector<space::Configuration>> breed(std::span<const Individual> parents,
                                                          std::size_t count, const BreedingTools& tools) = 0;

  /**
   * Returns true if the next population is selected from the last population and its children; false if it is
   * selected from the children and the best individuals of all generations.
   */
  virtual bool parents_compete() const { return false; }
};

/**
 * Draws at most `count` numbers by roulette, each at most once, in proportion to value - smallest value +
 * 1e-16 (Heron).
 */
std::vector<std::size_t> draw_by_roulette(std::span<const double> values, std::size_t count,
                                          base::Random& random);

/** Declares a tuner that uses Heron's search with its own strategy. */
struct SearchStrategy {
  std::string name;
  std::string summary;
  std::string source;
  std::string drawn;  ///< describes its children in the documentation of its series
  /// in addition to the settings that all strategies have
  std::vector<HyperparameterDeclaration> settings = {};
  std::function<std::unique_ptr<Breeding>(const SettingValues&)> make_breeding;
};

/**
 * Returns a tuner that runs Heron's exploration (Algorithm 2) round by round. A strategy breeds random
 * solutions and the best configurations so far for some generations, and a cost model predicts their speed. A
 * part of the round is then the best predictions, the rest is drawn by roulette; the model learns from the
 * measurements. Only members of the space are measured.
 */
Declaration constrained_search_tuner(SearchStrategy strategy);

}  // namespace kernelscape::tuner
