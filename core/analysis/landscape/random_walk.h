#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/space/search_space.h"
#include "core/space/topology.h"

namespace kernelscape::analysis {

/** Maximum number of values of a knob that is not categorical: more would take seconds. */
constexpr std::uint32_t max_walk_values = 20'000;

/**
 * Returns the distribution of the end of a q-random walk over a knob's values (OpEvo, section 4.3, equation
 * 3): from u it stops with probability 1 - q, else moves to one of the neighbours S(u), each with q / |S(u)|;
 * P_u(v) = (1 - q) * sum over t of q^t (W^t)(u, v), W(u, v) = 1 / |S(u)|. A walk stays at a value without
 * neighbours. The sum is computed until the remaining probability of walking is below 1e-12, which then
 * counts at its current position; a categorical knob's is in closed form.
 * Returns an error for q outside [0, 0.99], an unknown value, or a knob with over 20,000 values that is not
 * categorical.
 * @return probability of each value; they add up to 1
 */
Result<std::vector<double>> walk_distribution(const space::Knob& knob, std::uint32_t start, double q);

/** The distance of a value that no moves reach. */
constexpr std::uint32_t no_distance = UINT32_MAX;

/** Returns whether to continue; false cancels a computation whose result is no longer needed. */
using KeepGoing = std::function<bool()>;

/**
 * The topology of a knob (OpEvo, section 3), with every value's neighbours listed once for many walks. A
 * categorical knob needs no lists, since all of its values are neighbours of each other.
 */
class KnobTopology {
 public:
  /** Creates the topology. Returns an error for a knob with over 20,000 values that is not categorical. */
  static Result<KnobTopology> make(const space::Knob& knob);

  std::uint32_t count() const { return count_; }  ///< values of the knob
  /** Returns true if all values are neighbours of each other. */
  bool complete() const { return complete_; }
  std::uint32_t degree(std::uint32_t value) const;  ///< number of neighbours of a value: |S(u)|
  /** Returns the neighbours of a value, ascending, as `Knob::neighbours` does. */
  std::vector<std::uint32_t> neighbours(std::uint32_t value) const;

  /**
   * Returns the smallest number of moves from `start` to each value, or `no_distance` if a restriction makes
   * it unreachable.
   */
  std::vector<std::uint32_t> distances_from(std::uint32_t start) const;

  /** Returns the distribution of `walk_distribution`. If `keep_going` cancelled it, the result is undefined.
   */
  Result<std::vector<double>> walk_from(std::uint32_t start, double q,
                                        const KeepGoing& keep_going = {}) const;

 private:
  std::span<const std::uint32_t> listed(std::uint32_t value) const;
  std::vector<double> stepped(const std::vector<double>& walking, double q) const;

  std::string name_;
  std::uint32_t count_ = 0;
  bool complete_ = false;
  std::vector<std::uint32_t> targets_;  ///< the neighbours of all values, one list after the other
  std::vector<std::size_t> ends_;       ///< end of each value's list
};

/**
 * The distribution of a mutation's results (OpEvo, section 4.3): every knob walks once, independently of the
 * others. Includes configurations that are not members of the space; OpEvo's tuner draws again in that case.
 */
class MutationDistribution {
 public:
  /**
   * Computes the distribution. Returns the errors of walk_distribution, and an error for a configuration that
   * does not fit the space.
   */
  static Result<MutationDistribution> make(const space::SearchSpace& space, const space::Configuration& start,
                                           double q);

  /** Returns the product over the knobs. The probability of the start itself is that of no change. */
  double probability(const space::Configuration& configuration) const;
  /** Returns per knob the probability of each of its values, as `walk_distribution` does. */
  const std::vector<std::vector<double>>& knobs() const { return knobs_; }

 private:
  std::vector<std::vector<double>> knobs_;
};

}  // namespace kernelscape::analysis
