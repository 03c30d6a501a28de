#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/space/search_space.h"
#include "core/space/topology.h"

namespace kernelscape {

/** A knob of more values, if not categorical, would take seconds. */
constexpr std::uint32_t most_walk_values = 20'000;

/**
 * Where a q-random walk over a knob's values ends (OpEvo, section 4.3, equation 3): from u it stops with
 * probability 1 - q, else goes on to one of the neighbours S(u), each with q / |S(u)|; P_u(v) = (1 - q) * sum
 * over t of q^t (W^t)(u, v), W(u, v) = 1 / |S(u)|. A value without neighbours keeps the walk. The sum goes on
 * until less than 1e-12 still walks, which then counts where it is; a categorical knob's is in closed form.
 *
 * Errors: q not in [0, 0.99], no such value, a knob of over 20,000 values that is not categorical.
 * @return probability of each value; they add up to 1
 */
Result<std::vector<double>> walk_distribution(const Knob& knob, std::uint32_t start, double q);

/** Of a value that no moves lead to. */
constexpr std::uint32_t no_distance = UINT32_MAX;

/** Whether to go on; false gives up what nobody waits for any more. */
using GoOn = std::function<bool()>;

/**
 * The topology of a knob (OpEvo, section 3), with every value's neighbours listed once, for many walks over
 * it. A categorical knob needs no lists: all of its values are each other's neighbours.
 */
class KnobTopology {
 public:
  /** Errors: a knob of over 20,000 values that is not categorical. */
  static Result<KnobTopology> make(const Knob& knob);

  std::uint32_t count() const { return count_; }  ///< values of the knob
  /** Whether all values are each other's neighbours. */
  bool complete() const { return complete_; }
  std::uint32_t degree(std::uint32_t value) const;  ///< neighbours of a value: |S(u)|
  /** Ascending, as `Knob::neighbours`. */
  std::vector<std::uint32_t> neighbours(std::uint32_t value) const;

  /** Fewest moves from a value to each value; `no_distance` where a restriction left no way. */
  std::vector<std::uint32_t> distances_from(std::uint32_t start) const;

  /** As `walk_distribution`. Given up, the result means nothing. */
  Result<std::vector<double>> walk_from(std::uint32_t start, double q, const GoOn& go_on = {}) const;

 private:
  std::span<const std::uint32_t> listed(std::uint32_t value) const;
  std::vector<double> stepped(const std::vector<double>& walking, double q) const;

  std::string name_;
  std::uint32_t count_ = 0;
  bool complete_ = false;
  std::vector<std::uint32_t> targets_;  ///< the neighbours of all values, one list after the other
  std::vector<std::size_t> ends_;       ///< of each value's list
};

/**
 * Where a mutation leads (OpEvo, section 4.3): every knob walks once, independently of the others. What is no
 * member of the space counts too; OpEvo's tuner draws again then.
 */
class MutationDistribution {
 public:
  /** Errors: those of walk_distribution, a configuration that does not fit the space. */
  static Result<MutationDistribution> make(const SearchSpace& space, const Configuration& start, double q);

  /** Product over the knobs; the start's own probability is that of no change. */
  double probability(const Configuration& configuration) const;
  /** Per knob the probability of each of its values, as `walk_distribution`. */
  const std::vector<std::vector<double>>& knobs() const { return knobs_; }

 private:
  std::vector<std::vector<double>> knobs_;
};

}  // namespace kernelscape
